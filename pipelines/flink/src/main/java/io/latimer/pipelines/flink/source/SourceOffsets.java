package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.flink.kafka.BriefAdmin;
import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.pipelines.source.SourceConfig;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitSerializer;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** The offsets of a job's Kafka source in a savepoint. */
public final class SourceOffsets {
  /** Name of the state of Flink's sources that lists their partitions. */
  private static final String SPLITS = "SourceReaderState";

  private SourceOffsets() {}

  /** The next offset of each partition that the source has begun to read. */
  static Map<TopicPartition, OffsetAndMetadata> of(SavedState savepoint) throws IOException {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (byte[] entry : savepoint.entries("source", SPLITS)) {
      KafkaPartitionSplit split =
          SimpleVersionedSerialization.readVersionAndDeSerialize(
              new KafkaPartitionSplitSerializer(), entry);
      if (split.getStartingOffset() >= 0) { // otherwise a marker: nothing was read
        offsets.put(split.getTopicPartition(), new OffsetAndMetadata(split.getStartingOffset()));
      }
    }
    return offsets;
  }

  /**
   * Commits the source's offsets in a savepoint with which its job was stopped, for the source's
   * consumer group. Flink's source commits them, too, but does not wait for that when it ends.
   *
   * @throws IOException if that fails; the message says why
   */
  public static void commit(SavedState savepoint, SourceConfig.Kafka source)
      throws IOException, InterruptedException {
    try (Admin admin = BriefAdmin.of(source.bootstrapServers(), source.properties())) {
      admin.alterConsumerGroupOffsets(source.group(), of(savepoint)).all().get();
    } catch (KafkaException | ExecutionException e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      throw new IOException(
          "the offsets of group " + source.group() + " were not committed: " + cause.getMessage(),
          e);
    }
  }
}
