package io.latimer.pipelines.flink.kafka;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.AssignmentStatus;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.enumerator.SplitAndAssignmentStatus;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.kafka.common.TopicPartition;

/**
 * Flink's bounded Kafka source, with a fix: it also ends after a restore.
 *
 * <p>Flink's enumerator (flink-connector-kafka 5.0) tells its readers that no more partitions
 * follow once it has handled a change of partitions. A restored enumerator finds no change, because
 * it knows all partitions from its state, so its readers wait forever. This source adds a partition
 * that does not exist to the state; its removal is a change.
 */
public final class BoundedKafkaSource<T>
    implements Source<T, KafkaPartitionSplit, KafkaSourceEnumState> {
  private static final long serialVersionUID = 1L;

  /** A name that no topic can have. */
  private static final String REMOVED = "removed partition";

  private final KafkaSource<T> source;

  /**
   * Wraps a source.
   *
   * @param source a bounded source
   */
  public BoundedKafkaSource(KafkaSource<T> source) {
    this.source = source;
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restoreEnumerator(
      SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaSourceEnumState checkpoint)
      throws IOException {
    Set<SplitAndAssignmentStatus> splits = new HashSet<>(checkpoint.splits());
    // if the enumerator was itself restored, its state has it already
    splits.removeIf(known -> known.split().getTopic().equals(REMOVED));
    splits.add(
        new SplitAndAssignmentStatus(
            new KafkaPartitionSplit(new TopicPartition(REMOVED, 0), 0), AssignmentStatus.ASSIGNED));
    return source.restoreEnumerator(
        context, new KafkaSourceEnumState(splits, checkpoint.initialDiscoveryFinished()));
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> createEnumerator(
      SplitEnumeratorContext<KafkaPartitionSplit> context) {
    return source.createEnumerator(context);
  }

  @Override
  public Boundedness getBoundedness() {
    return source.getBoundedness();
  }

  @Override
  public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
    return source.getSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<KafkaSourceEnumState> getEnumeratorCheckpointSerializer() {
    return source.getEnumeratorCheckpointSerializer();
  }

  @Override
  public SourceReader<T, KafkaPartitionSplit> createReader(SourceReaderContext context)
      throws Exception {
    return source.createReader(context);
  }
}
