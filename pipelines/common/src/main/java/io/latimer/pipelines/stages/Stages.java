package io.latimer.pipelines.stages;

import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.stage.Stage;
import io.latimer.pipelines.stage.StageConfig;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** The kinds of stages: the only place where a stage is registered. */
public final class Stages {
  private static final List<Kind> KINDS =
      List.of(
          new Kind(TranslateStage.SECTION, TranslateStage::check, TranslateStage::of),
          new Kind(IdentityStage.SECTION, settings -> {}, IdentityStage::of),
          new Kind(ScoreStage.SECTION, settings -> {}, ScoreStage::of),
          new Kind(PhrasesStage.SECTION, settings -> {}, PhrasesStage::of),
          new Kind(GrammarCheckStage.SECTION, settings -> {}, GrammarCheckStage::of),
          new Kind(RerankStage.SECTION, settings -> {}, RerankStage::of),
          new Kind(NgramStage.SECTION, NgramStage::check, NgramStage::of),
          new Kind(EstimateStage.SECTION, EstimateStage::check, EstimateStage::of));

  private Stages() {}

  /**
   * A kind of stage.
   *
   * @param section its keys, including {@link StageConfig#NAME} and {@link StageConfig#DEVICE}; its
   *     name is the kind's
   * @param check throws an OperatorException if settings are inconsistent
   * @param make makes the unopened stage from its settings and the job's name
   */
  record Kind(
      ConfigSection section,
      Consumer<Settings> check,
      BiFunction<StageConfig, String, Stage> make) {
    /** A kind of stage that does not need the job's name. */
    Kind(ConfigSection section, Consumer<Settings> check, Function<StageConfig, Stage> make) {
      this(section, check, (config, job) -> make.apply(config));
    }
  }

  /**
   * Makes a stage, unopened. Reads its index file, to know its content.
   *
   * @param job name of the job
   * @throws io.latimer.operators.OperatorException if the index file is not what the job file says
   */
  public static Stage of(StageConfig config, String job) {
    return kind(config).make().apply(config, job);
  }

  /**
   * A stage of a kind with its defaults; every key of the kind must have one.
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
   * Checks that stages go together, in their order.
   *
   * @throws IllegalArgumentException where they do not
   */
  public static void checkTogether(List<StageConfig> stages) {
    StageOrder.check(stages);
  }

  public static void check(StageConfig config) {
    kind(config).check().accept(config.settings());
  }

  public static List<ConfigSection> sections() {
    return KINDS.stream().map(Kind::section).toList();
  }

  /** An example for documentation. */
  public static Settings example() {
    Settings.Builder settings = TranslateStage.SECTION.settings();
    return settings.set(TranslateStage.MODEL, TranslateStage.MODEL.example()).build();
  }

  private static Kind kind(StageConfig config) {
    return KINDS.stream()
        .filter(kind -> kind.section().equals(config.settings().section()))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown stage \"" + config.kind() + "\""));
  }
}
