package io.latimer.pipelines.flink.sink;

import io.latimer.pipelines.flink.sink.GuardedCommittables.Guarded;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import java.io.IOException;
import java.io.Serializable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits transactions with Flink's committer, and ends the job if one can no longer be committed.
 *
 * <p>Often a restored transaction cannot be committed because it was committed already: the job
 * stopped or failed after the commit, and the state is from before it. So the committer asks the
 * broker for the outcome. Time cannot tell: clocks are stepped, and a job may be down for any time
 * after a commit.
 *
 * <p>If the transactional id has been reused since, the job goes on with a warning, because a job
 * reuses an id once its transaction is committed. {@link TransactionOutcome} describes the loss
 * that this does not detect.
 */
record GuardedCommitter(
    Committer<KafkaCommittable> flink, TransactionCoordinator coordinator, Names names)
    implements Committer<Guarded> {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedCommitter.class);

  /**
   * A sink's details, for its error messages.
   *
   * @param sink its name
   * @param topic its topic
   * @param timeoutMillis its transaction.timeout.ms
   * @param acceptsLost whether the job goes on without the records of restored transactions that
   *     are lost
   * @param suspects the number of the checkpoint that the job started from, if there was a start
   *     without a state after that checkpoint, which aborted all open transactions; else 0
   */
  record Names(String sink, String topic, long timeoutMillis, boolean acceptsLost, long suspects)
      implements Serializable {
    /** A copy with another suspect checkpoint, if that is later. */
    Names suspecting(long checkpoint) {
      return new Names(sink, topic, timeoutMillis, acceptsLost, Math.max(suspects, checkpoint));
    }
  }

  @Override
  public void commit(Collection<CommitRequest<Guarded>> requests)
      throws IOException, InterruptedException {
    List<CommitRequest<KafkaCommittable>> all = new ArrayList<>();
    for (CommitRequest<Guarded> request : requests) {
      all.add(new Request(request));
    }
    flink.commit(all);
  }

  @Override
  public void close() {
    try (coordinator) {
      flink.close();
    } catch (Exception e) {
      ExceptionUtils.rethrow(e);
    }
  }

  private final class Request implements CommitRequest<KafkaCommittable> {
    private final CommitRequest<Guarded> request;
    private final Guarded guarded;

    Request(CommitRequest<Guarded> request) {
      this.request = request;
      this.guarded = request.getCommittable();
    }

    @Override
    public KafkaCommittable getCommittable() {
      return guarded.committable();
    }

    @Override
    public int getNumberOfRetries() {
      return request.getNumberOfRetries();
    }

    /** Flink's committer calls this for transactions that it would drop. */
    @Override
    public void signalFailedWithKnownReason(Throwable reason) {
      decide(reason);
    }

    @Override
    public void signalFailedWithUnknownReason(Throwable reason) {
      if (reason instanceof InvalidProducerEpochException
          || reason instanceof InvalidPidMappingException
          || reason instanceof TransactionalIdNotFoundException) {
        decide(reason);
      } else {
        request.signalFailedWithUnknownReason(reason);
      }
    }

    @Override
    public void retryLater() {
      request.retryLater();
    }

    @Override
    public void updateAndRetryLater(KafkaCommittable committable) {
      request.updateAndRetryLater(new Guarded(committable, guarded.since(), guarded.after()));
    }

    @Override
    public void signalAlreadyCommitted() {
      request.signalAlreadyCommitted();
    }

    private void decide(Throwable reason) {
      try {
        decide(outcome(), reason);
      } catch (ExecutionException e) {
        Throwable refusal = e.getCause();
        reason.addSuppressed(refusal);
        if (refusal instanceof TransactionalIdNotFoundException) {
          lost(
              reason,
              "The broker has forgotten its id, as it does once an id is not used for"
                  + " transactional.id.expiration.ms (7 days by default), and cannot say whether it"
                  + " was committed. It was if the job was stopped with a savepoint and this is"
                  + " it");
        } else if (refusal instanceof AuthorizationException
            || refusal instanceof UnsupportedVersionException) {
          lost(
              reason,
              "The broker does not say whether it was committed ("
                  + refusal.getMessage()
                  + "). Its version must be 3.0 or later, and it must allow the sink to Describe"
                  + " the transactional id");
        } else {
          // the restarted job asks again
          request.signalFailedWithUnknownReason(reason);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(
            "interrupted while asking for transaction " + getCommittable().getTransactionalId(), e);
      }
    }

    private TransactionOutcome outcome() throws InterruptedException, ExecutionException {
      return TransactionOutcome.of(
          getCommittable(),
          coordinator.describe(getCommittable().getTransactionalId()),
          coordinator.commitRaisesEpoch());
    }

    private void decide(TransactionOutcome outcome, Throwable reason) {
      switch (outcome) {
        case COMMITTED -> {
          LOG.info("sink {}: {} was committed before the failure", names.sink(), transaction());
          request.signalAlreadyCommitted();
        }
        case ID_USED_AGAIN -> usedAgain(reason);
        case ABORTED_OR_ID_USED_AGAIN -> {
          // only the clock can tell: it cannot have timed out yet
          if (System.currentTimeMillis() - guarded.since() < names.timeoutMillis()) {
            usedAgain(reason);
          } else {
            lost(reason, aborted());
          }
        }
        case ABORTED -> lost(reason, aborted());
        case OPEN -> request.signalFailedWithUnknownReason(reason);
        case UNKNOWN ->
            lost(
                reason,
                "The broker knows no such transaction: it has lost data, or the checkpoint belongs"
                    + " to another Kafka cluster");
      }
    }

    private void usedAgain(Throwable reason) {
      if (!isRestored()) {
        // the sink itself reuses an id only after the commit was reported to it
        lost(reason, aborted());
        return;
      }
      if (guarded.after() < names.suspects()) {
        lost(
            reason,
            "Its id has been used again, and the job has been started without a state since"
                + " checkpoint "
                + names.suspects()
                + ", from which it is restored: that start aborted it, unless it was committed"
                + " before. It was if the job was stopped with this savepoint, or had completed a"
                + " later checkpoint");
        return;
      }
      LOG.warn(
          "sink {}: {} cannot be committed, because its id has been used again since. This is"
              + " expected after a failure, and if an older checkpoint or savepoint is restored: a"
              + " job uses an id again once its transaction is committed. But if the job was"
              + " started without this state in between, that start may have aborted it, and its"
              + " records are missing from topic {}",
          names.sink(),
          transaction(),
          names.topic());
      request.signalAlreadyCommitted();
    }

    /** Whether it was restored from a checkpoint or savepoint, and so has no producer any more. */
    private boolean isRestored() {
      return getCommittable().getProducer().isEmpty();
    }

    private String transaction() {
      return "transaction "
          + getCommittable().getTransactionalId()
          + ", which began after checkpoint "
          + guarded.after()
          + " at "
          + Instant.ofEpochMilli(guarded.since());
    }

    private String aborted() {
      return "It was aborted, because its time was over (transaction.timeout.ms, "
          + names.timeoutMillis()
          + " ms), or another job has the same transactional-id-prefix";
    }

    private void lost(Throwable reason, String cause) {
      String message =
          "records may be missing from topic "
              + names.topic()
              + ": sink "
              + names.sink()
              + " cannot commit "
              + transaction()
              + " ("
              + reason.getMessage()
              + "). "
              + cause
              + ". ";
      if (isRestored() && names.acceptsLost()) {
        LOG.warn("{}The job goes on without them, as lost-transactions says", message);
        request.signalFailedWithKnownReason(reason);
        return;
      }
      throw new UnrecoverableException(
          message
              + "Restore an earlier checkpoint or savepoint, or start without state where the"
              + " records are to be read again; or go on without them: restore this one with"
              + " lost-transactions: accept of the sink in the job file",
          reason);
    }
  }
}
