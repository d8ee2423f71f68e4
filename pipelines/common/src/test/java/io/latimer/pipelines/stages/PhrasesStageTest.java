package io.latimer.pipelines.stages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.PublishedFiles;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.PhrasePair;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.phrases.SourcePhrase;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.pipelines.stage.StageGroup;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PhrasesStageTest {
  /** Phrase "the" has three translations, "house" one, and "small" none, as it is unaligned. */
  private static final ParallelText TEXT =
      ParallelText.of(
          "the house ||| das haus ||| 0-0 1-1",
          "the house ||| das haus ||| 0-0 1-1",
          "the house ||| dies haus ||| 0-0 1-1",
          "the small mouse ||| die maus ||| 0-0 2-1",
          "a house ||| ein haus ||| 0-0 1-1");

  private static final String HOUSE = "the house";
  private static final String MOUSE = "a small mouse";

  @TempDir Path folder;
  private Path index;

  @BeforeEach
  void index() {
    index = TEXT.index(folder, "index.lpx");
  }

  private BatchStage stage(String options) {
    return BatchStages.read(folder, "phrases: {index: index.lpx" + options + "}");
  }

  /** The only phrase table of a text. */
  private SentencePhraseTable table(String options, String text) {
    Envelope done = BatchStages.run(stage(options), List.of(Records.envelope(0, text))).get(0);
    assertThat(done.getTranslation().getPhraseTables()).hasSize(1);
    return done.getTranslation().getPhraseTables().get(0);
  }

  /** Each phrase, and its translations with their counts. */
  private static List<String> shown(SentencePhraseTable table) {
    List<String> shown = new ArrayList<>();
    for (SentencePhrase phrase : table.getPhrases()) {
      StringBuilder line = new StringBuilder(phrase.getText()).append(':');
      for (PhraseTranslation translation : phrase.getTranslations()) {
        line.append(' ').append(translation.getText()).append('/').append(translation.getCount());
      }
      shown.add(line.toString());
    }
    return shown;
  }

  private void assertTable(SentencePhraseTable found, String text, PhraseOptions options) {
    try (Phrases phrases = Phrases.opener(options).open(index, Device.CPU)) {
      PhraseTable table = phrases.apply(List.of(text)).get(0).orElseThrow();
      List<SourcePhrase> expected =
          table.phrases().stream().filter(phrase -> !phrase.pairs().isEmpty()).toList();
      assertThat(found.getPhrases()).hasSameSizeAs(expected).isNotEmpty();
      for (int i = 0; i < expected.size(); i++) {
        assertPhrase(found.getPhrases().get(i), expected.get(i));
      }
      assertThat(found.getIndexId()).isEqualTo(phrases.index().id()).matches("[0-9a-f]{64}");
    }
  }

  private static void assertPhrase(SentencePhrase found, SourcePhrase expected) {
    assertThat(found.getFrom()).isEqualTo(expected.from());
    assertThat(found.getWords()).isEqualTo(expected.words());
    assertThat(found.getText()).isEqualTo(expected.text());
    assertThat(found.getOccurrences()).isEqualTo(expected.occurrences());
    assertThat(found.getSamples()).isEqualTo(expected.samples());
    assertThat(found.getExtractions()).isEqualTo(expected.extractions());
    assertThat(found.getCoherence()).isEqualTo(expected.coherence());
    assertThat(found.getTranslations()).hasSameSizeAs(expected.pairs());
    for (int i = 0; i < expected.pairs().size(); i++) {
      PhraseTranslation translation = found.getTranslations().get(i);
      PhrasePair pair = expected.pairs().get(i);
      assertThat(translation.getText()).isEqualTo(pair.text());
      assertThat(translation.getCount()).isEqualTo(pair.count());
      assertThat(translation.getProbability()).isEqualTo(pair.probability());
      assertThat(translation.getLexicalTargetGivenSource())
          .isEqualTo(pair.lexicalTargetGivenSource());
      assertThat(translation.getLexicalSourceGivenTarget())
          .isEqualTo(pair.lexicalSourceGivenTarget());
    }
  }

  @Test
  void sentencesGetTablesInTheirOrderAndFailuresStayWithTheirRecords() {
    List<Envelope> batch =
        List.of(
            Records.envelope(0, HOUSE),
            Records.refused(1),
            Records.envelope(2, "s ".repeat(PhraseIndex.MAX_SENTENCE_WORDS + 1)),
            Records.envelope(3, MOUSE),
            Records.envelope(4, ""));
    List<Envelope> before = new ArrayList<>();
    batch.forEach(envelope -> before.add(Envelope.newBuilder(envelope).build()));
    List<Envelope> done = BatchStages.run(stage(""), batch);
    assertThat(batch).isEqualTo(before);
    assertThat(done).hasSameSizeAs(batch);
    assertThat(done.get(1)).isEqualTo(batch.get(1));
    assertThat(done.get(2).getFailure().getStage()).isEqualTo("phrases");
    assertThat(done.get(2).getFailure().getErrorMessage()).contains("65535 words");
    for (int i : new int[] {0, 3}) {
      Translation carrier = done.get(i).getTranslation();
      assertThat(carrier.getText()).isEqualTo(batch.get(i).getSentence().getText());
      assertThat(carrier.getSource()).isEqualTo(batch.get(i).getSentence());
      SentencePhraseTable table = carrier.getPhraseTables().get(0);
      assertTable(table, carrier.getText(), PhraseOptions.DEFAULT);
      assertThat(table.getStage()).isEqualTo("phrases");
      assertThat(table.getText()).isEqualTo("source");
      assertThat(table.getOmittedPhrases()).isZero();
      assertThat(table.getOmittedTranslations()).isZero();
    }
    assertThat(shown(done.get(0).getTranslation().getPhraseTables().get(0)))
        .containsExactly(
            "the: das/2 dies/1 die/1", "the house: das haus/2 dies haus/1", "house: haus/4");
    assertThat(shown(done.get(3).getTranslation().getPhraseTables().get(0)))
        .containsExactly("a: ein/1", "mouse: maus/1");
    assertThat(done.get(4).getTranslation().getPhraseTables().get(0).getPhrases()).isEmpty();
    StageTiming timing = done.get(0).getTranslation().getTimings().get(0);
    assertThat(timing.getStage()).isEqualTo("phrases");
    assertThat(timing.getQueueNanos()).isEqualTo(1_000L);
    assertThat(timing.getBatchSize()).isEqualTo(4);
    RecordCodec<Envelope> codec = RecordCodec.of(Envelope.class);
    assertThat(done).allSatisfy(envelope -> assertThat(codec.encode(envelope)).isNotEmpty());
  }

  @Test
  void theSettingsOfTheLookupArePassedOn() {
    assertTable(table(", samples: 2", HOUSE), HOUSE, new PhraseOptions(2, 5, 15, false));
    assertThat(table(", samples: 0", HOUSE).getPhrases().get(0).getSamples()).isEqualTo(4);
    assertThat(table(", samples: 2", HOUSE).getPhrases().get(0).getSamples()).isEqualTo(2);
    assertThat(shown(table(", max-source: 1", HOUSE)))
        .containsExactly("the: das/2 dies/1 die/1", "house: haus/4");
    assertThat(shown(table(", max-target: 1", HOUSE)))
        .containsExactly("the: das/2 dies/1 die/1", "house: haus/4");
    assertThat(shown(table(", loose: true", MOUSE)))
        .containsExactly("a: ein/1", "small mouse: maus/1", "mouse: maus/1");
  }

  @Test
  void aPhraseHasItsBestTranslationsWithUnchangedFeatures() {
    SentencePhraseTable table = table(", best: 1", HOUSE);
    assertThat(shown(table))
        .containsExactly("the: das/2", "the house: das haus/2", "house: haus/4");
    assertThat(table.getOmittedTranslations()).isZero();
    SentencePhrase the = table.getPhrases().get(0);
    assertThat(the.getExtractions()).isEqualTo(4);
    assertThat(the.getTranslations().get(0).getProbability()).isEqualTo(0.5);
  }

  @Test
  void aTableIsCutToItsMaximumAndSaysSo() {
    assertThat(table(", max-translations: 6", HOUSE).getOmittedTranslations()).isZero();
    SentencePhraseTable five = table(", max-translations: 5", HOUSE);
    assertThat(shown(five))
        .containsExactly("the: das/2 dies/1", "the house: das haus/2 dies haus/1", "house: haus/4");
    assertThat(five.getOmittedTranslations()).isOne();
    assertThat(five.getOmittedPhrases()).isZero();
    // of the second translations, that of "the", which is more frequent than "the house"
    assertThat(shown(table(", max-translations: 4", HOUSE)))
        .containsExactly("the: das/2 dies/1", "the house: das haus/2", "house: haus/4");
    SentencePhraseTable two = table(", max-translations: 2", HOUSE);
    assertThat(shown(two)).containsExactly("the: das/2", "house: haus/4");
    assertThat(two.getOmittedTranslations()).isEqualTo(4);
    assertThat(two.getOmittedPhrases()).isOne();
    // equally frequent
    SentencePhraseTable one = table(", max-translations: 1", HOUSE);
    assertThat(shown(one)).containsExactly("the: das/2");
    assertThat(one.getOmittedPhrases()).isEqualTo(2);
    // what 'best' leaves out is not omitted by the maximum
    assertThat(table(", best: 1, max-translations: 2", HOUSE).getOmittedTranslations()).isOne();
  }

  @Test
  void aPhraseOfSeveralSentencesHasItsPlaceAndItsTranslationsInEach() {
    List<Envelope> batch =
        List.of(
            Records.envelope(0, HOUSE),
            Records.envelope(1, "mouse the"),
            Records.envelope(2, HOUSE));
    List<SentencePhraseTable> tables =
        BatchStages.run(stage(", max-translations: 4"), batch).stream()
            .map(envelope -> envelope.getTranslation().getPhraseTables().get(0))
            .toList();
    // what one table leaves out, others keep
    assertThat(shown(tables.get(0)).get(0)).isEqualTo("the: das/2 dies/1");
    assertThat(shown(tables.get(1))).containsExactly("mouse: maus/1", "the: das/2 dies/1 die/1");
    assertThat(tables.get(1).getPhrases())
        .extracting(SentencePhrase::getFrom)
        .containsExactly(0, 1);
    assertThat(tables.get(2)).isEqualTo(tables.get(0));
    assertTable(tables.get(1), "mouse the", PhraseOptions.DEFAULT);
  }

  @Test
  void translationsAreLookedUpBesideTheirSources() {
    Envelope sentence = Records.envelope(0, HOUSE);
    Envelope translated =
        Envelopes.with(
            sentence,
            Translation.newBuilder()
                .setSource(sentence.getSentence())
                .setTargetLanguage("de")
                .setText(MOUSE)
                .setModelId("m")
                .build());
    List<Envelope> once =
        BatchStages.run(stage(", of: translation, name: second"), List.of(translated));
    Translation got = BatchStages.run(stage(", of: source"), once).get(0).getTranslation();
    assertThat(got.getText()).isEqualTo(MOUSE);
    assertThat(got.getModelId()).isEqualTo("m");
    assertThat(got.getPhraseTables())
        .extracting(table -> table.getStage() + " " + table.getText())
        .containsExactly("second translation", "phrases source");
    assertTable(got.getPhraseTables().get(0), MOUSE, PhraseOptions.DEFAULT);
    assertTable(got.getPhraseTables().get(1), HOUSE, PhraseOptions.DEFAULT);
  }

  @Test
  void aRecordWithoutTheTranslationThatIsAskedForIsRefused() {
    List<Envelope> done =
        BatchStages.run(stage(", of: translation"), List.of(Records.envelope(0, HOUSE)));
    assertThat(done.get(0).getFailure().getErrorMessage()).contains("translate stage before it");
  }

  @Test
  void aJobFileMaySayWhichContentItMeansAndOtherKindsAreRefused() {
    String sha256 = IndexRefs.of(index).sha256();
    assertThat(stage(", sha256: " + sha256).indexRefs()).containsExactly(IndexRefs.of(index));
    assertThat(stage(", sha256: " + sha256).pinned(IndexRefs.of(index))).isTrue();
    assertThatThrownBy(() -> stage(", sha256: " + "0".repeat(64)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("found " + sha256);
    Path other = Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");
    assertThatThrownBy(() -> BatchStages.read(folder, "phrases: {index: \"" + other + "\"}"))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("expected an index of kind phrase-index");
  }

  private static LearnedPair pair(String id, String source, String target, String alignment) {
    return new LearnedPair(id, 1_000 + id.charAt(0), source, target, alignment);
  }

  /** Opens a version, uses it, and closes it. */
  private <T> T on(LearnedPairs pairs, Function<LearningStage, T> use) throws Exception {
    LearningStage stage = (LearningStage) stage("");
    LearningStage version = stage.on(stage.indexRefs().get(0), pairs);
    version.open(Device.CPU, ResidentIndexes.process());
    try {
      return use.apply(version);
    } finally {
      version.close();
    }
  }

  private static SentencePhraseTable tableOf(BatchStage open, String text) {
    StageGroup group = new StageGroup(List.of(open), Thread::new);
    Envelope done = group.call(List.of(Records.envelope(0, text)), 0).run().get(0);
    return done.getTranslation().getPhraseTables().get(0);
  }

  @Test
  void learnedPairsAreInTheTablesWithTheirCorrections() throws Exception {
    LearnedPairs pairs =
        LearnedPairs.none(7)
            .with(
                List.of(
                    pair("a", "the house", "das gebäude", "0-0 1-1"),
                    pair("b", "the tree", "der baum", "0-0 1-1"),
                    pair("c", "the house", "das gebäude", "0-0 1-1"),
                    pair("d", "house", "gebäude", "0-0"),
                    pair("e", "house", "gebäude", "0-0")));
    SentencePhraseTable table = on(pairs, open -> tableOf(open, "the house tree"));
    assertThat(table.getLearnedPairs()).isEqualTo(5);
    assertThat(table.getIndexId()).isEqualTo(tableOf(opened(), "x").getIndexId());
    assertThat(shown(table)).contains("the house: das haus/2 das gebäude/2 dies haus/1");
    for (SentencePhrase phrase : table.getPhrases()) {
      for (PhraseTranslation one : phrase.getTranslations()) {
        List<String> ids = one.getCorrections().stream().map(LearnedFrom::getId).toList();
        switch (one.getText()) {
          case "das gebäude" -> {
            assertThat(one.getLearned()).isEqualTo(2);
            assertThat(ids).containsExactly("c", "a");
            assertThat(one.getCorrections().get(0).getTime())
                .isEqualTo(Instant.ofEpochMilli(1_000 + 'c'));
          }
          case "gebäude" -> {
            assertThat(one.getLearned()).isEqualTo(4);
            assertThat(ids).containsExactly("e", "d", "c"); // the newest three
          }
          case "baum" -> assertThat(ids).containsExactly("b");
          case "das haus", "haus" -> {
            assertThat(one.getLearned()).isZero();
            assertThat(ids).isEmpty();
          }
          default -> {}
        }
      }
    }
    assertThat(table.getPhrases()).extracting(SentencePhrase::getText).contains("tree");
  }

  private BatchStage opened() {
    BatchStage open = stage("");
    open.open(Device.CPU, ResidentIndexes.process());
    return open;
  }

  @Test
  void aPairIsAlignedByTheIndexFileAlone() throws Exception {
    LearnedPair unaligned = pair("a", "a small house", "ein kleines haus", "");
    LearnedPair aligned = on(LearnedPairs.none(), open -> open.align(unaligned));
    assertThat(aligned.alignment()).contains("0-0").contains("2-2");
    assertThat(aligned.id()).isEqualTo("a");
    assertThat(aligned.time()).isEqualTo(unaligned.time());
    assertThat(aligned.source()).isEqualTo(unaligned.source());
    // pairs that say something else do not change it
    LearnedPairs others =
        LearnedPairs.none()
            .with(Collections.nCopies(50, pair("x", "a house", "haus ein", "0-0 1-1")));
    LearnedPair again = on(others, open -> open.align(unaligned));
    assertThat(again).isEqualTo(aligned);
  }

  @Test
  void aCompactionEndsWithItsTaskAndLeavesNoFile() throws Exception {
    LearnedPairs pairs =
        LearnedPairs.none().with(List.of(pair("a", "the house", "das gebäude", "0-0 1-1")));
    BuildProgress ended =
        new BuildProgress() {
          @Override
          public void read(long bytes) {}

          @Override
          public void step(String what) {
            if (what.equals("writing")) {
              throw new CancellationException("ended");
            }
          }
        };
    assertThatThrownBy(() -> on(pairs, open -> open.compact(folder.toString(), "writer", ended)))
        .isInstanceOf(CancellationException.class);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).noneMatch(file -> file.toString().endsWith(".tmp"));
    }
  }

  @Test
  void aCompactedIndexAnswersLikeTheIndexAndThePairs() throws Exception {
    LearnedPairs pairs =
        LearnedPairs.none()
            .with(
                List.of(
                    pair("a", "the house", "das gebäude", "0-0 1-1"),
                    pair("b", "the tree", "der baum", "0-0 1-1")));
    String text = "the small tree house";
    SentencePhraseTable before = on(pairs, open -> tableOf(open, text));
    Path left = Files.createFile(PublishedFiles.unnamed(folder, "writer"));
    Path other = Files.createFile(PublishedFiles.unnamed(folder, "other"));
    IndexRef compacted =
        on(pairs, open -> open.compact(folder.toString(), "writer", BuildProgress.NONE));
    assertThat(left).doesNotExist();
    assertThat(other).exists();
    Files.delete(other);
    IndexRef again =
        on(pairs, open -> open.compact(folder.toString(), "writer", BuildProgress.NONE));
    assertThat(again).isEqualTo(compacted); // equal bytes
    assertThat(IndexRefs.of(Path.of(compacted.uri()))).isEqualTo(compacted);
    assertThat(Path.of(compacted.uri()).getFileName()).hasToString(compacted.sha256() + ".lpx");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).noneMatch(file -> file.toString().endsWith(".tmp"));
    }

    LearningStage stage = (LearningStage) stage("");
    BatchStage version = stage.on(compacted, LearnedPairs.none(2));
    version.open(Device.CPU, ResidentIndexes.process());
    SentencePhraseTable after = tableOf(version, text);
    version.close();
    assertThat(shown(after)).isEqualTo(shown(before)).isNotEmpty();
    assertThat(after.getLearnedPairs()).isZero();
    assertThat(after.getIndexId()).isNotEqualTo(before.getIndexId());
  }
}
