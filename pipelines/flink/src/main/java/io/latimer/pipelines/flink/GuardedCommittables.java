package io.latimer.pipelines.flink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Writes guarded transactions to checkpoints: what is noted of them, then Flink's own bytes. */
final class GuardedCommittables implements SimpleVersionedSerializer<GuardedCommittables.Guarded> {
  /** Version of what is noted; it is above 16 bits, below is the version of Flink's bytes. */
  private static final int VERSION = 1;

  private static final int HEADER = 2 * Long.BYTES;

  private final SimpleVersionedSerializer<KafkaCommittable> flink;

  /**
   * A transaction to commit.
   *
   * @param committable Flink's reference of it
   * @param since when it began, at the earliest; milliseconds since 1970-01-01T00:00:00Z; 0 if the
   *     version that wrote it did not note it
   * @param after the checkpoint before it; 0 if there was none, or it was not noted
   */
  record Guarded(KafkaCommittable committable, long since, long after) {}

  GuardedCommittables(SimpleVersionedSerializer<KafkaCommittable> flink) {
    this.flink = flink;
  }

  @Override
  public int getVersion() {
    return VERSION << Short.SIZE | flink.getVersion();
  }

  @Override
  public byte[] serialize(Guarded guarded) throws IOException {
    byte[] bytes = flink.serialize(guarded.committable());
    return ByteBuffer.allocate(HEADER + bytes.length)
        .putLong(guarded.since())
        .putLong(guarded.after())
        .put(bytes)
        .array();
  }

  @Override
  public Guarded deserialize(int version, byte[] serialized) throws IOException {
    if (version >>> Short.SIZE == 0) {
      // written before anything was noted: Flink's bytes alone
      return new Guarded(flink.deserialize(version, serialized), 0, 0);
    }
    if (version >>> Short.SIZE != VERSION || serialized.length < HEADER) {
      throw new IOException(
          "a transaction in the state has version "
              + version
              + ", which this version of Latimer cannot read; use the version that wrote it");
    }
    ByteBuffer noted = ByteBuffer.wrap(serialized, 0, HEADER);
    byte[] bytes = Arrays.copyOfRange(serialized, HEADER, serialized.length);
    return new Guarded(
        flink.deserialize(version & 0xffff, bytes), noted.getLong(), noted.getLong());
  }
}
