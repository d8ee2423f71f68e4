package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.CheckGrammar;
import io.latimer.operators.grammar.GrammarFiles;
import io.latimer.operators.grammar.GrammarOptions;
import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.Scored;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.schemas.AlignmentPoint;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.GrammarCheck;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stage alone on lists made by hand, and behind those that read the example model's lists. */
class RerankStageTest {
  private static final Path EXAMPLES = Path.of(System.getProperty("latimer.root"), "examples");
  private static final Path MODEL = EXAMPLES.resolve("models/tatoeba-en-de.lmx");

  private static final String[] GRAMMAR = {
    "start S",
    "v S",
    "v N",
    "v V",
    "b S N V",
    "t N Ihr",
    "t N Zimmer",
    "t V bereit.",
    "t V ist",
    "b N N N",
    "b V V V"
  };

  @TempDir Path folder;

  /** Makes a model of a text that addresses everybody formally. */
  private Path estimate() throws IOException {
    Path model = folder.resolve("formal.llm");
    LanguageModels.estimate(Files.readAllLines(EXAMPLES.resolve("corpora/front-desk.de")), model);
    return model;
  }

  private List<BatchStage> stages(String... stages) {
    String translate = "translate: {model: " + MODEL + ", nbest: 8, beam: 8}";
    String yaml =
        "source: {list: {lines: []}}\nstages: [{%s}, {%s}]\n"
            .formatted(translate, String.join("}, {", stages));
    return JobConfigReader.read(yaml, "job.yaml", folder).newStages().stream()
        .map(BatchStage.class::cast)
        .toList();
  }

  private BatchStage rerank(String options) {
    List<BatchStage> stages = stages("rerank: {" + options + "}");
    return stages.get(stages.size() - 1);
  }

  private static Alternative entry(String text, double score, double normalized, int links) {
    return Alternative.newBuilder()
        .setText(text)
        .setScore(score)
        .setNormalizedScore(normalized)
        .setAlignment(
            Stream.generate(() -> new AlignmentPoint(0, 0, 1f, 0, 1, 0, 1, 0, 0))
                .limit(links)
                .toList())
        .build();
  }

  private static Envelope translated(Double score, Alternative... list) {
    Envelope envelope = Records.envelope(0, "a source");
    Translation draft = Envelopes.draft(envelope, "m");
    draft.setTargetLanguage("de");
    draft.setText(list.length == 0 ? "" : list[0].getText());
    draft.setScore(score);
    draft.setNormalizedScore(score == null ? null : list[0].getNormalizedScore());
    draft.setNBest(List.of(list));
    draft.setAlignment(list.length == 0 ? null : list[0].getAlignment());
    return Envelopes.with(envelope, draft);
  }

  private static List<String> texts(Translation translation) {
    return translation.getNBest().stream().map(Alternative::getText).toList();
  }

  @Test
  void theBestEntryBecomesTheTranslation() throws Exception {
    Envelope record =
        translated(-2.0, entry("kurz", -2, -1, 1), entry("ein langer Satz", -6, -1.25, 3));
    List<Envelope> batch = List.of(Records.refused(1), record);
    Envelope before = Envelope.newBuilder(record).build();
    List<Envelope> done =
        BatchStages.apply(rerank("language-weight: 0, length-weight: 0.25"), batch, 7L);
    assertThat(record).isEqualTo(before);
    assertThat(done.get(0)).isEqualTo(batch.get(0));
    Translation got = done.get(1).getTranslation();
    assertThat(got.getText()).isEqualTo("ein langer Satz");
    assertThat(got.getScore()).isEqualTo(-6);
    assertThat(got.getNormalizedScore()).isEqualTo(-1.25);
    assertThat(got.getAlignment()).hasSize(3).isEqualTo(got.getNBest().get(0).getAlignment());
    assertThat(texts(got)).containsExactly("ein langer Satz", "kurz");
    assertThat(got.getNBest()).extracting(Alternative::getRerankScore).containsExactly(-0.5, -0.75);
    assertThat(got.getNBest()).extracting(Alternative::getWords).containsExactly(3, 1);
    assertThat(got.getModelId()).isEqualTo("m");
    assertThat(got.getTimings().get(0).getStage()).isEqualTo("rerank");
    RecordCodec<Envelope> codec = RecordCodec.of(Envelope.class);
    assertThat(codec.decode(codec.encode(done.get(1)))).isEqualTo(done.get(1));
  }

