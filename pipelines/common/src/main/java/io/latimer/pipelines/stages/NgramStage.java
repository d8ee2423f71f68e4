package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.ngram.NgramSnapshot;
import io.latimer.operators.ngram.NgramStrategy;
import io.latimer.operators.ngram.NgramUnit;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.sink.SinkKeys;
import io.latimer.pipelines.stage.Accumulator;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stage.TableScope;
import io.latimer.pipelines.stage.TableWindows;
import io.latimer.schemas.CountedNgram;
import io.latimer.schemas.NgramTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Counts n-grams per event-time window and as running totals. */
public final class NgramStage extends TextTableStage<NgramTable> {
  private static final long serialVersionUID = 1L;

  static final ConfigKey<NgramUnit> UNIT =
      ConfigKey.of(
          "unit",
          ConfigTypes.word(NgramUnit.class),
          NgramUnit.WORDS,
          "Units of n-grams: `words`, separated by spaces, or `bytes` of UTF-8. No n-gram crosses"
              + " sentences.");
  static final ConfigKey<Integer> ORDER =
      ConfigKey.of(
          "order",
          ConfigTypes.integer(1, 8),
          2,
          "Length of the n-grams: up to 8 bytes or 5 words.");
  static final ConfigKey<Duration> WINDOW = window(Duration.ofMinutes(1));
  static final ConfigKey<Boolean> RUNNING = running("tables", true);

  static final ConfigKey<Integer> TOP =
      ConfigKey.of(
          "top",
          ConfigTypes.integer(0, 100_000),
          20,
          "Number of n-grams in a table, most frequent first. A table that is too long for a Kafka"
              + " sink lists fewer.");
  static final ConfigKey<NgramStrategy> STRATEGY =
      ConfigKey.of(
          "strategy",
          ConfigTypes.word(
              NgramStrategy.class,
              List.of(NgramStrategy.AUTO, NgramStrategy.SORT, NgramStrategy.HASH)),
          NgramStrategy.AUTO,
          "Counting strategy; `auto` selects the fastest.");

  static final ConfigSection SECTION =
      ConfigSection.of(
          "ngrams",
          "Counts n-grams per event-time window and as running totals; the sentences pass through"
              + " unchanged.",
          UNIT,
          ORDER,
          TEXT,
          WINDOW,
          SLIDE,
          ALLOWED_LATENESS,
          RUNNING,
          BY_FEED,
          TOTALS_EXPIRY,
          TOP,
          SinkKeys.TABLES,
          BATCH_BYTES,
          STRATEGY,
          StageConfig.DEVICE,
          StageConfig.NAME);

  private final NgramUnit unit;
  private final int order;
  private final NgramStrategy strategy;
  private final int top;

  NgramStage(StageConfig config, String job) {
    super(config, job, windows(config.settings()));
    Settings settings = config.settings();
    this.unit = settings.get(UNIT);
    this.order = settings.get(ORDER);
    this.strategy = settings.get(STRATEGY);
    this.top = settings.get(TOP);
  }

  /**
   * Checks settings.
   *
   * @throws OperatorException if they are inconsistent
   */
  static void check(Settings settings) {
    new NgramOptions(settings.get(UNIT), settings.get(ORDER), settings.get(STRATEGY));
    windows(settings);
    requireSinks(settings);
  }

  private static TableWindows windows(Settings settings) {
    return windows(settings, WINDOW, RUNNING);
  }

  @Override
  public Class<NgramTable> tableType() {
    return NgramTable.class;
  }

  private NgramOptions options() {
    return new NgramOptions(unit, order, strategy);
  }

  @Override
  public Accumulator accumulator() {
    return NgramAccumulator.of(options(), opened(), this::text);
  }

  @Override
  public NgramTable table(TableScope scope, byte[] counts) {
    NgramSnapshot snapshot = NgramSnapshot.fromBytes(counts);
    return NgramTable.newBuilder()
        .setJob(job())
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
        .setTop(mostFrequent(snapshot))
        .build();
  }

  private List<CountedNgram> mostFrequent(NgramSnapshot snapshot) {
    return Arrays.stream(snapshot.counts().top(top))
        .mapToObj(i -> new CountedNgram(snapshot.text(i), snapshot.counts().count(i)))
        .toList();
  }

  /**
   * Total n-grams, distinct n-grams, late sentences, and then the n-grams, each followed by its
   * count.
   */
  @Override
  List<String> columns(NgramTable table) {
    List<String> columns = new ArrayList<>();
    columns.add(Long.toString(table.getTotal()));
    columns.add(Long.toString(table.getDistinct()));
    columns.add(Long.toString(table.getLate()));
    for (CountedNgram one : table.getTop()) {
      columns.add(one.getNgram());
      columns.add(Long.toString(one.getCount()));
    }
    return columns;
  }

  @Override
  public NgramTable smaller(NgramTable table) {
    List<CountedNgram> entries = table.getTop();
    if (entries.isEmpty()) {
      throw new OperatorException(
          "the table of stage "
              + name()
              + " has no n-grams left to drop; raise the sink's property max.request.size");
    }
    return NgramTable.newBuilder(table).setTop(entries.subList(0, entries.size() / 2)).build();
  }
}
