package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.Scored;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScoreStageTest {
  private static final List<String> TEXT =
      List.of("the ship sails at dawn", "the harbour is quiet", "the ship is at the harbour");
  private static final String SHIP = "the ship is quiet";
  private static final String OTHER = "a zebra sails";

  @TempDir Path folder;
  private Path model;

  @BeforeEach
  void estimate() throws IOException {
    model = folder.resolve("model.llm");
    LanguageModels.estimate(TEXT, model);
  }

  private BatchStage stage(String options) {
    return BatchStages.read(folder, "score: {model: model.llm" + options + "}");
  }

  private List<Scored> expected(String... texts) {
    try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
      return score.apply(List.of(texts)).stream().map(Result::orElseThrow).toList();
    }
  }

  private static void assertScore(LanguageScore found, Scored expected) {
    assertThat(found.getLog10()).isEqualTo(expected.total()).isNegative();
    assertThat(found.getPerplexity()).isEqualTo(expected.perplexity()).isGreaterThan(1);
    assertThat(found.getPerplexityOfKnown()).isEqualTo(expected.perplexityOfKnown());
    assertThat(found.getWords()).isEqualTo(expected.tokens());
    assertThat(found.getUnknownWords()).isEqualTo(expected.unknown());
  }

  @Test
  void sentencesAreScoredInTheirOrderAndFailuresStayWithTheirRecords() {
    List<Envelope> batch =
        List.of(
            Records.envelope(0, SHIP),
            Records.refused(1),
            Records.envelope(2, OTHER),
            Records.envelope(3, ""));
    List<Envelope> before = new ArrayList<>();
    batch.forEach(envelope -> before.add(Envelope.newBuilder(envelope).build()));
    List<Envelope> done = BatchStages.run(stage(""), batch);
    assertThat(batch).isEqualTo(before);
    assertThat(done).hasSameSizeAs(batch);
    assertThat(done.get(1)).isEqualTo(batch.get(1));
    List<Scored> expected = expected(SHIP, OTHER, "");
    for (int i : new int[] {0, 2, 3}) {
      Translation carrier = done.get(i).getTranslation();
      assertThat(carrier.getText()).isEqualTo(batch.get(i).getSentence().getText());
      assertThat(carrier.getSource()).isEqualTo(batch.get(i).getSentence());
      LanguageScore score = carrier.getLanguageScores().get(0);
      assertScore(score, expected.get(i == 0 ? 0 : i - 1));
      assertThat(score.getStage()).isEqualTo("score");
      assertThat(score.getText()).isEqualTo("source");
      assertThat(score.getModelId()).matches("[0-9a-f]{64}");
    }
    assertThat(done.get(2).getTranslation().getLanguageScores().get(0).getUnknownWords())
        .isEqualTo(2);
    StageTiming timing = done.get(0).getTranslation().getTimings().get(0);
    assertThat(timing.getStage()).isEqualTo("score");
    assertThat(timing.getQueueNanos()).isEqualTo(1_000L);
    assertThat(timing.getBatchSize()).isEqualTo(3);
    RecordCodec<Envelope> codec = RecordCodec.of(Envelope.class);
    assertThat(done).allSatisfy(envelope -> assertThat(codec.encode(envelope)).isNotEmpty());
  }

  @Test
  void translationsAreScoredBesideTheirSources() {
    Envelope sentence = Records.envelope(0, SHIP);
    Envelope translated =
        Envelopes.with(
            sentence,
            Translation.newBuilder()
                .setSource(sentence.getSentence())
                .setTargetLanguage("de")
                .setText(OTHER)
                .setModelId("m")
                .build());
    List<Envelope> once =
        BatchStages.run(stage(", of: translation, name: fluency"), List.of(translated));
    List<Envelope> twice = BatchStages.run(stage(", of: source"), once);
    Translation got = twice.get(0).getTranslation();
    assertThat(got.getText()).isEqualTo(OTHER);
    assertThat(got.getModelId()).isEqualTo("m");
    assertThat(got.getLanguageScores())
        .extracting(score -> score.getStage() + " " + score.getText())
        .containsExactly("fluency translation", "score source");
    assertScore(got.getLanguageScores().get(0), expected(OTHER).get(0));
    assertScore(got.getLanguageScores().get(1), expected(SHIP).get(0));
  }

  @Test
  void aRecordWithoutTheTranslationThatIsAskedForIsRefused() {
    List<Envelope> done =
        BatchStages.run(
            stage(", of: translation"), List.of(Records.envelope(0, SHIP), Records.refused(1)));
    assertThat(done.get(0).getTranslation()).isNull();
    assertThat(done.get(0).getFailure().getStage()).isEqualTo("score");
    assertThat(done.get(0).getFailure().getErrorMessage()).contains("translate stage before it");
    assertThat(done.get(1).getFailure().getStage()).isEqualTo("earlier");
  }

  @Test
  void aModelThatChangedSinceTheJobWasMadeIsRefusedByName() throws IOException {
    BatchStage stage = stage("");
    try (FileChannel file = FileChannel.open(model, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), file.size() - 3);
    }
    assertThatThrownBy(() -> stage.open(Device.CPU, new ResidentIndexes()))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("model.llm");
    stage.close();
  }

  @Test
  void aJobFileMaySayWhichContentItMeansAndWhatIsNoLanguageModelIsRefused() {
    assertThat(stage("").pinned(IndexRefs.of(model))).isFalse();
    String sha256 = IndexRefs.of(model).sha256();
    assertThat(stage(", sha256: " + sha256).indexRefs()).containsExactly(IndexRefs.of(model));
    assertThatThrownBy(() -> stage(", sha256: " + "0".repeat(64)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("found " + sha256);
    Path other = Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");
    String yaml = "source: {list: {lines: []}}\nstages: [{score: {model: \"" + other + "\"}}]\n";
    assertThatThrownBy(() -> JobConfigReader.read(yaml, "job.yaml", folder).newStages())
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("expected an index of kind language-model");
  }

  @Test
  void aStageThatIsNotOpenSaysSo() {
    try (BatchStage stage = stage("")) {
      assertThatThrownBy(() -> BatchStages.apply(stage, List.of(Records.envelope(0, SHIP)), 0L))
          .isInstanceOf(OperatorException.class)
          .hasMessageContaining("not open");
    }
  }

  @Test
  void theScriptThatBuildsAMissingModelIsNamed() throws IOException {
    Path indexes = Files.createDirectory(folder.resolve("indexes"));
    Path missing = indexes.resolve("model.llm");
    assertThatThrownBy(() -> BatchStages.read(indexes, "score: {model: model.llm}"))
        .hasMessage(missing + " does not exist");
    Path script = Files.createFile(folder.resolve("build-indexes.sh"));
    assertThat(script.toFile().setExecutable(true)).isTrue();
    assertThatThrownBy(() -> BatchStages.read(indexes, "score: {model: model.llm}"))
        .isInstanceOf(IndexFormatException.class)
        .hasMessage(missing + " does not exist; run " + script + ", which builds it");
    Files.writeString(missing, "no model");
    assertThatThrownBy(() -> BatchStages.read(indexes, "score: {model: model.llm}"))
        .hasMessageNotContaining("build-indexes.sh");
  }
}