  @Test
  void recordsWithoutScoresOrAlternativesGetNone() {
    Envelope unscored =
        translated(null, entry("kurz", -2, -1, 0), entry("etwas länger", -4, -1, 0));
    Envelope empty = translated(null);
    Envelope untranslated = Records.envelope(2, "as it came");
    List<Envelope> done =
        BatchStages.apply(
            rerank("language-weight: 0, length-weight: 1"),
            List.of(unscored, empty, untranslated),
            0L);
    assertThat(done.get(0).getTranslation().getText()).isEqualTo("etwas länger");
    assertThat(done.get(0).getTranslation().getScore()).isNull();
    assertThat(done.get(0).getTranslation().getNormalizedScore()).isNull();
    assertThat(done.get(1).getTranslation().getText()).isEmpty();
    assertThat(done.get(1).getTranslation().getNBest()).isEmpty();
    assertThat(done.get(2).getTranslation().getText()).isEqualTo("as it came");
    assertThat(done).allSatisfy(record -> assertThat(record.getFailure()).isNull());
  }

  private static List<Translation> run(List<BatchStage> stages, List<Envelope> batch) {
    ResidentIndexes indexes = new ResidentIndexes();
    try (StageGroup group = new StageGroup(stages, Thread::new)) {
      stages.forEach(stage -> stage.open(Device.CPU, indexes));
      List<Translation> done = new ArrayList<>();
      for (Envelope record : group.call(batch, 0L).run()) {
        assertThat(record.getFailure()).isNull();
        done.add(record.getTranslation());
      }
      return done;
    }
  }

  private static List<Envelope> batch() {
    return List.of(
        Records.envelope(0, "Good morning! Did you sleep well?"),
        Records.envelope(1, ""),
        Records.envelope(2, "Your room is ready."));
  }

  @Test
  void aLanguageModelChangesTheModelsChoice() throws IOException {
    estimate();
    String score = "score: {model: formal.llm, of: alternatives}";
    List<Translation> before = run(stages(score), batch());
    List<Translation> after = run(stages(score, "rerank: {}"), batch());
    assertThat(before.get(0).getText()).isEqualTo("Guten Morgen! Hast du gut geschlafen?");
    assertThat(after.get(0).getText()).isEqualTo("Guten Morgen! Haben Sie gut geschlafen?");
    assertThat(before.get(2).getText()).isEqualTo("Dein Zimmer ist fertig.");
    List<Translation> strongly = run(stages(score, "rerank: {language-weight: 2}"), batch());
    assertThat(strongly.get(2).getText()).isEqualTo("Ihr Zimmer ist bereit.");
    assertThat(after.get(1).getText()).isEmpty();
    // the same entries, sorted otherwise
    assertThat(texts(after.get(0))).containsExactlyInAnyOrderElementsOf(texts(before.get(0)));
    assertThat(after.get(0).getNBest())
        .allSatisfy(
            entry -> {
              double expected = languageScore(entry);
              assertThat(entry.getRerankScore())
                  .isEqualTo(entry.getNormalizedScore() + 0.5 * expected);
            });
    // without weight, the model's order
    List<Translation> still =
        run(stages(score, "rerank: {language-weight: 0, model-weight: 0}"), batch());
    assertThat(still.stream().map(RerankStageTest::texts).toList())
        .isEqualTo(before.stream().map(RerankStageTest::texts).toList());
  }

