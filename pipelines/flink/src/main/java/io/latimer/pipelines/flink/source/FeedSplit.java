package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.feed.FeedPosition;
import java.io.IOException;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A whole feed and its read position.
 *
 * @param position as {@link FeedPosition#toBytes} writes it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FeedSplit(byte[] position) implements SourceSplit {
  private static final int VERSION = 1;

  @Override
  public String splitId() {
    return "feed";
  }

  /** Serializes the position, which has a version of its own. */
  static final class Serializer implements SimpleVersionedSerializer<FeedSplit> {
    @Override
    public int getVersion() {
      return VERSION;
    }

    @Override
    public byte[] serialize(FeedSplit split) {
      return split.position();
    }

    @Override
    public FeedSplit deserialize(int version, byte[] bytes) throws IOException {
      check(version);
      FeedPosition.of(bytes); // damage is detected where the position is decoded
      return new FeedSplit(bytes);
    }

    static void check(int version) throws FeedStateException {
      if (version != VERSION) {
        throw new FeedStateException(
            "the state of the feed source has version "
                + version
                + ", but this program knows version "
                + VERSION
                + "; restore it with the program that wrote it");
      }
    }
  }

  /** Thrown if the state of a feed source cannot be read. */
  static final class FeedStateException extends IOException {
    private static final long serialVersionUID = 1L;

    FeedStateException(String message) {
      super(message);
    }
  }
}
