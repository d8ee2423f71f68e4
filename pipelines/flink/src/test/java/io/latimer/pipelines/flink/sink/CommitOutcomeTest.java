package io.latimer.pipelines.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.kafka.EmbeddedKafka;
import io.latimer.pipelines.flink.sink.GuardedCommittables.Guarded;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.internal.FlinkKafkaInternalProducer;
import org.apache.flink.connector.kafka.sink.internal.KafkaCommitter;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Transactions of a checkpoint on a real broker, whose commits raise the epoch of an id ({@code
 * transaction.version} 2, Kafka 4) or do not (1, Kafka 3).
 */
@Timeout(240)
class CommitOutcomeTest {
  private static final String TOPIC = "out";

  /** So short that it is over when a job that was down comes back. */
  private static final long TIMEOUT_MILLIS = 1500;

  private static final AtomicInteger IDS = new AtomicInteger();

  private static EmbeddedKafka broker;
  private static Admin admin;

  private final String id = "job:kafka:-0-" + IDS.incrementAndGet();

  @BeforeAll
  static void start() throws Exception {
    broker =
        EmbeddedKafka.start(
            Map.of("transaction.abort.timed.out.transaction.cleanup.interval.ms", "200"));
    broker.createTopic(TOPIC, 1);
    admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
  }

