package io.latimer.pipelines.stages;

import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigSection;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.stage.StageConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Checks that the stages of a job are compatible: that each finds what it reads. */
final class StageOrder {
  /** The keys that say which text a stage reads, one for each kind of stage that has one. */
  private static final List<ConfigKey<TextChoice>> TEXTS =
      List.of(ScoreStage.OF, GrammarCheckStage.OF, PhrasesStage.OF);

  private final List<StageConfig> earlier = new ArrayList<>();

  private StageOrder() {}

  /**
   * Checks the stages of a job.
   *
   * @throws IllegalArgumentException if they are incompatible
   */
  static void check(List<StageConfig> stages) {
    StageOrder order = new StageOrder();
    for (StageConfig stage : stages) {
      order.check(stage);
      order.earlier.add(stage);
    }
  }

  private void check(StageConfig stage) {
    if (is(TranslateStage.SECTION).test(stage)) {
      requireUntranslated(stage);
    }
    if (reads(TextChoice.ALTERNATIVES).test(stage)) {
      requireAlternatives(stage, "or set `of: translation`");
    }
    if (is(RerankStage.SECTION).test(stage)) {
      checkRerank(stage);
    }
  }

  private void requireUntranslated(StageConfig stage) {
    for (StageConfig first : earlier) {
      if (is(TranslateStage.SECTION).test(first)) {
        throw new IllegalArgumentException(
            "stages: \""
                + first.name()
                + "\" and \""
                + stage.name()
                + "\" both translate, but a record has one translation, of its source; to translate"
                + " a translation, let a second job read the topic or the files of this one");
      }
    }
  }

  private void requireAlternatives(StageConfig stage, String otherwise) {
    Predicate<StageConfig> lists =
        is(TranslateStage.SECTION).and(first -> first.settings().get(TranslateStage.N_BEST) > 1);
    if (earlier.stream().noneMatch(lists)) {
      throw new IllegalArgumentException(
          "stages: \""
              + stage.name()
              + "\" reads alternatives, but no stage before it makes any; set `nbest` above 1 in a"
              + " translate stage before it, "
              + otherwise);
    }
  }

  private void checkRerank(StageConfig rerank) {
    requireAlternatives(rerank, "or leave \"" + rerank.name() + "\" out");
    requireFeature(
        rerank,
        RerankStage.LANGUAGE_WEIGHT,
        is(ScoreStage.SECTION).and(reads(TextChoice.ALTERNATIVES)),
        "score: {of: alternatives}");
    requireFeature(
        rerank,
        RerankStage.GRAMMAR_WEIGHT,
        is(GrammarCheckStage.SECTION).and(reads(TextChoice.ALTERNATIVES)),
        "grammar-check: {of: alternatives}");
    requireFeature(
        rerank,
        RerankStage.PHRASE_WEIGHT,
        is(PhrasesStage.SECTION).and(reads(TextChoice.SOURCE)),
        "phrases: {of: source}");
    boolean translated = false;
    for (StageConfig first : earlier) {
      if (reads(TextChoice.TRANSLATION).test(first)) {
        throw replaced(first, "reads", rerank, "");
      }
      if (translated && countsLatest(first)) {
        throw replaced(first, "counts", rerank, ", or set `text: source`");
      }
      translated |= is(TranslateStage.SECTION).test(first);
    }
  }

  private static IllegalArgumentException replaced(
      StageConfig reader, String reads, StageConfig rerank, String otherwise) {
    return new IllegalArgumentException(
        "stages: \""
            + reader.name()
            + "\" "
            + reads
            + " translations that \""
            + rerank.name()
            + "\" then replaces; put it after \""
            + rerank.name()
            + "\""
            + otherwise);
  }

  /** Whether it counts the translations of the stages before it, if there are any. */
  private static boolean countsLatest(StageConfig stage) {
    Settings settings = stage.settings();
    return settings.section().keys().contains(TextTableStage.TEXT)
        && settings.get(TextTableStage.TEXT) == TextTableStage.Text.LATEST;
  }

  private void requireFeature(
      StageConfig rerank,
      ConfigKey<Double> weight,
      Predicate<StageConfig> provides,
      String example) {
    double value = rerank.settings().get(weight);
    if (value != 0 && earlier.stream().noneMatch(provides)) {
      throw new IllegalArgumentException(
          "stages: \""
              + rerank.name()
              + "\" has "
              + weight.name()
              + " "
              + value
              + ", but no stage before it provides what that weighs; put a stage such as `"
              + example
              + "` before it, or set `"
              + weight.name()
              + ": 0`");
    }
  }

  private static Predicate<StageConfig> is(ConfigSection kind) {
    return stage -> stage.settings().section().equals(kind);
  }

  private static Predicate<StageConfig> reads(TextChoice text) {
    return stage -> {
      Settings settings = stage.settings();
      return TEXTS.stream()
          .anyMatch(key -> settings.section().keys().contains(key) && settings.get(key) == text);
    };
  }
}
