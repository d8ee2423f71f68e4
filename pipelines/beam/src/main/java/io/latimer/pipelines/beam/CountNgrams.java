package io.latimer.pipelines.beam;

import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.job.StageOptions;
import io.latimer.pipelines.stage.TableStage;
import io.latimer.pipelines.stages.Stages;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.transforms.Combine;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;

/**
 * Counts the n-grams of texts per window; the stage {@code ngrams} of a job. Windows, triggers and
 * allowed lateness are those of the collection; with accumulating panes, a later table of a window
 * has a higher revision and replaces the earlier ones. In the global window, tables are running
 * ones of all texts so far.
 *
 * <p>Each bundle counts its own records, and only the counts are shuffled. Immutable.
 */
public final class CountNgrams extends PTransform<PCollection<Envelope>, PCollectionTuple> {
  private static final long serialVersionUID = 1L;

  /** The tables. */
  public static final TupleTag<NgramTable> TABLES =
      new TupleTag<>("tables") {
        private static final long serialVersionUID = 1L;
      };

  /** The records that were not counted, each with the reason. */
  public static final TupleTag<DeadLetter> FAILURES = StageTransform.FAILURES;

  public static final String KIND = "ngrams";

  /** Settings that only jobs need, because a collection has its own windowing. */
  private static final List<String> OF_JOBS =
      List.of("window", "slide", "running", "allowed-lateness", "totals-expiry", "sinks");

  private final TreeMap<String, String> settings;

  private CountNgrams(Map<String, String> settings) {
    super(KIND);
    this.settings = new TreeMap<>(settings);
  }

  /** Creates the transform with the stage's defaults; it counts pairs of words. */
  public static CountNgrams create() {
    return new CountNgrams(Map.of());
  }

  /**
   * Sets one of the stage's settings.
   *
   * @param key as in a job file: {@code unit}, {@code order}, {@code top}, {@code text}, {@code
   *     by-feed} and others, but not those of windows
   * @param value as in a job file
   */
  public CountNgrams with(String key, Object value) {
    return with(Map.of(key, value));
  }

  /** Sets several of the stage's settings; see {@link #with(String, Object)}. */
  public CountNgrams with(Map<String, ?> values) {
    Map<String, String> more = new TreeMap<>(settings);
    values.forEach((key, value) -> more.put(key, Objects.requireNonNull(value, key).toString()));
    return new CountNgrams(more);
  }

  private TableStage<NgramTable> stage() {
    List<String> problems =
        OF_JOBS.stream()
            .filter(settings::containsKey)
            .map(key -> key + ": windows are those of the collection; apply Window before this")
            .toList();
    if (!problems.isEmpty()) {
      throw new ConfigException(KIND, problems);
    }
    StageOptions options = StageOptions.read(KIND, settings, KIND, Path.of(""));
    IndexFiles files = new IndexFiles(options.indexes(), IndexFiles.none());
    @SuppressWarnings("unchecked") // the kind of stage determines the type of the tables
    TableStage<NgramTable> stage =
        (TableStage<NgramTable>) Stages.of(options.stage(), new Stages.Job("", files));
    return stage;
  }

  @Override
  public PCollectionTuple expand(PCollection<Envelope> records) {
    TableStage<NgramTable> stage = stage();
    TupleTag<KV<String, PartialCounts>> counted = new TupleTag<>("counted");
    PCollectionTuple parts =
        records.apply(
            "Count",
            ParDo.of(new NgramFn(stage, counted))
                .withOutputTags(counted, TupleTagList.of(FAILURES))
                .setResourceHints(StageTransform.hints(settings)));
    PCollection<NgramTable> tables =
        parts
            .get(counted)
            .setCoder(KvCoder.of(StringUtf8Coder.of(), PartialCounts.CODER))
            .apply("Merge", Combine.perKey(new NgramMerge(stage)))
            .apply("Make tables", ParDo.of(new NgramTableFn(stage)))
            .setCoder(RecordCoder.of(NgramTable.class));
    return PCollectionTuple.of(TABLES, tables)
        .and(FAILURES, parts.get(FAILURES).setCoder(RecordCoder.of(DeadLetter.class)));
  }
}
