package io.latimer.pipelines.feed;

import java.io.InputStream;
import java.util.function.Consumer;

/**
 * What feeds need of the program that reads them.
 *
 * @param name the feed's name in records; empty for that of its kind
 * @param language of texts whose source does not tell it, as a BCP 47 tag; may be empty
 * @param maxRecordBytes maximum length of a record, and of an event of a server
 * @param in the standard input
 * @param warnings gets one sentence for each error after which the feed goes on
 * @param meter measures what is read
 */
public record FeedContext(
    String name,
    String language,
    int maxRecordBytes,
    InputStream in,
    Consumer<String> warnings,
    FeedMeter meter,
    Backoff.Clock clock) {
  /** Makes one with the system's clock. */
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
