package io.latimer.pipelines.stages;

import io.latimer.operators.OperatorException;
import io.latimer.operators.glossary.index.GlossaryIndex;
import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.index.IndexKind;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.record.Taught;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** The kinds of stages: the only place where a stage is registered. */
public final class Stages {
  private static final List<Kind> KINDS =
      List.of(
          Kind.withIndex(
              TranslateStage.SECTION,
              TranslateStage::indexKinds,
              TranslateStage::check,
              TranslateStage::of),
          new Kind(IdentityStage.SECTION, settings -> {}, IdentityStage::new),
          Kind.withIndex(
              ScoreStage.SECTION,
              config -> Map.of("", LanguageModel.KIND),
              settings -> ConfiguredIndex.check(settings, ScoreStage.MODEL),
              ScoreStage::of),
          Kind.withIndex(
              PhrasesStage.SECTION,
              config -> Map.of("", PhraseIndex.KIND),
              settings -> ConfiguredIndex.check(settings, PhrasesStage.INDEX),
              PhrasesStage::of),
          Kind.withIndex(
              GrammarCheckStage.SECTION,
              config -> Map.of("", GrammarIndex.KIND),
              settings -> ConfiguredIndex.check(settings, GrammarCheckStage.GRAMMAR),
              GrammarCheckStage::of),
          new Kind(RerankStage.SECTION, settings -> {}, RerankStage::new),
          new Kind(
              NgramStage.SECTION,
              NgramStage::check,
              (config, job) -> new NgramStage(config, job.name())),
          new Kind(
              EstimateStage.SECTION,
              EstimateStage::check,
              (config, job) -> EstimateStage.of(config, job.name(), job.files())));

  private Stages() {}

  /**
   * The context that stages need from their job.
   *
   * @param name the job's name
   * @param files opens index files
   */
  public record Job(String name, IndexFiles files) {}

  /**
   * A kind of stage.
   *
   * @param section its keys, including {@link StageConfig#NAME} and {@link StageConfig#DEVICE}; its
   *     name is the kind's
   * @param check throws an OperatorException if settings are inconsistent
   * @param indexes the kinds of its indexes, by key of the job file; the key of the main one is
   *     empty
   * @param make creates the unopened stage from its settings, for a job
   */
  record Kind(
      ConfigSection section,
      Consumer<Settings> check,
      Function<StageConfig, Map<String, IndexKind>> indexes,
      BiFunction<StageConfig, Job, Stage> make) {
    /** A kind of stage with an index. */
    static Kind withIndex(
        ConfigSection section,
        Function<StageConfig, Map<String, IndexKind>> indexes,
        Consumer<Settings> check,
        BiFunction<StageConfig, IndexFiles, Stage> make) {
      return new Kind(section, check, indexes, (config, job) -> make.apply(config, job.files()));
    }

    /** A kind of stage without an index. */
    Kind(
        ConfigSection section, Consumer<Settings> check, BiFunction<StageConfig, Job, Stage> make) {
      this(section, check, config -> Map.of(), make);
    }

    /** A kind of stage that needs nothing from its job. */
    Kind(ConfigSection section, Consumer<Settings> check, Function<StageConfig, Stage> make) {
      this(section, check, (config, job) -> make.apply(config));
    }
  }

  /**
   * Creates a stage, unopened. Hashes its index file, unless the file is remote and the job file
   * gives its SHA-256.
   *
   * @throws io.latimer.operators.OperatorException if the index file does not match the job file
   */
  public static Stage of(StageConfig config, Job job) {
    return kind(config).make().apply(config, job);
  }

  /**
   * Creates a reference to a file with which a command may replace an index of a stage; any file
   * that a job file may name. Reads it as {@link #of} does.
   *
   * @param key of the index in the job file; empty for the main index
   * @param path a path of this machine or a URI
   * @param sha256 64 lower-case hexadecimal digits, or empty for any content
   * @throws OperatorException if the stage has no such index, or the file does not suit it
   */
  public static IndexRef newIndex(
      StageConfig stage, String key, String path, String sha256, IndexFiles files) {
    String where = "stage " + stage.name();
    Map<String, IndexKind> kinds = kind(stage).indexes().apply(stage);
    IndexKind kind = kinds.get(key);
    if (kind == null) {
      throw new OperatorException(
          where + (kinds.isEmpty() ? " has no index" : " has no index " + key + others(kinds)));
    }
    return new IndexPlace(where + ": ", "new index", path, "--sha256", sha256).ref(kind, files);
  }

  private static String others(Map<String, IndexKind> kinds) {
    List<String> keys = kinds.keySet().stream().filter(key -> !key.isEmpty()).sorted().toList();
    return keys.isEmpty()
        ? " beside its main one"
        : " beside its main one; it has " + String.join(", ", keys);
  }

  /**
   * A stage of a kind with default settings; every key of the kind must have a default.
   *
   * @param kind such as {@code identity}
   */
  public static StageConfig config(String kind) {
    return KINDS.stream()
        .filter(k -> k.section().name().equals(kind))
        .map(k -> new StageConfig(k.section().settings().build()))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown stage \"" + kind + "\""));
  }

  /**
   * Checks that stages are compatible in their order.
   *
   * @throws IllegalArgumentException if they are not
   */
  public static void checkTogether(List<StageConfig> stages) {
    StageOrder.check(stages);
  }

  /** Whether stages of a kind use a language model. */
  public static boolean scores(String kind) {
    return kind.equals(ScoreStage.SECTION.name());
  }

  public static void check(StageConfig config) {
    kind(config).check().accept(config.settings());
  }

  /**
   * What a stage learns beside one of its indexes while a job runs; empty for nothing.
   *
   * @param key of the index in the job file; empty for the main index
   */
  public static Optional<Taught> taught(StageConfig stage, String key) {
    IndexKind kind = kind(stage).indexes().apply(stage).get(key);
    boolean learns =
        key.isEmpty() ? isPhrases(stage) || isTranslate(stage) : GlossaryIndex.KIND.equals(kind);
    return learns ? Optional.of(Taught.beside(kind.id())) : Optional.empty();
  }

  /**
   * Whether pairs learned beside one of its indexes can be written to a new index file.
   *
   * @param key of the index in the job file; empty for the main index
   */
  public static boolean compacts(StageConfig stage, String key) {
    return key.isEmpty()
        && (isPhrases(stage) || (isTranslate(stage) && TranslateStage.isByPhrases(stage)));
  }

  private static boolean isPhrases(StageConfig stage) {
    return stage.settings().section().equals(PhrasesStage.SECTION);
  }

  private static boolean isTranslate(StageConfig stage) {
    return stage.settings().section().equals(TranslateStage.SECTION);
  }

  /** The folder that a stage publishes index files to; empty if it publishes none. */
  public static Optional<String> folder(StageConfig stage) {
    return stage.settings().section().equals(EstimateStage.SECTION)
        ? Optional.of(EstimateStage.folder(stage.settings()))
        : Optional.empty();
  }

  public static List<ConfigSection> sections() {
    return KINDS.stream().map(Kind::section).toList();
  }

  /** An example for documentation. */
  public static Settings example() {
    Settings.Builder settings = TranslateStage.SECTION.settings();
    return settings.set(TranslateStage.MODEL, "model.lmx").build();
  }

  private static Kind kind(StageConfig config) {
    return KINDS.stream()
        .filter(kind -> kind.section().equals(config.settings().section()))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown stage \"" + config.kind() + "\""));
  }
}
