package io.latimer.pipelines;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.ngram.NgramStrategy;
import io.latimer.operators.ngram.NgramUnit;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.schemas.CountedNgram;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Counts the n-grams of the sentences that pass, by windows of event time and in all. */
public final class NgramStage extends ConfiguredStage implements TableStage<NgramTable> {
  private static final long serialVersionUID = 1L;

  /** Which text of a record is counted. */
  enum Text {
    LATEST,
    SOURCE
  }

  static final ConfigKey<NgramUnit> UNIT =
      ConfigKey.of(
          "unit",
          ConfigTypes.word(NgramUnit.class),
          NgramUnit.WORDS,
          "What n-grams are made of: `words`, which are what is between spaces, or the `bytes` of"
              + " UTF-8. No n-gram goes beyond its sentence.");
  static final ConfigKey<Integer> ORDER =
      ConfigKey.of(
          "order",
          ConfigTypes.integer(1, 8),
          2,
          "Length of the n-grams: up to 8 bytes or 5 words.");
  static final ConfigKey<Text> TEXT =
      ConfigKey.of(
          "text",
          ConfigTypes.word(Text.class),
          Text.LATEST,
          "Which text is counted: the `latest`, which is the translation behind a stage that made"
              + " one, or the `source`.");
  static final ConfigKey<Duration> WINDOW =
      ConfigKey.of(
          "window",
          ConfigTypes.duration(Duration.ofMillis(1)),
          Duration.ofMinutes(1),
          "How long the windows of event time are. They begin at multiples of `slide` since"
              + " 1970-01-01T00:00:00Z.");
  static final ConfigKey<Duration> SLIDE =
      ConfigKey.of(
          "slide",
          ConfigTypes.duration(Duration.ZERO),
          Duration.ZERO,
          "After what time the next window begins; 0 for tumbling windows, one after the other.");
  static final ConfigKey<Duration> ALLOWED_LATENESS =
      ConfigKey.of(
          "allowed-lateness",
          ConfigTypes.duration(Duration.ZERO),
          Duration.ZERO,
          "How long after its end, in event time, a window takes late sentences in: its table is"
              + " then written again, with a higher revision. Later ones are counted as late, and in"
              + " the running tables alone.");
  static final ConfigKey<Boolean> RUNNING =
      ConfigKey.of(
          "running",
          ConfigTypes.flag(),
          true,
          "Whether there are running tables too, of everything since the job began, one after each"
              + " window. Their counts stay in the job's state and grow with the number of different"
              + " n-grams.");
  static final ConfigKey<Boolean> BY_FEED =
      ConfigKey.of(
          "by-feed",
          ConfigTypes.flag(),
          false,
          "Whether each feed has tables of its own. The tables of one feed, or of all together, are"
              + " merged in one subtask.");
  static final ConfigKey<Integer> TOP =
      ConfigKey.of(
          "top",
          ConfigTypes.integer(0, 100_000),
          20,
          "How many of the most frequent n-grams a table lists. A table that is too long for a Kafka"
              + " sink lists fewer.");
  static final ConfigKey<Integer> BATCH_BYTES =
      ConfigKey.of(
          "batch-bytes",
          ConfigTypes.integer(1, 1 << 30),
          1 << 20,
          "How much text is counted together, at most; sentences do not wait for it. A GPU wants 64"
              + " MiB and more.");
  static final ConfigKey<NgramStrategy> STRATEGY =
      ConfigKey.of(
          "strategy",
          ConfigTypes.word(NgramStrategy.class),
          NgramStrategy.AUTO,
          "How n-grams are counted; `auto` chooses the fastest. `v1` counts bytes up to order 4, `v2` up"
              + " to 3.");

  static final ConfigSection SECTION =
      ConfigSection.of(
          "ngrams",
          "Counts the n-grams of the sentences that pass, in windows of event time and in all, and"
              + " hands the sentences on as they are.",
          UNIT,
          ORDER,
          TEXT,
          WINDOW,
          SLIDE,
          ALLOWED_LATENESS,
          RUNNING,
          BY_FEED,
          TOP,
          JobKeys.Sinks.TABLES,
          BATCH_BYTES,
          STRATEGY,
          StageConfig.DEVICE,
          StageConfig.NAME);

  private final String job;
  private final NgramUnit unit;
  private final int order;
  private final NgramStrategy strategy;
  private final Text text;
  private final TableWindows windows;
  private final boolean byFeed;
  private final int top;
  private final int batchBytes;

  // sinks are put together where the job is, and do not travel
  private final transient List<JobConfig.Sink> sinks;
  private transient Device opened;

