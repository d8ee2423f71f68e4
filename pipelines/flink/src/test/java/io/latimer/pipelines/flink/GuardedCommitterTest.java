package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.flink.GuardedCommittables.Guarded;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.junit.jupiter.api.Test;

/** What becomes of transactions that are restored and cannot be committed. */
class GuardedCommitterTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(15);

  @Test
  void aTransactionWhoseTimeIsOverEndsTheJobAndIsNamed() {
    assertThatThrownBy(
            () -> commit(restored(TIMEOUT), true, known(new ProducerFencedException(""))))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("records may be missing from topic out: sink kafka cannot commit")
        .hasMessageContaining("transaction job-1, which began after checkpoint 41")
        .hasMessageContaining("transaction.timeout.ms, 900000 ms");
  }

  /** Its id is in use again, which only happens after it was committed. */
  @Test
  void aTransactionThatCannotHaveTimedOutWasCommitted() throws Exception {
    assertThat(commit(restored(Duration.ZERO), true, known(new ProducerFencedException(""))))
        .isEqualTo("already committed");
  }

  @Test
  void anIdThatIsUsedOnceIsNeverFencedForAGoodReason() {
    assertThatThrownBy(
            () -> commit(restored(Duration.ZERO), false, known(new ProducerFencedException(""))))
        .isInstanceOf(UnrecoverableException.class);
  }

  @Test
  void anAbortedTransactionEndsTheJob() {
    assertThatThrownBy(
            () -> commit(restored(Duration.ZERO), true, known(new InvalidTxnStateException(""))))
        .isInstanceOf(UnrecoverableException.class);
  }

  @Test
  void aTransactionThatTheBrokerHasForgottenEndsTheJob() {
    Signal signal =
        request -> request.signalFailedWithUnknownReason(new InvalidPidMappingException(""));
    assertThatThrownBy(() -> commit(restored(Duration.ZERO), true, signal))
        .isInstanceOf(UnrecoverableException.class);
  }

  @Test
  void anythingElseIsLeftToFlink() throws Exception {
    Signal other = request -> request.signalFailedWithUnknownReason(new IOException("down"));
    assertThat(commit(restored(TIMEOUT), true, other)).isEqualTo("unknown: down");
    assertThat(commit(restored(TIMEOUT), true, Committer.CommitRequest::retryLater))
        .isEqualTo("retry");
  }

  @Test
  void whatIsNotedOfATransactionIsInTheState() throws Exception {
    SimpleVersionedSerializer<Guarded> serializer = serializer();
    Guarded guarded = restored(TIMEOUT);
    byte[] bytes = serializer.serialize(guarded);
    assertThat(serializer.deserialize(serializer.getVersion(), bytes)).isEqualTo(guarded);
    assertThatThrownBy(() -> serializer.deserialize(1, bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has version 1, which this version of Latimer cannot read");
  }

  private static SimpleVersionedSerializer<Guarded> serializer() {
    KafkaRecordSerializationSchema<String> none =
        (element, context, timestamp) -> new ProducerRecord<>("out", new byte[0]);
    KafkaSink<String> sink =
        KafkaSink.<String>builder()
            .setBootstrapServers("localhost:9092")
            .setRecordSerializer(none)
            .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
            .setTransactionalIdPrefix("job")
            .build();
    return new GuardedKafkaSink<>(sink, names(true)).getCommittableSerializer();
  }

  /** From a checkpoint: without the producer that wrote it. */
  private static Guarded restored(Duration age) {
    return new Guarded(
        new KafkaCommittable(7, (short) 3, "job-1", null),
        System.currentTimeMillis() - age.toMillis(),
        41);
  }

  /** What Flink's committer does with a request. */
  private interface Signal {
    void to(Committer.CommitRequest<KafkaCommittable> request);
  }

  private static Signal known(Exception reason) {
    return request -> request.signalFailedWithKnownReason(reason);
  }

  private static GuardedCommitter.Names names(boolean reusesIds) {
    return new GuardedCommitter.Names("kafka", "out", TIMEOUT.toMillis(), reusesIds);
  }

  private static String commit(Guarded guarded, boolean reusesIds, Signal signal) throws Exception {
    Request request = new Request(guarded);
    new GuardedCommitter(new Signalling(signal), names(reusesIds)).commit(List.of(request));
    return request.outcome;
  }

  /** In place of Flink's committer. */
  private record Signalling(Signal signal) implements Committer<KafkaCommittable> {
    @Override
    public void commit(Collection<CommitRequest<KafkaCommittable>> requests) {
      requests.forEach(signal::to);
    }

    @Override
    public void close() {}
  }

  private static final class Request implements Committer.CommitRequest<Guarded> {
    private final Guarded guarded;
    private String outcome = "";

    Request(Guarded guarded) {
      this.guarded = guarded;
    }

    @Override
    public Guarded getCommittable() {
      return guarded;
    }

    @Override
    public int getNumberOfRetries() {
      return 0;
    }

    @Override
    public void signalFailedWithKnownReason(Throwable reason) {
      outcome = "dropped";
    }

    @Override
    public void signalFailedWithUnknownReason(Throwable reason) {
      outcome = "unknown: " + reason.getMessage();
    }

    @Override
    public void retryLater() {
      outcome = "retry";
    }

    @Override
    public void updateAndRetryLater(Guarded committable) {
      outcome = "retry";
    }

    @Override
    public void signalAlreadyCommitted() {
      outcome = "already committed";
    }
  }
}
