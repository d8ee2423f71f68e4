package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.ngram.NgramSnapshot;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.sink.SinkKeys;
import io.latimer.pipelines.sink.Sinks;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stage.TableScope;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.stage.TableWindows;
import io.latimer.schemas.Envelope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * The common base of stages that count the texts of records.
 *
 * @param <T> the table
 */
abstract class TextTableStage<T extends SpecificRecordBase> extends ConfiguredStage
    implements TableStage<T> {
  private static final long serialVersionUID = 1L;

  /** The text of a record to count. */
  enum Text {
    LATEST,
    SOURCE
  }

  static final ConfigKey<Text> TEXT =
      ConfigKey.of(
          "text",
          ConfigTypes.word(Text.class),
          Text.LATEST,
          "Text to count: the `latest` (the translation, if an earlier stage made one), or the"
              + " `source`.");
  static final ConfigKey<Duration> SLIDE =
      ConfigKey.of(
          "slide",
          ConfigTypes.duration(Duration.ZERO),
          Duration.ZERO,
          "Time between the starts of windows; 0 for tumbling windows.");
  static final ConfigKey<Duration> ALLOWED_LATENESS =
      ConfigKey.of(
          "allowed-lateness",
          ConfigTypes.duration(Duration.ZERO),
          Duration.ZERO,
          "How long after its end, in event time, a window accepts late sentences; its table is"
              + " then written again with a higher revision. Later sentences are counted as late,"
              + " and in running tables only.");
  static final ConfigKey<Boolean> BY_FEED =
      ConfigKey.of(
          "by-feed",
          ConfigTypes.flag(),
          false,
          "Whether each feed has its own tables. The tables of one feed, or of all feeds together,"
              + " are merged in one subtask.");
  static final ConfigKey<Duration> TOTALS_EXPIRY =
      ConfigKey.of(
          "totals-expiry",
          ConfigTypes.duration(Duration.ZERO),
          Duration.ofDays(7),
          "With `by-feed`, how long after its last window, in event time, a feed's running totals"
              + " are kept; a feed that returns later starts again. 0 for ever: then the state"
              + " grows with each feed, such as each file of a watched folder.");
  static final ConfigKey<Integer> BATCH_BYTES =
      ConfigKey.of(
          "batch-bytes",
          ConfigTypes.integer(1, 1 << 30),
          1 << 20,
          "Maximum bytes of text to count at once; sentences do not wait for it. Use at least 64"
              + " MiB on a GPU.");

  /** The key for the length of windows, with its default. */
  static ConfigKey<Duration> window(Duration fallback) {
    return ConfigKey.of(
        "window",
        ConfigTypes.duration(Duration.ofMillis(1)),
        fallback,
        "Length of the event-time windows. They start at multiples of `slide` since"
            + " 1970-01-01T00:00:00Z.");
  }

  /** The key for running tables, with their description and the default. */
  static ConfigKey<Boolean> running(String tables, boolean fallback) {
    return ConfigKey.of(
        "running",
        ConfigTypes.flag(),
        fallback,
        "Whether to also write running "
            + tables
            + " of everything since the job started, one after each window. Their counts are part"
            + " of the job's state and grow with the number of distinct n-grams.");
  }

  private final String job;
  private final Text text;
  private final TableWindows windows;
  private final boolean byFeed;
  private final int batchBytes;

  // sinks are built with the job and are not sent to tasks
  private final transient List<SinkConfig> sinks;
  private transient Device opened;

  TextTableStage(StageConfig config, String job, TableWindows windows) {
    super(config);
    Settings settings = config.settings();
    this.job = job;
    this.text = settings.get(TEXT);
    this.windows = windows;
    this.byFeed = settings.get(BY_FEED);
    this.batchBytes = settings.get(BATCH_BYTES);
    this.sinks = Sinks.ofTables(settings, name(), job);
  }

  /**
   * Creates the windows from settings.
   *
   * @throws OperatorException if they are inconsistent
   */
  static TableWindows windows(
      Settings settings, ConfigKey<Duration> window, ConfigKey<Boolean> running) {
    long size = settings.get(window).toMillis();
    long slide = settings.get(SLIDE).toMillis();
    long expiry = settings.get(TOTALS_EXPIRY).toMillis();
    return new TableWindows(
        size,
        slide == 0 ? size : slide,
        settings.get(ALLOWED_LATENESS).toMillis(),
        settings.get(running),
        settings.get(BY_FEED) && expiry > 0 ? expiry : TableWindows.NEVER);
  }

  /**
   * Refuses settings without sinks.
   *
   * @throws OperatorException if there is none
   */
  static void requireSinks(Settings settings) {
    if (settings.get(SinkKeys.TABLES).isEmpty()) {
      throw new OperatorException("its tables have no sink; add one, such as print");
    }
  }

  /** The name of the job. */
  final String job() {
    return job;
  }

  @Override
  public final List<SinkConfig> sinks() {
    return sinks;
  }

  @Override
  public final TableWindows windows() {
    return windows;
  }

  @Override
  public final String group(Envelope record) {
    return byFeed ? record.getSentence().getFeed() : "";
  }

  @Override
  public final byte[] merge(List<byte[]> counts) {
    return NgramSnapshot.merge(counts);
  }

  /** The scope of a table, from fields that the records of all tables have. */
  private static TableScope scope(SpecificRecordBase table) {
    return new TableScope(
        (String) field(table, "feed"),
        (Boolean) field(table, "running"),
        ((Instant) field(table, "start")).toEpochMilli(),
        ((Instant) field(table, "end")).toEpochMilli(),
        (Integer) field(table, "revision"),
        (Long) field(table, "sentences"),
        (Long) field(table, "late"));
  }

  private static Object field(SpecificRecordBase table, String name) {
    return table.get(table.getSchema().getField(name).pos());
  }

  /** The columns of a table's line after the common ones. */
  abstract List<String> columns(T table);

  /**
   * One tab-separated line: window or running, feed, start, end, revision, sentences, and then the
   * table's own columns.
   */
  @Override
  public final String line(T table) {
    TableScope scope = scope(table);
    List<String> line = new ArrayList<>();
    line.add(scope.running() ? "running" : "window");
    // a feed may have any name, but a table must stay on one line
    line.add(scope.group().replaceAll("\\s", " "));
    line.add(Instant.ofEpochMilli(scope.start()).toString());
    line.add(Instant.ofEpochMilli(scope.end()).toString());
    line.add(Integer.toString(scope.revision()));
    line.add(Long.toString(scope.records()));
    line.addAll(columns(table));
    return String.join("\t", line);
  }

  @Override
  public final String key(T table) {
    return name() + "/" + scope(table).group();
  }

  @Override
  public final Instant time(T table) {
    return Instant.ofEpochMilli(scope(table).end() - 1);
  }

  @Override
  public final int size(Envelope record) {
    return text(record).length();
  }

  @Override
  public final int batchBytes() {
    return batchBytes;
  }

  /** The text of a record to count. */
  final String text(Envelope record) {
    return text == Text.SOURCE || record.getTranslation() == null
        ? record.getSentence().getText()
        : record.getTranslation().getText();
  }

  @Override
  public final void open(Device device, ResidentIndexes indexes) {
    opened = device;
  }

  /** The device on which the stage was opened. */
  final Device opened() {
    return requireOpen(opened);
  }

  @Override
  public final void close() {
    opened = null;
  }
}
