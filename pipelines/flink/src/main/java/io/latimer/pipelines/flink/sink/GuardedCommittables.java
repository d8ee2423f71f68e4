package io.latimer.pipelines.flink.sink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Serializes guarded transactions for checkpoints: the added fields, then Flink's own bytes. */
record GuardedCommittables(SimpleVersionedSerializer<KafkaCommittable> flink)
    implements SimpleVersionedSerializer<GuardedCommittables.Guarded> {
  /** Version of the added fields, in the upper 16 bits; the lower ones are Flink's own version. */
  private static final int VERSION = 1;

  private static final int HEADER = 2 * Long.BYTES;

  /**
   * A transaction to commit.
   *
   * @param committable Flink's handle of it
   * @param since the earliest time at which it may have begun, in milliseconds since
   *     1970-01-01T00:00:00Z
   * @param after the checkpoint before it; 0 if there was none
   */
  record Guarded(KafkaCommittable committable, long since, long after) {}

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