  @Test
  void laterStagesReadWhatWasChosen() throws IOException {
    estimate();
    List<Translation> done =
        run(
            stages(
                "score: {model: formal.llm, of: alternatives}",
                "rerank: {}",
                "score: {model: formal.llm, of: translation, name: after}",
                "score: {model: formal.llm, of: alternatives, name: again}"),
            batch());
    assertThat(done.get(0).getText()).isEqualTo("Guten Morgen! Haben Sie gut geschlafen?");
    for (Translation translation : done) {
      List<Alternative> list = translation.getNBest();
      assertThat(translation.getLanguageScores().get(0).getLog10())
          .isEqualTo(list.get(0).getLanguageScores().get(0).getLog10());
      assertThat(list)
          .allSatisfy(
              entry ->
                  assertThat(entry.getLanguageScores().get(1).getLog10())
                      .isEqualTo(entry.getLanguageScores().get(0).getLog10()));
    }
  }

  private static double languageScore(Alternative entry) {
    assertThat(entry.getLanguageScores()).hasSize(1);
    LanguageScore score = entry.getLanguageScores().get(0);
    return score.getLog10() / score.getWords();
  }

  @Test
  void everyAlternativeHasTheScoresAndVerdictsOfItsText() throws IOException {
    Path model = estimate();
    Path grammar = GrammarFiles.index(folder, "rooms", GRAMMAR);
    List<Translation> done =
        run(
            stages(
                "score: {model: formal.llm, of: alternatives, name: fluency}",
                "grammar-check: {grammar: rooms.lgx, of: alternatives, next-words: 2}",
                "rerank: {language-weight: 0, grammar-weight: 9}"),
            batch());
    assertThat(done.get(2).getText()).isEqualTo("Ihr Zimmer ist bereit.");
    for (Translation translation : done) {
      assertThat(translation.getLanguageScores()).isEmpty();
      assertThat(translation.getGrammarChecks()).isEmpty();
      List<String> texts = texts(translation);
      List<Scored> scores;
      try (Score score = Score.opener(ScoreOptions.SENTENCES).open(model, Device.CPU)) {
        scores = score.apply(texts).stream().map(Result::orElseThrow).toList();
      }
      List<GrammarVerdict> verdicts;
      try (CheckGrammar check =
          CheckGrammar.opener(GrammarOptions.DEFAULT, CheckGrammar.GPU_BYTES)
              .open(grammar, Device.CPU)) {
        verdicts = check.apply(texts).stream().map(Result::orElseThrow).toList();
      }
      for (int i = 0; i < texts.size(); i++) {
        Alternative entry = translation.getNBest().get(i);
        LanguageScore score = entry.getLanguageScores().get(0);
        assertThat(score.getLog10()).isEqualTo(scores.get(i).total());
        assertThat(score.getWords()).isEqualTo(scores.get(i).tokens());
        assertThat(score.getStage()).isEqualTo("fluency");
        assertThat(score.getText()).isEqualTo("alternative");
        GrammarCheck verdict = entry.getGrammarChecks().get(0);
        assertThat(verdict.getDerivable()).isEqualTo(verdicts.get(i).derivable());
        assertThat(verdict.getText()).isEqualTo("alternative");
        assertThat(verdict.getContinuation() == null).isEqualTo(verdict.getDerivable());
      }
    }
  }

  @Test
  void anAlternativeThatCannotBeCheckedFailsItsRecordAlone() {
    GrammarFiles.index(folder, "rooms", GRAMMAR);
    List<BatchStage> stages =
        stages("grammar-check: {grammar: rooms.lgx, of: alternatives, max-words: 5}");
    ResidentIndexes indexes = new ResidentIndexes();
    try (StageGroup group = new StageGroup(stages, Thread::new)) {
      stages.forEach(stage -> stage.open(Device.CPU, indexes));
      List<Envelope> done = group.call(batch(), 0L).run();
      assertThat(done.get(0).getFailure().getStage()).isEqualTo("grammar-check");
      assertThat(done.get(0).getTranslation().getNBest())
          .allSatisfy(entry -> assertThat(entry.getGrammarChecks()).isEmpty());
      assertThat(done.get(1).getFailure()).isNull();
      assertThat(done.get(2).getFailure()).isNull();
      assertThat(done.get(2).getTranslation().getNBest().get(7).getGrammarChecks()).hasSize(1);
    }
  }
}
