package io.latimer.pipelines.beam;

import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.job.StageOptions;
import io.latimer.pipelines.shared.SharedConfig;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.resourcehints.ResourceHints;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;

/**
 * A stage of a Latimer job as a transform, similar to Beam's RunInference: the index is loaded once
 * per process and shared, and batches contain records of all bundles in a process.
 *
 * <p>Records keep their windows, timestamps and panes (except that results output at the end of a
 * bundle have no pane). Processed records go to {@link #SUCCESSES}; refused ones, and those that
 * came with a failure, to {@link #FAILURES}. If the stage itself fails, for example because its GPU
 * is lost, the bundle fails and the runner retries it.
 *
 * <p>Its settings are the keys of the stage in a job file, and the paths of those for batches and
 * for copies of remote index files: {@code batch.max-records}, {@code batch.max-tokens}, {@code
 * batch.max-wait}, {@code batch.max-pending}, {@code indexes.directory}. Immutable.
 *
 * @param <T> this class
 */
public abstract class StageTransform<T extends StageTransform<T>>
    extends PTransform<PCollection<Envelope>, PCollectionTuple> {
  private static final long serialVersionUID = 1L;

  /** The records that the stage processed, with what it added to them. */
  public static final TupleTag<Envelope> SUCCESSES =
      new TupleTag<>("successes") {
        private static final long serialVersionUID = 1L;
      };

  /** The records that it refused, each with the reason. */
  public static final TupleTag<DeadLetter> FAILURES =
      new TupleTag<>("failures") {
        private static final long serialVersionUID = 1L;
      };

  private final String kind;
  private final TreeMap<String, String> settings;
  private final IndexUpdates updates;

  StageTransform(String kind, Map<String, String> settings, IndexUpdates updates) {
    super(kind);
    this.kind = kind;
    this.settings = new TreeMap<>(settings);
    this.updates = updates;
  }

  /** A copy with other settings. */
  abstract T copy(Map<String, String> settings, IndexUpdates updates);

  /**
   * Sets one of the stage's settings.
   *
   * @param key as in a job file, such as {@code beam} or {@code batch.max-records}
   * @param value as in a job file, such as 4 or {@code 20ms}
   */
  public T with(String key, Object value) {
    Map<String, String> more = new TreeMap<>(settings);
    more.put(key, Objects.requireNonNull(value, key).toString());
    return copy(more, updates);
  }

  /** Sets several of the stage's settings; see {@link #with(String, Object)}. */
  public T with(Map<String, ?> values) {
    Map<String, String> more = new TreeMap<>(settings);
    values.forEach((key, value) -> more.put(key, Objects.requireNonNull(value, key).toString()));
    return copy(more, updates);
  }

  /**
   * Replaces the index by those named by a side input. Each bundle starts with the newest one and
   * keeps it until its end.
   *
   * @param paths a singleton: path of an index file, or an empty text for the current one
   */
  public T withIndexes(PCollectionView<String> paths) {
    return copy(settings, IndexUpdates.from(paths));
  }

  /**
   * Replaces the index by the newest file that matches a pattern, looked up when a bundle starts. A
   * file must be complete when it gets a matching name; Latimer's own tools ensure that.
   *
   * @param pattern of local files, such as {@code models/*.lmx}; relative to the working folder
   * @param interval minimum time between two lookups
   */
  public T watching(String pattern, Duration interval) {
    return copy(settings, IndexUpdates.watch(pattern, interval));
  }

  /** The same transform for records with keys, which are kept. */
  public <K> Keyed<K> keyed() {
    return new Keyed<>(this);
  }

  /**
   * Runs the stage on the elements of a collection.
   *
   * @param shape converts between elements and records
   * @param successes tag of processed elements
   * @param failures tag of refused elements
   * @throws io.latimer.operators.OperatorException if the index file does not match the settings
   * @throws io.latimer.pipelines.config.ConfigException if the settings are invalid
   */
  public final <I, O, F> PCollectionTuple process(
      PCollection<I> elements,
      RecordShape<I, O, F> shape,
      TupleTag<O> successes,
      TupleTag<F> failures) {
    StageOptions options = StageOptions.read(kind, settings, kind, Path.of(""));
    SharedConfig config = SharedConfig.of(options, IndexFiles.none());
    ParDo.MultiOutput<I, O> step =
        ParDo.of(new StageFn<>(config, updates, shape, successes, failures))
            .withOutputTags(successes, TupleTagList.of(failures));
    if (updates.paths() != null) {
      step = step.withSideInputs(updates.paths());
    }
    return elements.apply("Process", step.setResourceHints(hints(settings)));
  }

  /** The hints for a runner about the machine that a stage with these settings needs. */
  static ResourceHints hints(Map<String, String> settings) {
    return settings.getOrDefault(StageConfig.DEVICE.name(), "").startsWith("gpu")
        ? ResourceHints.create().withAccelerator("type:nvidia;count:1")
        : ResourceHints.create();
  }

  @Override
  public PCollectionTuple expand(PCollection<Envelope> records) {
    PCollectionTuple results = process(records, RecordShape.ENVELOPES, SUCCESSES, FAILURES);
    results.get(SUCCESSES).setCoder(RecordCoder.of(Envelope.class));
    results.get(FAILURES).setCoder(RecordCoder.of(DeadLetter.class));
    return results;
  }

  /**
   * A stage on records with keys.
   *
   * @param <K> type of the keys
   */
  public static final class Keyed<K>
      extends PTransform<PCollection<KV<K, Envelope>>, PCollectionTuple> {
    private static final long serialVersionUID = 1L;

    private final StageTransform<?> stage;
    private final TupleTag<KV<K, Envelope>> successes = new TupleTag<>("successes");
    private final TupleTag<KV<K, DeadLetter>> failures = new TupleTag<>("failures");

    private Keyed(StageTransform<?> stage) {
      super(stage.kind);
      this.stage = stage;
    }

    /** See {@link StageTransform#SUCCESSES}. */
    public TupleTag<KV<K, Envelope>> successes() {
      return successes;
    }

    /** See {@link StageTransform#FAILURES}. */
    public TupleTag<KV<K, DeadLetter>> failures() {
      return failures;
    }

    @Override
    public PCollectionTuple expand(PCollection<KV<K, Envelope>> records) {
      PCollectionTuple results = stage.process(records, RecordShape.keyed(), successes, failures);
      Coder<K> keys = ((KvCoder<K, Envelope>) records.getCoder()).getKeyCoder();
      results.get(successes).setCoder(KvCoder.of(keys, RecordCoder.of(Envelope.class)));
      results.get(failures).setCoder(KvCoder.of(keys, RecordCoder.of(DeadLetter.class)));
      return results;
    }
  }
}
