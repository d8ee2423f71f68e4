package io.latimer.pipelines.feed;

import java.io.InputStream;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

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
    Clock clock) {
  /** The clock and sleep, replaceable in tests. */
  record Clock(LongSupplier nanos, DoubleSupplier random, Sleep sleep) {
    /** Waits. */
    interface Sleep {
      void sleep(Duration time) throws InterruptedException;
    }

    static final Clock SYSTEM =
        new Clock(System::nanoTime, Math::random, time -> Thread.sleep(time.toMillis()));
  }

  /** Creates a context with the system clock. */
  public FeedContext(
      String name,
      String language,
      int maxRecordBytes,
      InputStream in,
      Consumer<String> warnings,
      FeedMeter meter) {
    this(name, language, maxRecordBytes, in, warnings, meter, Clock.SYSTEM);
  }

  /** The name of a feed in records. */
  String nameOr(String otherwise) {
    return name.isEmpty() ? otherwise : name;
  }
}
