package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.grammar.GrammarFiles;
import io.latimer.operators.index.IndexRefs;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.GrammarCheck;
import io.latimer.schemas.GrammarContinuation;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrammarCheckStageTest {
  /** Commands such as "open the door and close the window". */
  private static final String[] COMMANDS = {
    "start S",
    "v S",
    "v P",
    "v C",
    "v V",
    "v D",
    "v N",
    "v A",
    "b S V P",
    "b P D N",
    "b S S C",
    "b C A S",
    "t V open",
    "t V close",
    "t D the",
    "t N door",
    "t N window",
    "t N UNK-LC",
    "t A and"
  };

  private static final String DOOR = "open the door";
  private static final String BOTH = "open the door and close the window";
  private static final String BROKEN = "open the door and the window";

  @TempDir Path folder;
  private Path grammar;

  @BeforeEach
  void grammar() {
    grammar = GrammarFiles.index(folder, "commands", COMMANDS);
  }

  private BatchStage stage(String options) {
    return BatchStages.read(folder, "grammar-check: {grammar: commands.lgx" + options + "}");
  }

  private Envelope done(String options, String text) {
    return BatchStages.run(stage(options), List.of(Records.envelope(0, text))).get(0);
  }

  /** The only verdict on a text. */
  private GrammarCheck verdict(String options, String text) {
    Envelope done = done(options, text);
    assertThat(done.getFailure()).isNull();
    assertThat(done.getTranslation().getGrammarChecks()).hasSize(1);
    return done.getTranslation().getGrammarChecks().get(0);
  }

  private static String shown(GrammarCheck check) {
    return "%s: %d words, prefix %d of %d, roots %s"
        .formatted(
            check.getDerivable() ? "yes" : "no",
            check.getWords(),
            check.getLongestPrefix(),
            check.getAcceptedPrefixes(),
            check.getRoots());
  }

  private static GrammarContinuation next(int viable, boolean complete, String... words) {
    return new GrammarContinuation(viable, complete, List.of(words), words.length);
  }

  @Test
  void sentencesGetVerdictsInTheirOrderAndFailuresStayWithTheirRecords() {
    List<Envelope> batch =
        List.of(
            Records.envelope(0, BOTH),
            Records.refused(1),
            Records.envelope(2, "open ".repeat(1025)),
            Records.envelope(3, BROKEN),
            Records.envelope(4, ""),
            Records.envelope(5, "the door"));
    List<Envelope> before = new ArrayList<>();
    batch.forEach(envelope -> before.add(Envelope.newBuilder(envelope).build()));
    List<Envelope> done = BatchStages.run(stage(""), batch);
    assertThat(batch).isEqualTo(before);
    assertThat(done).hasSameSizeAs(batch);
    assertThat(done.get(1)).isEqualTo(batch.get(1));
    assertThat(done.get(2).getFailure().getStage()).isEqualTo("grammar-check");
    assertThat(done.get(2).getFailure().getErrorMessage()).contains("1025 words");
    List<GrammarCheck> checks = new ArrayList<>();
    for (int i : new int[] {0, 3, 4, 5}) {
      Translation carrier = done.get(i).getTranslation();
      assertThat(carrier.getText()).isEqualTo(batch.get(i).getSentence().getText());
      assertThat(carrier.getSource()).isEqualTo(batch.get(i).getSentence());
      GrammarCheck check = carrier.getGrammarChecks().get(0);
      assertThat(check.getStage()).isEqualTo("grammar-check");
      assertThat(check.getText()).isEqualTo("source");
      assertThat(check.getGrammarId()).matches("[0-9a-f]{64}");
      checks.add(check);
    }
    assertThat(checks)
        .extracting(GrammarCheckStageTest::shown)
        .containsExactly(
            "yes: 7 words, prefix 7 of 2, roots [S]",
            "no: 6 words, prefix 3 of 1, roots []",
            "no: 0 words, prefix 0 of 0, roots []",
            "no: 2 words, prefix 0 of 0, roots [P]");
    assertThat(checks)
        .extracting(GrammarCheck::getContinuation)
        .containsExactly(
            null,
            next(4, false, "open", "close"),
            next(0, false, "open", "close"),
            next(0, false, "open", "close"));
    StageTiming timing = done.get(0).getTranslation().getTimings().get(0);
    assertThat(timing.getStage()).isEqualTo("grammar-check");
    assertThat(timing.getQueueNanos()).isEqualTo(1_000L);
    assertThat(timing.getBatchSize()).isEqualTo(5);
    RecordCodec<Envelope> codec = RecordCodec.of(Envelope.class);
    assertThat(done).allSatisfy(envelope -> assertThat(codec.encode(envelope)).isNotEmpty());
  }

  @Test
  void unknownWordsAreRefusedOrTakenAsTheirClassOrAsAnyWord() {
    String unknown = "open the gate";
    assertThat(verdict("", unknown).getContinuation())
        .isEqualTo(next(2, false, "door", "window", "UNK-LC"));
    assertThat(verdict(", unknown: class", unknown).getDerivable()).isTrue();
    assertThat(verdict(", unknown: class", "open my door").getDerivable()).isFalse();
    assertThat(verdict(", unknown: any", "open my gate").getDerivable()).isTrue();
    // where the text leaves the grammar depends on it, too
    GrammarCheck any = verdict(", unknown: any", "open my gate door");
    assertThat(any.getContinuation()).isEqualTo(next(3, true, "and"));
    assertThat(shown(any)).isEqualTo("no: 4 words, prefix 3 of 1, roots []");
  }

  @Test
  void theWordsThatCouldHaveFollowedAreAsManyAsAskedFor() {
    assertThat(verdict(", next-words: 0", BROKEN).getContinuation()).isNull();
    assertThat(shown(verdict(", next-words: 0", BROKEN))).isEqualTo(shown(verdict("", BROKEN)));
    assertThat(verdict(", next-words: 1", BROKEN).getContinuation())
        .isEqualTo(new GrammarContinuation(4, false, List.of("open"), 2));
    // a complete sentence of the grammar is its own end, but may go on
    assertThat(verdict("", DOOR + " door").getContinuation()).isEqualTo(next(3, true, "and"));
  }

  @Test
  void textsLongerThanCanBeExaminedHaveTheirPlaceIfItIsBefore() {
    String more = ", max-words: 1200";
    String long1024 = "open the door and ".repeat(256);
    assertThat(verdict(more, long1024).getContinuation())
        .isEqualTo(next(1024, false, "open", "close"));
    assertThat(verdict(more, long1024 + "the").getContinuation()).isNull();
    assertThat(verdict(more, "door " + long1024).getContinuation())
        .isEqualTo(next(0, false, "open", "close"));
    assertThat(done(", max-words: 2", DOOR).getFailure().getErrorMessage())
        .contains("3 words, more than the 2");
  }

  @Test
  void translationsAreCheckedBesideTheirSources() {
    Envelope sentence = Records.envelope(0, DOOR);
    Envelope translated =
        Envelopes.with(
            sentence,
            Translation.newBuilder()
                .setSource(sentence.getSentence())
                .setTargetLanguage("de")
                .setText(BROKEN)
                .setModelId("m")
                .build());
    List<Envelope> once =
        BatchStages.run(stage(", of: translation, name: second"), List.of(translated));
    Translation got = BatchStages.run(stage(", of: source"), once).get(0).getTranslation();
    assertThat(got.getText()).isEqualTo(BROKEN);
    assertThat(got.getModelId()).isEqualTo("m");
    assertThat(got.getGrammarChecks())
        .extracting(c -> c.getStage() + " " + c.getText() + " " + c.getDerivable())
        .containsExactly("second translation false", "grammar-check source true");
  }

  @Test
  void aRecordWithoutTheTranslationThatIsAskedForIsRefused() {
    assertThat(done(", of: translation", DOOR).getFailure().getErrorMessage())
        .contains("translate stage before it");
  }

  @Test
  void aJobFileMaySayWhichContentItMeansAndOtherKindsAreRefused() {
    String sha256 = IndexRefs.of(grammar).sha256();
    assertThat(stage(", sha256: " + sha256).indexRefs()).containsExactly(IndexRefs.of(grammar));
    assertThat(stage(", sha256: " + sha256).pinned(IndexRefs.of(grammar))).isTrue();
    assertThatThrownBy(() -> stage(", sha256: " + "0".repeat(64)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("found " + sha256);
    Path other = Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");
    assertThatThrownBy(
            () -> BatchStages.read(folder, "grammar-check: {grammar: \"" + other + "\"}"))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("expected an index of kind grammar");
  }
}