  @AfterAll
  static void stop() {
    admin.close();
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(shorts = {2, 1})
  void aTransactionThatIsStillOpenIsCommitted(short version) throws Exception {
    use(version);
    Guarded open = written().state();
    assertThat(commit(open)).isEqualTo("committed");
    await(TransactionState.COMPLETE_COMMIT);
  }

  /** A job stops with a savepoint, which holds the transaction, and starts the next morning. */
  @ParameterizedTest
  @ValueSource(shorts = {2, 1})
  void aTransactionThatWasCommittedLongAgoIsNotLost(short version) throws Exception {
    use(version);
    Written written = written();
    written.producer().commitTransaction();
    awaitTimeout();
    assertThat(commit(written.state())).startsWith("committed");
    // at every start from it
    assertThat(commit(written.state())).startsWith("committed");
  }

  /** A job fails between a commit and its next checkpoint, or an older savepoint is restored. */
  @ParameterizedTest
  @ValueSource(shorts = {2, 1})
  void aTransactionWhoseIdWasUsedAgainIsNotLost(short version) throws Exception {
    use(version);
    Written written = written();
    written.producer().commitTransaction();
    try (FlinkKafkaInternalProducer<byte[], byte[]> again = producer()) {
      again.initTransactions();
      assertThat(commit(written.state())).isEqualTo("committed before");
      write(again);
      awaitTimeout();
      assertThat(commit(written.state())).isEqualTo("committed before");
      await(TransactionState.COMPLETE_ABORT);
    }
    if (version >= 2) {
      assertThat(commit(written.state())).isEqualTo("committed before");
    }
    try (FlinkKafkaInternalProducer<byte[], byte[]> again = producer()) {
      again.initTransactions();
      write(again);
      again.commitTransaction();
    }
    assertThat(commit(written.state())).isEqualTo("committed before");
  }

  @ParameterizedTest
  @ValueSource(shorts = {2, 1})
  void aTransactionThatTimedOutIsLost(short version) throws Exception {
    use(version);
    Guarded state = written().state();
    await(TransactionState.COMPLETE_ABORT);
    assertThatThrownBy(() -> commit(state))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining(id)
        .hasMessageContaining("transaction.timeout.ms");
    assertThat(commit(state, true)).isEqualTo("dropped");
  }

  @ParameterizedTest
  @ValueSource(shorts = {2, 1})
  void aTransactionOfTheRunningJobThatTimedOutIsLost(short version) throws Exception {
    use(version);
    Written written = written();
    await(TransactionState.COMPLETE_ABORT);
    KafkaCommittable own = written.state().committable();
    KafkaCommittable live =
        new KafkaCommittable(own.getProducerId(), own.getEpoch(), id, written.producer());
    Guarded guarded = new Guarded(live, written.state().since(), 1);
    assertThatThrownBy(() -> commit(guarded, true)).isInstanceOf(UnrecoverableException.class);
  }

  @ParameterizedTest
  @ValueSource(shorts = {2, 1})
  void stateThatNotesNoTimeIsJudgedByTheBroker(short version) throws Exception {
    use(version);
    Written written = written();
    written.producer().commitTransaction();
    assertThat(commit(new Guarded(written.state().committable(), 0, 0))).startsWith("committed");
  }

  /** Brokers forget ids that are not used for days. */
  @Test
  void anIdThatTheBrokerDoesNotKnowIsNamedWithTheCause() throws Exception {
    KafkaCommittable forgotten = new KafkaCommittable(123_456, (short) 3, id, null);
    Guarded state = new Guarded(forgotten, System.currentTimeMillis(), 1);
    assertThatThrownBy(() -> commit(state))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("transactional.id.expiration.ms");
    assertThat(commit(state, true)).isEqualTo("dropped");
  }

  /** A transaction with one record, as a checkpoint holds it, and the producer that wrote it. */
  private record Written(Guarded state, FlinkKafkaInternalProducer<byte[], byte[]> producer) {}

  private Written written() throws Exception {
    FlinkKafkaInternalProducer<byte[], byte[]> producer = producer();
    producer.initTransactions();
    long since = System.currentTimeMillis();
    write(producer);
    KafkaCommittable committable =
        new KafkaCommittable(producer.getProducerId(), producer.getEpoch(), id, null);
    producer.precommitTransaction();
    return new Written(new Guarded(committable, since, 1), producer);
  }

  private static void write(FlinkKafkaInternalProducer<byte[], byte[]> producer) throws Exception {
    producer.beginTransaction();
    producer.send(new ProducerRecord<>(TOPIC, new byte[] {1})).get();
    producer.flush();
  }

  private FlinkKafkaInternalProducer<byte[], byte[]> producer() {
    return new FlinkKafkaInternalProducer<>(properties(), id);
  }

  private static Properties properties() {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", broker.bootstrapServers());
    properties.put("transaction.timeout.ms", String.valueOf(TIMEOUT_MILLIS));
    properties.put("key.serializer", ByteArraySerializer.class.getName());
    properties.put("value.serializer", ByteArraySerializer.class.getName());
    return properties;
  }

  private static void use(short version) throws Exception {
    short now =
        admin
            .describeFeatures()
            .featureMetadata()
            .get()
            .finalizedFeatures()
            .get("transaction.version")
            .maxVersionLevel();
    if (now != version) {
      FeatureUpdate.UpgradeType type =
          version > now
              ? FeatureUpdate.UpgradeType.UPGRADE
              : FeatureUpdate.UpgradeType.SAFE_DOWNGRADE;
      admin
          .updateFeatures(
              Map.of("transaction.version", new FeatureUpdate(version, type)),
              new UpdateFeaturesOptions())
          .all()
          .get();
      while (admin
              .describeFeatures()
              .featureMetadata()
              .get()
              .finalizedFeatures()
              .get("transaction.version")
              .maxVersionLevel()
          != version) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
  }

  /** Waits until the time of a transaction that has begun now is over. */
  private static void awaitTimeout() throws Exception {
    TimeUnit.MILLISECONDS.sleep(TIMEOUT_MILLIS + 100);
  }

  private void await(TransactionState state) throws Exception {
    while (description().state() != state) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private TransactionDescription description() throws Exception {
    return admin.describeTransactions(List.of(id)).description(id).get();
  }

  private static String commit(Guarded guarded) throws Exception {
    return commit(guarded, false);
  }

  private static String commit(Guarded guarded, boolean acceptsLost) throws Exception {
    AnsweredRequest request;
    Committer<KafkaCommittable> flink =
        new KafkaCommitter(properties(), "job:kafka:", 0, 0, true, FlinkKafkaInternalProducer::new);
    GuardedCommitter.Names names =
        new GuardedCommitter.Names("kafka", TOPIC, TIMEOUT_MILLIS, acceptsLost, 0);
    TransactionCoordinator coordinator =
        new TransactionCoordinator.Address(properties()).coordinator();
    try (GuardedCommitter committer = new GuardedCommitter(flink, coordinator, names)) {
      do {
        request = new AnsweredRequest(guarded);
        committer.commit(List.of(request));
      } while (request.answer().equals("retry"));
    }
    return request.answer().isEmpty() ? "committed" : request.answer();
  }
}
