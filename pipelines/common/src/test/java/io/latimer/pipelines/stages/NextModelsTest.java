package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.nmt.convert.huggingface.TinyFolders;
import io.latimer.operators.nmt.model.QualityFeature;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.quality.QualityModel;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The example model, followed by copies of it that say of each translation that it is right, or
 * that it is wrong.
 */
class NextModelsTest {
  private static final String GOOD = "Good morning.";
  private static final String FRENCH = "Bonjour tout le monde, comment allez-vous aujourd'hui ?";

  @TempDir private static Path folder;

  @BeforeAll
  static void models() throws IOException {
    Files.copy(ShippedModel.path(), folder.resolve("first.lmx"));
    copy("sure.lmx", 5);
    copy("never.lmx", -30);
  }

  /** A copy whose translations all have the quality 1 / (1 + exp(-bias)). */
  private static void copy(String name, double bias) {
    try (IndexFile file = IndexFile.open(ShippedModel.path())) {
      QualityModel<QualityFeature> judge = new QualityModel<>(50, 1, bias, List.of());
      TranslationModel.writeWithQuality(file, judge, folder.resolve(name));
    }
  }

  private static String id(String name) {
    try (IndexFile file = IndexFile.open(folder.resolve(name))) {
      return file.contentId();
    }
  }

  private static BatchStage stage(String options) {
    return BatchStages.read(folder, "translate: {beam: 1, model: " + options + "}");
  }

  private static List<Translation> translated(BatchStage stage, String... texts) {
    List<Envelope> batch = new ArrayList<>();
    for (String text : texts) {
      batch.add(Records.envelope(batch.size(), text));
    }
    return BatchStages.runAll(stage, batch).stream().map(Envelope::getTranslation).toList();
  }

  @Test
  void doubtfulTranslationsGoToTheNextModel() {
    List<Translation> done = translated(stage("first.lmx, then: [sure.lmx]"), FRENCH, GOOD, "7");
    assertThat(done)
        .extracting(Translation::getModelId)
        .containsExactly(id("sure.lmx"), id("first.lmx"), id("first.lmx"));
    assertThat(done.get(0).getQuality()).isGreaterThan(0.99);
    assertThat(done.get(1).getText()).isEqualTo("Guten Morgen.");
    assertThat(done.get(1).getQuality()).isBetween(0.5, 0.99);
    assertThat(done.get(2).getQuality()).isNull();
  }

  @Test
  void theBestTranslationOfAListIsTaken() {
    assertThat(translated(stage("first.lmx, then: [never.lmx]"), FRENCH).get(0).getModelId())
        .isEqualTo(id("first.lmx"));
    assertThat(
            translated(stage("first.lmx, then: [never.lmx, sure.lmx]"), FRENCH).get(0).getModelId())
        .isEqualTo(id("sure.lmx"));
    List<Translation> all =
        translated(stage("never.lmx, then: [first.lmx, sure.lmx], min-quality: 0"), FRENCH, GOOD);
    assertThat(all).extracting(Translation::getModelId).containsOnly(id("never.lmx"));
    all = translated(stage("never.lmx, then: [first.lmx, sure.lmx]"), FRENCH, GOOD);
    assertThat(all)
        .extracting(Translation::getModelId)
        .containsExactly(id("sure.lmx"), id("first.lmx"));
  }

  @Test
  void whatWasTaughtStaysWhicheverModelTranslatesTheRest() {
    LearningStage stage = (LearningStage) stage("first.lmx, then: [sure.lmx]");
    LearnedPairs learned =
        LearnedPairs.none().with(List.of(LearnedPair.ofTexts("c1", 7, "Bonjour.", "Moin moin.")));
    BatchStage taught = stage.on(stage.index().orElseThrow(), learned);
    List<Translation> done = translated(taught, "Bonjour.", "Bonjour. " + FRENCH);
    LearnedFrom correction = new LearnedFrom("c1", Instant.ofEpochMilli(7));
    assertThat(done.get(0).getText()).isEqualTo("Moin moin.");
    assertThat(done.get(0).getModelId()).isEqualTo(id("first.lmx"));
    assertThat(done.get(1).getText()).startsWith("Moin moin. ");
    assertThat(done.get(1).getModelId()).isEqualTo(id("sure.lmx"));
    assertThat(done)
        .allSatisfy(one -> assertThat(one.getCorrections()).containsExactly(correction));
  }

  @Test
  void aNextModelIsReplaced() {
    BatchStage stage = stage("first.lmx, then: [never.lmx, never.lmx]");
    assertThat(stage.indexes()).containsOnlyKeys("translate", "translate.then", "translate.then-2");
    IndexVersion sure = IndexVersion.of(IndexRefs.of(folder.resolve("sure.lmx")));
    assertThat(translated(stage.on("translate.then-2", sure), FRENCH).get(0).getModelId())
        .isEqualTo(id("sure.lmx"));
  }

  @Test
  void aModelThatDoesNotJudgeHasNoNextModel() throws IOException {
    TinyFolders.nllb(Files.createDirectory(folder.resolve("nllb")), false);
    String languages = ", source-language: eng_Latn, target-language: de";
    assertThatThrownBy(() -> translated(stage("nllb, then: [first.lmx]" + languages), GOOD))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("does not judge its translations")
        .hasMessageContaining("train-quality");
    assertThatThrownBy(
            () ->
                translated(
                    stage("first.lmx, then: [nllb], source-language: fr, target-language: de"),
                    GOOD))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("from \"en\" to \"de\"")
        .hasMessageContaining("need the same languages");
    assertThat(translated(stage("first.lmx, then: [nllb]" + languages), FRENCH).get(0).getQuality())
        .as("the translation of a last model that does not judge is taken")
        .isNull();
  }

  @Test
  void settingsThatDoNotFitAreRefused() {
    assertRefused("first.lmx, min-quality: 0.7", "min-quality: is a setting of then");
    assertRefused("first.lmx, then: [sure.lmx], scores: false", "scores: needed to judge");
    assertRefused(
        "first.lmx, then: [sure.lmx], then-sha256: ['', '']",
        "then-sha256: 2 for 1 files of then; give one for each");
    assertRefused(
        "first.lmx, then: ['https://example.com/a.lmx']", "then: https://example.com/a.lmx needs");
    String wrong = "f".repeat(64);
    assertThatThrownBy(
            () -> stage("first.lmx, then: [sure.lmx], then-sha256: ['" + wrong + "']").indexRefs())
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("sure.lmx has other content")
        .hasMessageContaining("correct then-sha256");
  }

  private static void assertRefused(String options, String message) {
    assertThatThrownBy(() -> stage(options))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }
}
