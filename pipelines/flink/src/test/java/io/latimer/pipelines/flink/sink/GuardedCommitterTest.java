package io.latimer.pipelines.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.flink.sink.GuardedCommittables.Guarded;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.internal.FlinkKafkaInternalProducer;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** What becomes of transactions that are restored and cannot be committed. */
class GuardedCommitterTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(15);

  private static final Signal FENCED = known(new ProducerFencedException(""));

  @Test
  void anAbortedTransactionEndsTheJobAndIsNamed() {
    for (TransactionState aborted :
        List.of(TransactionState.COMPLETE_ABORT, TransactionState.PREPARE_ABORT)) {
      assertThatThrownBy(() -> commit(restored(TIMEOUT), FENCED, id(4, aborted), false))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageContaining("records may be missing from topic out: sink kafka cannot commit")
          .hasMessageContaining("transaction job-1, which began after checkpoint 41")
          .hasMessageContaining("transaction.timeout.ms, 900000 ms")
          .hasMessageContaining("lost-transactions: accept");
    }
  }

  /** However long the job was down. */
  @Test
  void aCommittedTransactionIsNotLost() throws Exception {
    for (int epoch : List.of(3, 4)) { // without and with a new epoch for each commit
      for (TransactionState committed :
          List.of(TransactionState.COMPLETE_COMMIT, TransactionState.PREPARE_COMMIT)) {
        assertThat(commit(restored(TIMEOUT), FENCED, id(epoch, committed), false))
            .isEqualTo("committed before");
      }
    }
  }

  @Test
  void aJobGoesOnIfTheIdWasUsedAgain() throws Exception {
    for (TransactionState later :
        List.of(
            TransactionState.EMPTY, TransactionState.ONGOING, TransactionState.COMPLETE_ABORT)) {
      assertThat(commit(restored(TIMEOUT), FENCED, id(5, later), false))
          .isEqualTo("committed before");
    }
    TransactionDescription other = id(8, (short) 0, TransactionState.ONGOING);
    assertThat(commit(restored(TIMEOUT), FENCED, broker(other), false))
        .isEqualTo("committed before");
  }

  /** The broker says the same of an id that was used again and of one that such a start aborted. */
  @Test
  void afterAStartWithoutStateAnIdThatWasUsedAgainIsALoss() throws Exception {
    FakeCoordinator usedAgain = id(5, TransactionState.COMPLETE_COMMIT);
    Guarded restored = restored(TIMEOUT); // began after checkpoint 41
    assertThatThrownBy(() -> commit(restored, FENCED, usedAgain, names(false, 42)))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("started without a state since checkpoint 42")
        .hasMessageContaining("lost-transactions: accept");
    assertThat(commit(restored, FENCED, usedAgain, names(true, 42))).isEqualTo("dropped");
    // the job's own, which it restores after a failure
    assertThat(commit(restored, FENCED, usedAgain, names(false, 41))).isEqualTo("committed before");
    // and one of which the broker knows
    FakeCoordinator committed = id(4, TransactionState.COMPLETE_COMMIT);
    assertThat(commit(restored, FENCED, committed, names(false, 42))).isEqualTo("committed before");
  }

  /** The clock decides: after a commit without a new epoch, the id was used again and aborted. */
  @Test
  void withoutANewEpochForEachCommitAnAbortIsALossOnceTheTimeIsOver() throws Exception {
    FakeCoordinator broker = id(4, TransactionState.COMPLETE_ABORT);
    broker.raises = false;
    assertThat(commit(restored(Duration.ZERO), FENCED, broker, false))
        .isEqualTo("committed before");
    assertThatThrownBy(() -> commit(restored(TIMEOUT), FENCED, broker, false))
        .isInstanceOf(UnrecoverableException.class);
  }

  @Test
  void anAcceptedLossIsDropped() throws Exception {
    FakeCoordinator broker = id(4, TransactionState.COMPLETE_ABORT);
    assertThat(commit(restored(TIMEOUT), FENCED, broker, true)).isEqualTo("dropped");
  }

  @Test
  void aTransactionOfTheRunningJobIsNeverDropped() {
    Guarded own =
        new Guarded(
            new KafkaCommittable(7, (short) 3, "job-1", producer()),
            System.currentTimeMillis(),
            41);
    for (FakeCoordinator broker :
        List.of(id(4, TransactionState.COMPLETE_ABORT), id(5, TransactionState.EMPTY))) {
      assertThatThrownBy(() -> commit(own, FENCED, broker, true))
          .isInstanceOf(UnrecoverableException.class);
    }
  }

  @Test
  void aBrokerWithoutTheTransactionEndsTheJob() {
    assertThatThrownBy(
            () -> commit(restored(TIMEOUT), FENCED, id(2, TransactionState.COMPLETE_COMMIT), false))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("another Kafka cluster");
  }

  @Test
  void aForgottenIdEndsTheJobWithItsCause() {
    Signal signal =
        request -> request.signalFailedWithUnknownReason(new InvalidPidMappingException(""));
    FakeCoordinator broker = failing(new TransactionalIdNotFoundException("unknown"));
    assertThatThrownBy(() -> commit(restored(Duration.ZERO), signal, broker, false))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("transactional.id.expiration.ms")
        .hasMessageContaining("lost-transactions: accept");
  }

  @Test
  void aBrokerThatRefusesToSayEndsTheJobWithItsReason() {
    for (Exception refusal :
        List.of(
            new TransactionalIdAuthorizationException("not allowed"),
            new UnsupportedVersionException("not allowed"))) {
      assertThatThrownBy(() -> commit(restored(TIMEOUT), FENCED, failing(refusal), false))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageContaining("not allowed")
          .hasMessageContaining("Describe");
    }
  }

  @Test
  void aBrokerThatDoesNotAnswerIsAskedAgainAfterARestart() throws Exception {
    assertThat(
            commit(
                restored(TIMEOUT),
                known(new ProducerFencedException("fenced")),
                failing(new TimeoutException("later")),
                false))
        .isEqualTo("unknown: fenced");
  }

  @Test
  void anythingElseIsLeftToFlink() throws Exception {
    Signal other = request -> request.signalFailedWithUnknownReason(new IOException("down"));
    assertThat(commit(restored(TIMEOUT), other, unasked(), false)).isEqualTo("unknown: down");
    assertThat(commit(restored(TIMEOUT), Committer.CommitRequest::retryLater, unasked(), false))
        .isEqualTo("retry");
  }

  @Test
  void whatIsNotedOfATransactionIsInTheState() throws Exception {
    SimpleVersionedSerializer<Guarded> serializer = serializer();
    Guarded guarded = restored(TIMEOUT);
    byte[] bytes = serializer.serialize(guarded);
    assertThat(serializer.deserialize(serializer.getVersion(), bytes)).isEqualTo(guarded);
    for (int version : List.of(2 << Short.SIZE | 1, 1)) { // of a later Latimer, of Flink's own sink
      assertThatThrownBy(() -> serializer.deserialize(version, bytes))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(
              "has version " + version + ", which this version of Latimer cannot read");
    }
  }

  private static SimpleVersionedSerializer<Guarded> serializer() {
    KafkaSink<String> sink = sink();
    return new GuardedKafkaSink<>(
            sink,
            sink,
            new TransactionCoordinator.Address(new Properties()),
            names(false, 0),
            false,
            null)
        .getCommittableSerializer();
  }

  private static KafkaSink<String> sink() {
    KafkaRecordSerializationSchema<String> none =
        (element, context, timestamp) -> new ProducerRecord<>("out", new byte[0]);
    return KafkaSink.<String>builder()
        .setBootstrapServers("localhost:9092")
        .setRecordSerializer(none)
        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .setTransactionalIdPrefix("job")
        .build();
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

  private static GuardedCommitter.Names names(boolean acceptsLost, long suspects) {
    return new GuardedCommitter.Names("kafka", "out", TIMEOUT.toMillis(), acceptsLost, suspects);
  }

  private static String commit(
      Guarded guarded, Signal signal, TransactionCoordinator broker, boolean acceptsLost)
      throws Exception {
    return commit(guarded, signal, broker, names(acceptsLost, 0));
  }

  private static String commit(
      Guarded guarded, Signal signal, TransactionCoordinator broker, GuardedCommitter.Names names)
      throws Exception {
    AnsweredRequest request = new AnsweredRequest(guarded);
    new GuardedCommitter(new Signalling(signal), broker, names).commit(List.of(request));
    return request.answer();
  }

  /** A producer that connects to nothing. */
  private static FlinkKafkaInternalProducer<byte[], byte[]> producer() {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", "127.0.0.1:1");
    properties.put("key.serializer", ByteArraySerializer.class);
    properties.put("value.serializer", ByteArraySerializer.class);
    FlinkKafkaInternalProducer<byte[], byte[]> producer =
        new FlinkKafkaInternalProducer<>(properties, "job-1");
    producer.close(Duration.ZERO);
    return producer;
  }

  private static FakeCoordinator id(int epoch, TransactionState state) {
    return broker(id(7, (short) epoch, state));
  }

  private static TransactionDescription id(long producer, short epoch, TransactionState state) {
    return new TransactionDescription(
        0, state, producer, epoch, TIMEOUT.toMillis(), OptionalLong.empty(), Set.of());
  }

  private static FakeCoordinator broker(TransactionDescription id) {
    return new FakeCoordinator(id, null);
  }

  private static FakeCoordinator failing(Exception reason) {
    return new FakeCoordinator(null, reason);
  }

  private static FakeCoordinator unasked() {
    return failing(new IllegalStateException("asked"));
  }

  private static final class FakeCoordinator implements TransactionCoordinator {
    private final TransactionDescription id;
    private final Exception reason;
    private boolean raises = true;

    FakeCoordinator(TransactionDescription id, Exception reason) {
      this.id = id;
      this.reason = reason;
    }

    @Override
    public TransactionDescription describe(String transactionalId) throws ExecutionException {
      if (reason != null) {
        throw new ExecutionException(reason);
      }
      assertThat(transactionalId).isEqualTo("job-1");
      return id;
    }

    @Override
    public boolean commitRaisesEpoch() {
      return raises;
    }

    @Override
    public void close() {}
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
}
