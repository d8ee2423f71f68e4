package io.latimer.pipelines.feed;

import java.io.InputStream;
import java.util.function.Consumer;

/**
 * The environment in which a feed is read.
 *
 * @param name the feed's name in records; empty for that of its kind
 * @param language of texts whose source does not state it, as a BCP 47 tag; may be empty
 * @param maxRecordBytes maximum length of a record, and of an event of a server
 * @param in the standard input
 * @param warnings receives one sentence for each error after which the feed continues
 * @param meter receives the metrics of the feed
 */
public record FeedContext(
    String name,
    String language,
    int maxRecordBytes,
    InputStream in,
    Consumer<String> warnings,
    FeedMeter meter,
    Backoff.Clock clock) {
  /** Creates a context with the system clock. */
  public FeedContext(
      String name,
      String language,
      int maxRecordBytes,
      InputStream in,
      Consumer<String> warnings,
      FeedMeter meter) {
    this(name, language, maxRecordBytes, in, warnings, meter, Backoff.Clock.SYSTEM);
  }

  /** The name of a feed in records. */
  String nameOr(String otherwise) {
    return name.isEmpty() ? otherwise : name;
  }
}
