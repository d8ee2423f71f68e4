package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.PublishedFiles;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.lm.estimate.Discounts;
import io.latimer.operators.lm.estimate.EstimateLm;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.lm.estimate.EstimateReport;
import io.latimer.operators.lm.estimate.LmFile;
import io.latimer.operators.lm.estimate.SmallTextException;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.operators.ngram.NgramOptions;
import io.latimer.operators.ngram.NgramSnapshot;
import io.latimer.operators.ngram.NgramUnit;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.FileErrors;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.sink.SinkKeys;
import io.latimer.pipelines.stage.Accumulator;
import io.latimer.pipelines.stage.StageConfig;
import io.latimer.pipelines.stage.TableScope;
import io.latimer.schemas.PublishedModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Estimates language models from sentences, per event-time window and of everything so far, and
 * publishes them: first the file to a folder, named by its content, then a record that refers to
 * it.
 *
 * <p>Counts merge to the same bytes in any order, and words have ids in the order of their UTF-8
 * bytes. So the same sentences give the same file, and a restarted job publishes the same files
 * again.
 */
public final class EstimateStage extends TextTableStage<PublishedModel> {
  private static final long serialVersionUID = 1L;

  /**
   * The divisor of Java's memory for the models of all tasks of the process; merging and other
   * stages need the rest.
   */
  private static final int MEMORY_PART = 4;

  static final ConfigKey<String> FOLDER =
      ConfigKey.required(
          "folder",
          ConfigTypes.path(false),
          "models",
          "Folder for the models, created if it does not exist: a path, which must be the same"
              + " folder on all task managers and readers, or a URI that the engine can write to"
              + " (`s3:`, `hdfs:` and others). Files are named by their SHA-256; the job deletes"
              + " none, `latimer index prune` does.");
  static final ConfigKey<Integer> ORDER =
      ConfigKey.of(
          "order", ConfigTypes.integer(1, 5), 3, "Length of the longest n-grams in words.");
  static final ConfigKey<List<Integer>> PRUNE =
      ConfigKey.of(
          "prune",
          ConfigTypes.list(ConfigTypes.integer(0, Integer.MAX_VALUE)),
          List.of(),
          "Counts up to which n-grams are dropped, by order from 1, such as `[0, 0, 1]`; the last"
              + " number holds for all higher orders. The first must be 0.");
  static final ConfigKey<Boolean> DISCOUNT_FALLBACK =
      ConfigKey.of(
          "discount-fallback",
          ConfigTypes.flag(),
          true,
          "Whether to use the discounts 0.5, 1 and 1.5 if a window has too little text to compute"
              + " them. If false, such a window has no model, and its record says why.");
  static final ConfigKey<LmLayout> LAYOUT =
      ConfigKey.of(
          "layout",
          ConfigTypes.word(LmLayout.class),
          LmLayout.HASH,
          "Layout of the n-grams in the files, as for `latimer lm import`.");
  static final ConfigKey<Duration> WINDOW = window(Duration.ofHours(1));
  static final ConfigKey<Boolean> RUNNING = running("models", false);

  static final ConfigSection SECTION =
      ConfigSection.of(
          "estimate",
          "Estimates language models per event-time window, as `latimer lm estimate` does. Each is"
              + " published as a file and a `PublishedModel` record that refers to it; the"
              + " sentences pass through unchanged. A record's text is one sentence; `<s>`,"
              + " `</s>` and `<unk>` in it are ignored.",
          FOLDER,
          ORDER,
          PRUNE,
          DISCOUNT_FALLBACK,
          LAYOUT,
          TEXT,
          WINDOW,
          SLIDE,
          ALLOWED_LATENESS,
          RUNNING,
          BY_FEED,
          TOTALS_EXPIRY,
          SinkKeys.TABLES,
          BATCH_BYTES,
          StageConfig.DEVICE,
          StageConfig.NAME);

  private final String folder;
  private final IndexFiles files;
  private final int order;
  private final List<Integer> prune;
  private final boolean fallback;
  private final LmLayout layout;
  private transient int tasks;

  private EstimateStage(StageConfig config, String job, IndexFiles files) {
    super(config, job, windows(config.settings(), WINDOW, RUNNING));
    Settings settings = config.settings();
    this.folder = folder(settings);
    this.files = files;
    this.order = settings.get(ORDER);
    this.prune = List.copyOf(settings.get(PRUNE));
    this.fallback = settings.get(DISCOUNT_FALLBACK);
    this.layout = settings.get(LAYOUT);
  }

  static EstimateStage of(StageConfig config, String job, IndexFiles files) {
    return new EstimateStage(config, job, files);
  }

  /**
   * Checks settings.
   *
   * @throws OperatorException if they are inconsistent
   */
  static void check(Settings settings) {
    NgramOptions.of(NgramUnit.WORDS, settings.get(ORDER));
    options(settings.get(ORDER), settings.get(PRUNE), settings.get(DISCOUNT_FALLBACK), 1);
    windows(settings, WINDOW, RUNNING);
    folder(settings);
    requireSinks(settings);
  }

