package io.latimer.pipelines.flink;

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

/** Where the Kafka source of a job stands in a savepoint. */
public final class SourceOffsets {
  /** Name of the list of partitions in the state of Flink's sources. */
  private static final String SPLITS = "SourceReaderState";

  private SourceOffsets() {}

  /** The offset of the next record of each partition that the source has begun with. */
  static Map<TopicPartition, OffsetAndMetadata> of(SavedState savepoint) throws IOException {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (byte[] entry : savepoint.entries("source", SPLITS)) {
      KafkaPartitionSplit split =
          SimpleVersionedSerialization.readVersionAndDeSerialize(
              new KafkaPartitionSplitSerializer(), entry);
      if (split.getStartingOffset() >= 0) { // else a mark, for one that nothing was read of
        offsets.put(split.getTopicPartition(), new OffsetAndMetadata(split.getStartingOffset()));
      }
    }
    return offsets;
  }

  /**
   * Commits, for the source's group, where the source stands in a savepoint with which its job was
   * stopped. Flink's source does so, too, but does not wait for it when it ends.
   *
   * @throws IOException if that is not possible; says why
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
