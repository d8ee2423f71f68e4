package io.latimer.pipelines.feed;

import io.latimer.pipelines.config.Choice;
import io.latimer.pipelines.config.Settings;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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

  static FeedConfig config(Settings origin) {
    return config(origin, Duration.ofMinutes(10));
  }

  static FeedConfig config(Settings origin, Duration giveUp) {
    return new FeedConfig(
        FeedKeys.SECTION
            .settings()
            .set(FeedKeys.FROM, new Choice(origin))
            .set(FeedKeys.GIVE_UP, giveUp)
            .build());
  }

  private static Settings.Builder settings(String kind) {
    return FeedKeys.KINDS.stream()
        .filter(section -> section.name().equals(kind))
        .findFirst()
        .orElseThrow()
        .settings();
  }

  static Settings wikimedia(
      String url, String since, String text, Map<String, String> where, String userAgent) {
    return settings("wikimedia")
        .set(FeedKeys.Wikimedia.URL, url)
        .set(FeedKeys.Wikimedia.SINCE, since)
        .set(FeedKeys.Wikimedia.TEXT, text)
        .set(FeedKeys.Wikimedia.WHERE, where)
        .set(FeedKeys.USER_AGENT, userAgent)
        .build();
  }

  static Settings rss(String url, Duration poll, FeedKeys.EntryText text, String userAgent) {
    return settings("rss")
        .set(FeedKeys.Rss.URL, url)
        .set(FeedKeys.Rss.POLL, poll)
        .set(FeedKeys.Rss.TEXT, text)
        .set(FeedKeys.USER_AGENT, userAgent)
        .build();
  }

  static Settings bluesky(String url, String since, List<String> languages, String userAgent) {
    return settings("bluesky")
        .set(FeedKeys.Bluesky.URL, url)
        .set(FeedKeys.Bluesky.SINCE, since)
        .set(FeedKeys.Bluesky.LANGUAGES, languages)
        .set(FeedKeys.USER_AGENT, userAgent)
        .build();
  }

  static Settings captions(
      String path, boolean follow, String start, Duration maxGap, Duration maxWait) {
    return settings("captions")
        .set(FeedKeys.Captions.PATH, path)
        .set(FeedKeys.Captions.FOLLOW, follow)
        .set(FeedKeys.Captions.START, start)
        .set(FeedKeys.Captions.MAX_GAP, maxGap)
        .set(FeedKeys.Captions.MAX_WAIT, maxWait)
        .build();
  }

  static Settings lines(String path, boolean follow) {
    return settings("lines")
        .set(FeedKeys.Lines.PATH, path)
        .set(FeedKeys.Lines.FOLLOW, follow)
        .build();
  }

  static Settings stdin() {
    return settings("stdin").build();
  }

  /** Reads a number of records, or to the end; advances the position by all items. */
  List<FeedItem> read(Settings origin, FeedPosition position, int count) throws Exception {
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

  List<String> texts(Settings origin, FeedPosition position, int count) throws Exception {
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
