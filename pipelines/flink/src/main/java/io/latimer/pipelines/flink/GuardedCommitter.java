package io.latimer.pipelines.flink;

import io.latimer.pipelines.flink.GuardedCommittables.Guarded;
import java.io.IOException;
import java.io.Serializable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits transactions with Flink's committer, and ends the job if one cannot be committed any
 * more.
 *
 * <p>One case is harmless. A transactional id is used again once its transaction is committed. If
 * the job then fails before its next checkpoint is complete, it finds the committed transaction in
 * the checkpoint that it restores, and its id is fenced by the later one. The transaction cannot
 * have timed out if its timeout has not passed since it began, so it has been committed.
 */
final class GuardedCommitter implements Committer<Guarded> {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedCommitter.class);

  private final Committer<KafkaCommittable> flink;
  private final Names names;

  /**
   * What the errors of a sink say.
   *
   * @param sink its name
   * @param topic its topic
   * @param timeoutMillis its transaction.timeout.ms
   * @param reusesIds whether it uses transactional ids again
   */
  record Names(String sink, String topic, long timeoutMillis, boolean reusesIds)
      implements Serializable {}

  GuardedCommitter(Committer<KafkaCommittable> flink, Names names) {
    this.flink = flink;
    this.names = names;
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
    try {
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

    /** Flink's committer reports so what it would drop. */
    @Override
    public void signalFailedWithKnownReason(Throwable reason) {
      if (!(reason instanceof ProducerFencedException) || !committedBefore()) {
        throw lost(reason);
      }
      LOG.info(
          "sink {}: transaction {} was committed before the failure",
          names.sink(),
          getCommittable().getTransactionalId());
      request.signalAlreadyCommitted();
    }

    private boolean committedBefore() {
      boolean restored = getCommittable().getProducer().isEmpty();
      return names.reusesIds()
          && restored
          && System.currentTimeMillis() - guarded.since() < names.timeoutMillis();
    }

    @Override
    public void signalFailedWithUnknownReason(Throwable reason) {
      if (reason instanceof InvalidProducerEpochException
          || reason instanceof InvalidPidMappingException
          || reason instanceof TransactionalIdNotFoundException) {
        throw lost(reason);
      }
      request.signalFailedWithUnknownReason(reason);
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

    private UnrecoverableException lost(Throwable reason) {
      return new UnrecoverableException(
          "records may be missing from topic "
              + names.topic()
              + ": sink "
              + names.sink()
              + " cannot commit transaction "
              + getCommittable().getTransactionalId()
              + ", which began after checkpoint "
              + guarded.after()
              + " at "
              + Instant.ofEpochMilli(guarded.since())
              + " ("
              + reason.getMessage()
              + "). Its time is over (transaction.timeout.ms, "
              + names.timeoutMillis()
              + " ms), or another job has the same transactional-id-prefix. Restore an earlier"
              + " checkpoint or savepoint, or start without state where the records are to be read"
              + " again",
          reason);
    }
  }
}
