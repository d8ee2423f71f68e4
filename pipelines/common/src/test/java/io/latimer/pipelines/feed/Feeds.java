package io.latimer.pipelines.feed;

import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the tests of feeds need: a context whose waiting is recorded, whose time passes only as
 * tests say, and which counts what is read; and texts of items.
 */
final class Feeds implements FeedMeter {
  final List<String> warnings = Collections.synchronizedList(new ArrayList<>());
  final List<Duration> waits = Collections.synchronizedList(new ArrayList<>());
  private final int maxRecordBytes;
  private volatile long nanos;
  final AtomicLong items = new AtomicLong();
  final AtomicLong bytes = new AtomicLong();
  final AtomicLong retries = new AtomicLong();
  volatile Instant time;
  InputStream in = InputStream.nullInputStream();

  /** Done instead of waiting. */
  private volatile Runnable onWait = () -> {};

  Feeds() {
    this(1 << 16);
  }

  Feeds(int maxRecordBytes) {
    this.maxRecordBytes = maxRecordBytes;
  }

  void onWait(Runnable action) {
    onWait = action;
  }

  FeedContext context() {
    return new FeedContext(
        "",
        "en",
        maxRecordBytes,
        in,
        warnings::add,
        this,
        new FeedContext.Clock(() -> nanos, () -> 0, this::sleep));
  }

  @Override
  public void item() {
    items.incrementAndGet();
  }

  @Override
  public void time(Instant last) {
    time = last;
  }

  @Override
  public void bytes(long count) {
    bytes.addAndGet(count);
  }

  @Override
  public void retry() {
    retries.incrementAndGet();
  }

  /** Lets time pass. */
  synchronized void pass(Duration time) {
    nanos += time.toNanos();
  }

  private void sleep(Duration time) throws InterruptedException {
    waits.add(time);
    pass(time);
    onWait.run();
    Thread.sleep(1); // interruptible, and no busy loop
  }

  static FeedConfig config(FeedOrigin origin) {
    return new FeedConfig(origin, Duration.ofMinutes(10));
  }

  /** Reads a number of records, or to the end; advances the position by all items. */
  List<FeedItem> read(FeedOrigin origin, FeedPosition position, int count) throws Exception {
    List<FeedItem> items = new ArrayList<>();
    try (Feed feed = config(origin).open(position, context())) {
      while (items.size() < count) {
        FeedItem item = feed.next();
        if (item == null) {
          break;
        }
        position.advance(item);
        if (!(item.content() instanceof FeedItem.Nothing)) {
          items.add(item);
        }
      }
    }
    return items;
  }

  List<String> texts(FeedOrigin origin, FeedPosition position, int count) throws Exception {
    return read(origin, position, count).stream().map(Feeds::text).toList();
  }

  static String text(FeedItem item) {
    if (item.content() instanceof FeedItem.Text text) {
      return text.sentence().getText();
    }
    if (item.content() instanceof FeedItem.Line line) {
      return new String(line.bytes(), java.nio.charset.StandardCharsets.UTF_8);
    }
    return "refused: " + ((FeedItem.Refused) item.content()).reason();
  }

  /** The position as it comes back from a state or a file. */
  static FeedPosition stored(FeedPosition position) throws Exception {
    return FeedPosition.of(position.toBytes());
  }
}