  private NgramStage(StageConfig config, String job) {
    super(config);
    Settings settings = config.settings();
    this.job = job;
    this.unit = settings.get(UNIT);
    this.order = settings.get(ORDER);
    this.strategy = settings.get(STRATEGY);
    this.text = settings.get(TEXT);
    this.windows = windows(settings);
    this.byFeed = settings.get(BY_FEED);
    this.top = settings.get(TOP);
    this.batchBytes = settings.get(BATCH_BYTES);
    this.sinks = Sinks.ofTables(config, job);
  }

  static NgramStage of(StageConfig config, String job) {
    return new NgramStage(config, job);
  }

  /**
   * Checks settings.
   *
   * @throws OperatorException where they do not go together
   */
  static void check(Settings settings) {
    new NgramOptions(settings.get(UNIT), settings.get(ORDER), settings.get(STRATEGY));
    windows(settings);
    if (settings.get(JobKeys.Sinks.TABLES).isEmpty()) {
      throw new OperatorException("its tables have no sink; give it one, such as print");
    }
  }

  private static TableWindows windows(Settings settings) {
    long size = settings.get(WINDOW).toMillis();
    long slide = settings.get(SLIDE).toMillis();
    return new TableWindows(
        size,
        slide == 0 ? size : slide,
        settings.get(ALLOWED_LATENESS).toMillis(),
        settings.get(RUNNING));
  }

  @Override
  public List<JobConfig.Sink> sinks() {
    return sinks;
  }

  @Override
  public TableWindows windows() {
    return windows;
  }

  @Override
  public Class<NgramTable> tableType() {
    return NgramTable.class;
  }

  @Override
  public String group(Envelope record) {
    return byFeed ? record.getSentence().getFeed() : "";
  }

  @Override
  public int size(Envelope record) {
    return text(record).length();
  }

  @Override
  public int batchBytes() {
    return batchBytes;
  }

  /** The text of a record that is counted. */
  String text(Envelope record) {
    return text == Text.SOURCE || record.getTranslation() == null
        ? record.getSentence().getText()
        : record.getTranslation().getText();
  }

  private NgramOptions options() {
    return new NgramOptions(unit, order, strategy);
  }

  @Override
  public void open(Device device, ResidentIndexes indexes) {
    opened = device;
  }

  @Override
  public Tally tally() {
    if (opened == null) {
      throw new OperatorException("stage " + name() + " is not open; open it first");
    }
    return NgramTally.of(options(), opened, this::text);
  }

  @Override
  public byte[] merge(List<byte[]> counts) {
    return NgramSnapshot.merge(counts);
  }

  @Override
  public NgramTable table(TableScope scope, byte[] counts) {
    NgramSnapshot snapshot = NgramSnapshot.fromBytes(counts);
    return NgramTable.newBuilder()
        .setJob(job)
        .setStage(name())
        .setFeed(scope.group())
        .setUnit(unit.name().toLowerCase(Locale.ROOT))
        .setOrder(order)
        .setRunning(scope.running())
        .setStart(Instant.ofEpochMilli(scope.start()))
        .setEnd(Instant.ofEpochMilli(scope.end()))
        .setRevision(scope.revision())
        .setSentences(scope.records())
        .setTotal(snapshot.counts().total())
        .setDistinct(snapshot.counts().size())
        .setLate(scope.late())
        .setTop(snapshot.top(top))
        .build();
  }

  /**
   * One line, parted by tabs: window or running, feed, start, end, revision, sentences, n-grams,
   * different n-grams, late sentences, and then the n-grams, each with its count after it.
   */
  @Override
  public String line(NgramTable table) {
    StringBuilder line = new StringBuilder();
    line.append(table.getRunning() ? "running" : "window");
    // a feed may have any name, but one line is one table
    line.append('\t').append(table.getFeed().replaceAll("\\s", " "));
    line.append('\t').append(table.getStart()).append('\t').append(table.getEnd());
    line.append('\t').append(table.getRevision()).append('\t').append(table.getSentences());
    line.append('\t').append(table.getTotal()).append('\t').append(table.getDistinct());
    line.append('\t').append(table.getLate());
    for (CountedNgram one : table.getTop()) {
      line.append('\t').append(one.getNgram()).append('\t').append(one.getCount());
    }
    return line.toString();
  }

  @Override
  public String key(NgramTable table) {
    return table.getStage() + "/" + table.getFeed();
  }

  @Override
  public Instant time(NgramTable table) {
    return table.getEnd().minusMillis(1);
  }

  @Override
  public NgramTable smaller(NgramTable table) {
    List<CountedNgram> entries = table.getTop();
    if (entries.isEmpty()) {
      throw new OperatorException(
          "the table of stage " + name() + " lists no n-grams to leave out");
    }
    return NgramTable.newBuilder(table).setTop(entries.subList(0, entries.size() / 2)).build();
  }

  @Override
  public void close() {
    opened = null;
  }
}