  static String folder(Settings settings) {
    try {
      return IndexFiles.folder(settings.get(FOLDER));
    } catch (IllegalArgumentException e) {
      throw new OperatorException("folder: " + e.getMessage(), e);
    }
  }

  private static EstimateOptions options(
      int order, List<Integer> prune, boolean fallback, int tasks) {
    long memory = Runtime.getRuntime().maxMemory() / MEMORY_PART / tasks;
    EstimateOptions options =
        EstimateOptions.of(order)
            .withPrune(prune.stream().map(Integer::longValue).toList())
            .withMemory(Math.max(EstimateOptions.MIN_MEMORY, memory));
    return fallback ? options.withFallback(Discounts.FALLBACK) : options;
  }

  @Override
  public Class<PublishedModel> tableType() {
    return PublishedModel.class;
  }

  @Override
  public Accumulator accumulator() {
    return NgramAccumulator.ofSentences(order, opened(), this::text);
  }

  /** Estimating and writing a model takes up to minutes. */
  @Override
  public boolean isSlow() {
    return true;
  }

  @Override
  public void shareMemory(int tasks) {
    this.tasks = tasks;
  }

  /** Estimates a model and publishes its file; the record goes to the sinks. */
  @Override
  public PublishedModel table(TableScope scope, byte[] counts) {
    NgramSnapshot snapshot = NgramSnapshot.fromBytes(counts);
    WordIds words = EstimateLm.dictionary();
    int[] ids = new int[snapshot.words().size()];
    for (int i = 0; i < ids.length; i++) {
      byte[] word = snapshot.words().get(i);
      ids[i] = words.id(word, 0, word.length);
    }
    NgramCounts named = snapshot.counts().withIds(ids);
    Instant end = Instant.ofEpochMilli(scope.end());
    PublishedModel.Builder model =
        PublishedModel.newBuilder()
            .setJob(job())
            .setStage(name())
            .setFeed(scope.group())
            .setRunning(scope.running())
            .setStart(Instant.ofEpochMilli(scope.start()))
            .setEnd(end)
            .setRevision(scope.revision())
            .setSentences(scope.records())
            // each sentence has one n-gram more than words, for its end
            .setWords(named.total() - scope.records())
            .setLate(scope.late())
            .setOrder(order);
    try {
      publish(model, scope, new LmCounts(named, words));
    } catch (SmallTextException e) {
      model.setProblem(e.getMessage());
    }
    return model.build();
  }

  /** The data from which a model is estimated. */
  private record LmCounts(NgramCounts ngrams, WordIds words) {}

  private void publish(PublishedModel.Builder model, TableScope scope, LmCounts counts) {
    String version = Instant.ofEpochMilli(scope.end()).toString();
    LmFile[] written = new LmFile[1];
    IndexRef ref;
    try {
      if (IndexFiles.isLocalFolder(folder)) {
        Files.createDirectories(Path.of(folder));
      }
      ref =
          files.publish(
              folder,
              ".llm",
              writer(scope),
              ResidentIndexes.process()::holds,
              file -> written[0] = write(counts, file, version));
    } catch (IOException e) {
      throw new OperatorException(
          "a language model cannot be written to " + folder + ": " + FileErrors.reason(e), e);
    }
    List<Long> ngrams = new ArrayList<>();
    List<Integer> fallbacks = new ArrayList<>();
    for (EstimateReport.Order one : written[0].estimate().orders()) {
      ngrams.add(one.kept());
      if (one.fallback()) {
        fallbacks.add(ngrams.size());
      }
    }
    model
        .setNgrams(ngrams)
        .setFallbackOrders(fallbacks)
        .setKind(ref.kind())
        .setUri(ref.uri().toString())
        .setSha256(ref.sha256())
        .setVersion(ref.version())
        .setFileBytes(written[0].bytes());
  }

  private LmFile write(LmCounts counts, Path file, String version) throws IOException {
    EstimateOptions options = options(order, prune, fallback, Math.max(1, tasks));
    return LmFile.write(counts.ngrams(), counts.words(), options, layout, file, version);
  }

  /** The writer name for a feed's tables, which one subtask makes one after the other. */
  private String writer(TableScope scope) {
    return PublishedFiles.writer(
        job() + "\n" + name() + "\n" + scope.group() + "\n" + scope.running());
  }

  /**
   * Words, late sentences, order, SHA-256, length and URI of the file, and the reason if there is
   * none.
   */
  @Override
  List<String> columns(PublishedModel model) {
    return List.of(
        Long.toString(model.getWords()),
        Long.toString(model.getLate()),
        Integer.toString(model.getOrder()),
        model.getSha256(),
        Long.toString(model.getFileBytes()),
        model.getUri(),
        model.getProblem());
  }

  @Override
  public PublishedModel smaller(PublishedModel model) {
    throw new OperatorException(
        "the record of a model of stage "
            + name()
            + " cannot be made smaller; raise the sink's property max.request.size");
  }
}
