package io.latimer.pipelines.feed;

import io.latimer.schemas.Sentence;
import io.latimer.schemas.SourcePosition;
import java.time.Instant;

/**
 * An item of a feed: a record, and how the feed's position changes once it is processed.
 *
 * @param content the record, or {@link Nothing} if only the position changes
 * @param origin where the record came from; null for {@link Nothing}
 * @param key identifies the record in the feed, so that duplicates are skipped; empty if there are
 *     none
 * @param cursor where to resume after it, in the terms of the feed; empty if that is unchanged
 */
public record FeedItem(Content content, SourcePosition origin, String key, String cursor) {
  /** The record of an item. */
  public sealed interface Content {
    /** Approximate size in memory, in bytes. */
    int weight();
  }

  /** A sentence. */
  public record Text(Sentence sentence) implements Content {
    @Override
    public int weight() {
      return 256 + 2 * sentence.getText().length();
    }
  }

  /**
   * A line of a file or of standard input; if it is too long, its first bytes, one more than a
   * record may have.
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Line(byte[] bytes) implements Content {
    @Override
    public int weight() {
      return 256 + bytes.length;
    }
  }

  /** Bytes that contain no record, and the reason. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Refused(byte[] bytes, String reason) implements Content {
    @Override
    public int weight() {
      return 256 + bytes.length;
    }
  }

  /** No record. */
  public record Nothing() implements Content {
    @Override
    public int weight() {
      return 256;
    }
  }

  /** A sentence, which is its own key. */
  static FeedItem text(Sentence sentence, String source, Instant time, String cursor) {
    return new FeedItem(
        new Text(sentence), new SourcePosition(source, -1, -1L, time), sentence.getId(), cursor);
  }

  /** Bytes that contain no record. */
  static FeedItem refused(byte[] bytes, String reason, String source, String cursor) {
    return new FeedItem(
        new Refused(bytes, reason), new SourcePosition(source, -1, -1L, Instant.now()), "", cursor);
  }

  /** A change of the position without a record. */
  static FeedItem progress(String cursor) {
    return new FeedItem(new Nothing(), null, "", cursor);
  }
}
