package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.PublishedFiles;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PhraseTranslateStageTest {
  private static final ParallelText TEXT =
      ParallelText.of(
          "the house is small . ||| das haus ist klein . ||| 0-0 1-1 2-2 3-3 4-4",
          "the house is big . ||| das haus ist groß . ||| 0-0 1-1 2-2 3-3 4-4",
          "the mouse ||| die maus ||| 0-0 1-1",
          "is it small ? ||| ist es klein ? ||| 0-0 1-1 2-2 3-3");

  private static final String HOUSE = "The house is small.";
  private static final String FLUX = "The flux capacitor is big.";

  @TempDir private Path folder;
  private Path index;
  private Path model;

  @BeforeEach
  void build() throws IOException {
    index = TEXT.index(folder, "index.lpx");
    model = folder.resolve("model.llm");
    LanguageModels.estimate(
        TEXT.pairs().stream().map(pair -> String.join(" ", pair.target())).toList(), model);
  }

  private BatchStage stage(String options) {
    return read("phrases: index.lpx, language-model: model.llm, target-language: de" + options);
  }

  private BatchStage read(String settings) {
    return BatchStages.read(folder, "translate: {" + settings + "}");
  }

  /** Opens a stage, applies it to texts and closes it. */
  private static List<Envelope> run(BatchStage stage, String... texts) {
    return BatchStages.runAll(
        stage,
        IntStream.range(0, texts.length).mapToObj(i -> Records.envelope(i, texts[i])).toList());
  }

  private static String text(BatchStage stage, String text) {
    return run(stage, text).get(0).getTranslation().getText();
  }

  @Test
  void recordsHaveTheTranslationAndWhatItWasMadeWith() {
    List<Envelope> done = run(stage(""), HOUSE, "x".repeat(200_000), "");
    Translation good = done.get(0).getTranslation();
    assertThat(good.getText()).isEqualTo("Das haus ist klein.");
    assertThat(good.getTargetLanguage()).isEqualTo("de");
    assertThat(good.getScore()).isNotNull().isEqualTo(good.getNormalizedScore());
    assertThat(good.getNBest()).isEmpty();
    assertThat(good.getAlignment()).isNull();
    assertThat(good.getModelId()).matches("[0-9a-f]{64}");
    assertThat(good.getLanguageModelId()).matches("[0-9a-f]{64}").isNotEqualTo(good.getModelId());
    assertThat(good.getLearnedPairs()).isZero();
    assertThat(good.getTimings())
        .extracting(StageTiming::getStage)
        .containsExactly("translate", "translate/prepare", "translate/decode", "translate/restore");
    assertThat(done.get(1).getFailure().getStage()).isEqualTo("translate");
    assertThat(done.get(2).getTranslation().getText()).isEmpty();
  }

  @Test
  void whatIsAskedForIsGiven() {
    Translation found =
        run(stage(", nbest: 3, alignment: true, scores: false"), HOUSE).get(0).getTranslation();
    assertThat(found.getScore()).isNull();
    assertThat(found.getNBest()).hasSize(3);
    assertThat(found.getNBest().get(0).getText()).isEqualTo(found.getText());
    assertThat(found.getNBest()).extracting(Alternative::getAlignment).doesNotContainNull();
    assertThat(found.getAlignment()).hasSize(5);
    assertThat(text(stage(", split-sentences: no"), "Is it small? The house is big."))
        .isEqualTo("Ist es klein? das haus ist groß.");
    assertThat(text(stage(", casing: keep, tokenizer: none"), "The mouse. the mouse"))
        .isEqualTo("The mouse. die maus");
    assertThat(text(stage(", distortion-limit: 0"), "Small mouse")).isEqualTo("Klein maus");
    assertThat(
            run(read("phrases: index.lpx, language-model: model.llm"), HOUSE)
                .get(0)
                .getTranslation())
        .extracting(Translation::getTargetLanguage)
        .isEqualTo("und");
  }

  @Test
  void theLanguageModelMayHaveADeviceOfItsOwn() {
    assertThat(text(stage(", language-model-device: cpu"), HOUSE)).isEqualTo("Das haus ist klein.");
    BatchStage missing = stage(", language-model-device: 'gpu:99'"); // there may be one elsewhere
    assertThatThrownBy(() -> run(missing, HOUSE))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("device gpu:99");
  }

  @Test
  void weightsAreReadWhereTheStageIsMade() throws IOException {
    Path weights = Files.writeString(folder.resolve("weights.yaml"), "language-model: 0.125\n");
    BatchStage other = stage(", weights: weights.yaml");
    Files.delete(weights);
    double usual = run(stage(""), HOUSE).get(0).getTranslation().getScore();
    assertThat(run(other, HOUSE).get(0).getTranslation().getScore()).isNotEqualTo(usual);
    assertThatThrownBy(() -> stage(", weights: weights.yaml"))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("weights.yaml cannot be read: no such file");
    assertThatThrownBy(() -> stage(", weights: 's3://bucket/w.yaml'"))
        .isInstanceOf(OperatorException.class)
        .hasMessage("weights: s3://bucket/w.yaml is not a local file; give a path");
  }

  private static Double quality(BatchStage stage, String text) {
    return run(stage, text).get(0).getTranslation().getQuality();
  }

  @Test
  void theJudgeOfTheWeightsGivesRecordsTheirQuality() throws IOException {
    Double sure = quality(stage(""), HOUSE);
    Double unsure = quality(stage(""), "The flux zork blip.");
    assertThat(sure).isStrictlyBetween(0.0, 1.0).isGreaterThan(unsure);
    assertThat(quality(stage(""), HOUSE + " The flux zork blip. " + HOUSE)).isEqualTo(unsure);
    assertThat(quality(stage(""), "")).isNull();
    assertThat(quality(stage(", scores: false"), HOUSE)).isNull();
    Files.writeString(folder.resolve("unjudged.yaml"), "words: 0.87\n");
    BatchStage unjudged = stage(", weights: unjudged.yaml");
    assertThat(quality(unjudged, HOUSE)).isNull();
    assertThat(unjudged.readSettings())
        .as("stages with other judges are not shared")
        .isNotEqualTo(stage("").readSettings());
    Files.writeString(
        folder.resolve("judged.yaml"),
        "quality: {right-from: 50, sentences: 20, bias: 0, terms: {}}\n");
    assertThat(quality(stage(", weights: judged.yaml"), HOUSE)).isEqualTo(0.5);
    Files.writeString(folder.resolve("wrong.yaml"), "quality: {right-from: 50}\n");
    assertThatThrownBy(() -> stage(", weights: wrong.yaml"))
        .isInstanceOf(OperatorException.class)
        .hasMessageEndingWith("wrong.yaml, line 1: quality.sentences is missing; add it");
  }

  @Test
  void itsIndexesAreThePhrasesAndTheLanguageModel() throws IOException {
    BatchStage stage = stage("");
    assertThat(stage.indexRefs()).containsExactly(IndexRefs.of(index), IndexRefs.of(model));
    assertThat(stage.index()).contains(IndexRefs.of(index));
    IndexRef other = IndexRefs.of(TEXT.part(2, 4).index(folder, "other.lpx"));
    BatchStage swapped = stage.on(other);
    assertThat(swapped.indexRefs()).containsExactly(other, IndexRefs.of(model));
    assertThat(text(swapped, "The mouse is small.")).isEqualTo("Die maus ist klein.");
    assertThat(text(swapped, HOUSE)).contains("house");
    IndexRef moved = IndexRefs.of(Files.copy(model, folder.resolve("moved.llm")));
    assertThat(stage.on("translate.language-model", IndexVersion.of(moved)).indexRefs())
        .containsExactly(IndexRefs.of(index), moved);
    assertThatThrownBy(() -> stage.on(IndexRefs.of(model)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("expected an index of kind phrase-index, found language-model");
  }

  @Test
  void aFileMaySayWhichContentsItMeans() {
    IndexRef phrases = IndexRefs.of(index);
    IndexRef language = IndexRefs.of(model);
    assertThat(stage("").pinned(phrases)).isFalse();
    BatchStage one = stage(", sha256: " + phrases.sha256());
    assertThat(one.pinned(phrases)).isTrue();
    assertThat(one.pinned(language)).isFalse();
    assertThat(stage(", language-model-sha256: " + language.sha256()).pinned(language)).isTrue();
    assertThatThrownBy(() -> stage(", language-model-sha256: " + "0".repeat(64)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("model.llm has other content: expected SHA-256")
        .hasMessageEndingWith("or correct language-model-sha256");
  }

  @Test
  void itLearnsRawTexts() {
    LearningStage stage = (LearningStage) stage(", source-language: en");
    try (stage) {
      stage.open(Device.CPU, new ResidentIndexes());
      LearnedPair raw = LearnedPair.ofTexts("c", 7, FLUX, "Der Fluxkompensator ist GROSS.");
      LearnedPair aligned = stage.align(stage.prepare(raw));
      assertThat(aligned.source()).isEqualTo("the flux capacitor is big .");
      assertThat(aligned.target()).isEqualTo("der fluxkompensator ist gross .");
      assertThat(aligned.alignment()).contains("3-2");
      LearnedPairs learned = LearnedPairs.none().with(List.of(aligned));
      BatchStage taught = stage.on(stage.indexRefs().get(0), learned);
      Translation found = run(taught, FLUX).get(0).getTranslation();
      assertThat(found.getText()).isEqualTo("Der Fluxkompensator ist GROSS.");
      assertThat(found.getLearnedPairs()).isEqualTo(1);
      assertThat(found.getMemorySentences()).isEqualTo(1);
      assertThat(found.getQuality()).as("what is taught is not judged").isNull();
      assertThat(found.getCorrections())
          .containsExactly(new LearnedFrom("c", Instant.ofEpochMilli(7)));
      Translation other = run(taught, "We see " + FLUX).get(0).getTranslation();
      assertThat(other.getText()).contains("fluxkompensator");
      assertThat(other.getCorrections()).isEmpty(); // only a phrase was learned
    }
    assertThat(text(stage, FLUX)).contains("flux capacitor");
  }

  @Test
  void whatItLearnedBecomesPartOfAnIndexFile() throws IOException {
    LearnedPairs learned =
        ParallelText.of("the flux capacitor ||| der fluxkompensator ||| 0-0 1-1 2-1").learned(0);
    LearningStage stage = (LearningStage) stage("");
    LearningStage taught = stage.on(stage.indexRefs().get(0), learned);
    Path made = Files.createDirectory(folder.resolve("made"));
    IndexRef compacted;
    try (taught) {
      taught.open(Device.CPU, new ResidentIndexes());
      compacted = taught.compact(made.toString(), "1", BuildProgress.NONE);
    }
    assertThat(PublishedFiles.unnamed(made, "1")).doesNotExist();
    assertThat(text(stage.on(compacted), FLUX)).endsWith(" fluxkompensator ist groß.");
  }

  @Test
  void aStageTravelsToItsTasks() throws IOException, ClassNotFoundException {
    BatchStage stage = stage(", stack: 7");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(stage);
    }
    BatchStage arrived;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      arrived = (BatchStage) in.readObject();
    }
    assertThat(arrived.indexRefs()).isEqualTo(stage.indexRefs());
    assertThat(text(arrived, HOUSE)).isEqualTo("Das haus ist klein.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "|model: required, or phrases and language-model to translate by phrases",
        "phrases: index.lpx|language-model: required to translate by phrases; name a language model"
            + " of the target language",
        "'phrases: index.lpx, language-model: model.llm, model: m.lmx'|model and phrases: a stage"
            + " translates with one of them; remove the other",
        "'phrases: index.lpx, language-model: model.llm, beam: 3'|beam: is a setting of neural"
            + " models; remove it, or set model",
        "'phrases: index.lpx, language-model: model.llm, language-model-device: tpu'|expected cpu,"
            + " auto, gpu, gpu:N, or empty",
        "'model: m.lmx, language-model-device: cpu'|language-model-device: is a setting of phrases;"
            + " remove it, or set phrases",
        "'model: m.lmx, stack: 3'|stack: is a setting of phrases; remove it, or set phrases",
        "'phrases: index.lpx, language-model: \"http://h/m.llm\"'|language-model: http://h/m.llm"
            + " needs language-model-sha256, because",
        "'phrases: \"http://h/x.lpx\", language-model: model.llm'|phrases: http://h/x.lpx needs"
            + " sha256, because",
      })
  void settingsThatDoNotGoTogetherAreRefused(String settings, String message) {
    assertThatThrownBy(() -> read(settings == null ? "" : settings))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
    assertThat(read("model: '', phrases: index.lpx, language-model: model.llm, beam: 0").index())
        .contains(IndexRefs.of(index)); // settings that are spelled out with their defaults
  }
}
