package io.latimer.pipelines.stages;

import static java.util.Comparator.comparingDouble;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.glossary.index.GlossaryBuilder;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.nmt.convert.huggingface.TinyFolders;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.operators.text.terms.Term;
import io.latimer.operators.util.BuildProgress;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.record.Envelopes;
import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.IndexVersion;
import io.latimer.pipelines.stage.LearningStage;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Header;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.SimilarTranslation;
import io.latimer.schemas.StageTiming;
import io.latimer.schemas.Translation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stage with the example model of the project. */
class TranslateStageTest {
  private static final Path MODELS = Path.of(System.getProperty("latimer.root"), "examples/models");
  private static final String MODEL = "tatoeba-en-de.lmx";

  private static BatchStage stage(Path folder, String options) {
    return BatchStages.read(folder, "translate: {model: " + MODEL + options + "}");
  }

  private static List<Envelope> batch() {
    return List.of(
        Records.envelope(0, "Good morning."),
        Records.refused(1),
        Records.envelope(2, "x".repeat(200_000)),
        Records.envelope(3, "I like this book. Do you like it?"),
        Records.envelope(4, ""));
  }

  @Test
  void aTranslationKeepsWhatEarlierStagesAdded() {
    LanguageScore score = new LanguageScore("score", "source", -9.5, 22.0, 18.0, 7, 1, "m", "1");
    StageTiming timing = new StageTiming("score", 1L, 2L, 3);
    Envelope sentence = Records.envelope(0, "Good morning.");
    Translation before = Envelopes.draft(sentence, "score");
    before.setLanguageScores(List.of(score));
    before.setTimings(List.of(timing));
    Envelope scored = Envelopes.with(sentence, before);
    Translation done =
        BatchStages.run(stage(MODELS, ", beam: 1"), List.of(scored)).get(0).getTranslation();
    assertThat(done.getText()).isEqualTo("Guten Morgen.");
    assertThat(done.getTargetLanguage()).isEqualTo("de");
    assertThat(done.getModelId()).matches("[0-9a-f]{64}");
    assertThat(done.getLanguageScores()).containsExactly(score);
    assertThat(done.getTimings()).first().isEqualTo(timing);
    assertThat(done.getTimings()).hasSizeGreaterThan(1);
  }

  @Test
  void aBatchIsTranslatedInItsOrderAndFailuresStayWithTheirRecords() {
    List<Envelope> batch = batch();
    List<Envelope> before = new ArrayList<>();
    batch.forEach(envelope -> before.add(Envelope.newBuilder(envelope).build()));
    List<Envelope> done = BatchStages.run(stage(MODELS, ", beam: 2"), batch);
    assertThat(batch).isEqualTo(before);
    assertThat(done).hasSameSizeAs(batch);
    assertThat(done.get(1)).isEqualTo(batch.get(1));
    assertThat(done.get(2).getTranslation()).isNull();
    assertThat(done.get(2).getFailure().getStage()).isEqualTo("translate");
    assertThat(done.get(2).getFailure().getOriginal()).isEqualTo(batch.get(2).getOriginal());
    assertThat(done.get(2).getFailure().getErrorClass()).endsWith("RecordException");
    assertThat(done.get(4).getTranslation().getText()).isEmpty();

    Translation good = done.get(0).getTranslation();
    assertThat(good.getText()).isEqualTo("Guten Morgen.");
    assertThat(good.getSource()).isEqualTo(batch.get(0).getSentence());
    assertThat(good.getTargetLanguage()).isEqualTo("de");
    assertThat(good.getScore()).isNegative();
    assertThat(good.getNormalizedScore()).isNegative();
    assertThat(good.getNBest()).isEmpty();
    assertThat(good.getAlignment()).isNull();
    assertThat(good.getSourceTokens()).isPositive();
    assertThat(good.getTargetTokens()).isPositive();
    assertThat(good.getModelId()).matches("[0-9a-f]{64}");
    assertThat(good.getTimings())
        .extracting(StageTiming::getStage)
        .containsExactly("translate", "translate/prepare", "translate/decode", "translate/restore");
    assertThat(good.getTimings())
        .allSatisfy(timing -> assertThat(timing.getBatchSize()).isEqualTo(4));
    assertThat(good.getTimings().get(0).getQueueNanos()).isEqualTo(1_000L);
    assertThat(good.getTimings().get(0).getNanos())
        .isGreaterThanOrEqualTo(good.getTimings().get(2).getNanos());
    RecordCodec<Envelope> codec = RecordCodec.of(Envelope.class);
    assertThat(done).allSatisfy(envelope -> assertThat(codec.encode(envelope)).isNotEmpty());
  }

  @Test
  void whatIsAskedForIsGiven() {
    BatchStage stage =
        stage(
            MODELS,
            ", name: de, beam: 4, nbest: 3, alignment: true, scores: false, target-language:"
                + " de-AT");
    assertThat(stage.name()).isEqualTo("de");
    Translation got =
        BatchStages.run(stage, List.of(Records.envelope(0, "Good morning.")))
            .get(0)
            .getTranslation();
    assertThat(got.getNBest()).hasSize(3);
    assertThat(got.getNBest().get(0).getText()).isEqualTo(got.getText());
    assertFalling(got.getNBest());
    assertThat(got.getAlignment()).isNotEmpty();
    assertThat(got.getNBest().get(0).getAlignment()).isEqualTo(got.getAlignment());
    assertThat(got.getNBest())
        .allSatisfy(
            entry -> {
              int last = entry.getAlignment().get(entry.getAlignment().size() - 1).getTargetEnd();
              assertThat(last).isEqualTo(entry.getText().length());
            });
    assertThat(got.getScore()).isNull();
    assertThat(got.getNormalizedScore()).isNull();
    assertThat(got.getTargetLanguage()).isEqualTo("de-AT");
    assertThat(got.getTimings().get(0).getStage()).isEqualTo("de");
  }

  private static Envelope with(int number, String text, String language, Header... headers) {
    Envelope envelope = Records.envelope(number, text);
    envelope.getSentence().setLanguage(language);
    envelope.getSentence().setHeaders(List.of(headers));
    return envelope;
  }

  private static Header header(String name, String value) {
    return new Header(name, ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
  }

  private static String error(Envelope envelope) {
    return envelope.getFailure().getErrorMessage();
  }

  @Test
  void recordsSayInHeadersWhatTheirTranslationsBeginWith() {
    BatchStage stage =
        stage(MODELS, ", beam: 1, target-prefix-header: begin, target-language-header: to");
    Header latin1 = new Header("begin", ByteBuffer.wrap(new byte[] {(byte) 0xe4}));
    List<Envelope> done =
        BatchStages.run(
            stage,
            List.of(
                with(0, "Good morning.", "en", header("begin", "Einen sch\u00f6nen")),
                with(1, "Good morning.", "en", header("other", "Einen")),
                with(2, "Good morning.", "en", latin1),
                with(3, "Good morning.", "en", header("to", "fr")),
                with(4, "Good morning.", "fr", header("to", "de_AT"), header("begin", ""))));
    assertThat(done.get(0).getTranslation().getText()).startsWith("Einen sch\u00f6nen");
    assertThat(done.get(1).getTranslation().getText()).isEqualTo("Guten Morgen.");
    assertThat(error(done.get(2)))
        .isEqualTo("the header \"begin\" is not UTF-8; send its text in UTF-8");
    assertThat(error(done.get(3))).isEqualTo("the model translates to \"de\" only, not to \"fr\"");
    assertThat(done.get(4).getTranslation().getText()).isEqualTo("Guten Morgen.");
  }

  @Test
  void recordsBringTheirOwnTerms() {
    BatchStage stage = stage(MODELS, ", beam: 1, glossary-header: terms");
    List<Envelope> done =
        BatchStages.run(
            stage,
            List.of(
                with(0, "The dog is big.", "en", header("terms", "dog=Dackel\nbig=riesig")),
                with(1, "The dog is big.", "en"),
                with(2, "The dog is big.", "en", header("terms", "{\"dog\": \"-\"}")),
                with(3, "The dog is big.", "en", header("terms", "dog")),
                with(4, "The dog is big.", "en", header("terms", "dog=a\ndog=b"))));
    assertThat(done.get(0).getTranslation().getText()).contains("Dackel").contains("riesig");
    assertThat(done.get(1).getTranslation().getText()).isEqualTo("Der Hund ist groß.");
    assertThat(done.get(2).getTranslation().getText()).contains("dog");
    assertThat(error(done.get(3)))
        .isEqualTo("line 1 of the glossary has no =; write source=target");
    assertThat(error(done.get(4))).contains("dog");
  }

  @Test
  void recordsOfSeveralLanguagesShareABatch(@TempDir Path folder) throws IOException {
    TinyFolders.nllb(Files.createDirectory(folder.resolve("nllb")), false);
    BatchStage stage =
        BatchStages.read(
            folder,
            "translate: {model: nllb, beam: 1, precision: float32, source-language: eng_Latn,"
                + " target-language: de, target-language-header: to, check-numbers: false}");
    List<Envelope> done =
        BatchStages.run(
            stage,
            List.of(
                with(0, "w17 w18", ""),
                with(1, "w17 w18", "en", header("to", " zh-TW ")),
                with(2, "w17 w18", "fr", header("to", "fra_Latn")),
                with(3, "w17 w18", "pl"),
                with(4, "w17 w18", "und", header("to", "tlh"))));
    assertThat(done.subList(0, 3))
        .extracting(envelope -> envelope.getTranslation().getTargetLanguage())
        .containsExactly("de", "zh-Hant", "fr");
    assertThat(done.subList(0, 3))
        .extracting(envelope -> envelope.getTranslation().getText())
        .doesNotHaveDuplicates();
    assertThat(error(done.get(3)))
        .isEqualTo(
            "the model cannot read the language \"pl\"; it knows de, fr, zh, zh-Hant, ar, en, sr");
    assertThat(error(done.get(4))).startsWith("the model cannot write the language \"tlh\"; it");
  }

  @Test
  void translationsHaveTheTermsNumbersAndPatternsOfTheirSources(@TempDir Path folder)
      throws IOException {
    GlossaryBuilder glossary =
        new GlossaryBuilder("en", "de", GlossaryBuilder.Repeated.REFUSED, place -> "term " + place);
    glossary.add(Term.of(List.of("front desk"), List.of("Rezeption")), 1);
    glossary.write(folder.resolve("desk.ltx"), "7");
    String model = ShippedModel.path().toString();
    BatchStage stage =
        BatchStages.read(
            folder,
            "translate: {model: \""
                + model
                + "\", beam: 1, glossary: desk.ltx, keep: ['INV-[0-9]+']}");
    Translation translation =
        BatchStages.runAll(
                stage, List.of(with(0, "The front desk has INV-2024 and paid $1,234.56.", "")))
            .get(0)
            .getTranslation();
    assertThat(translation.getText())
        .contains("Rezeption")
        .contains("INV-2024")
        .contains("1.234,56");
    assertThat(translation.getGlossaryVersion()).isEqualTo("7");
    assertThat(translation.getGlossaryId()).hasSize(64);
    assertThat(translation.getFlags()).isSubsetOf("assembled");
  }

  private static IndexRef glossary(Path file, String source, String target) {
    GlossaryBuilder glossary =
        new GlossaryBuilder("en", "de", GlossaryBuilder.Repeated.REFUSED, place -> "term " + place);
    glossary.add(Term.of(List.of(source), List.of(target)), 1);
    glossary.write(file, file.getFileName().toString());
    return IndexRefs.of(file);
  }

  @Test
  void aGlossaryIsReplacedAndTermsAreLearnedBesideIt(@TempDir Path folder) {
    glossary(folder.resolve("first.ltx"), "front desk", "Rezeption");
    IndexRef second = glossary(folder.resolve("second.ltx"), "front desk", "Empfang");
    BatchStage stage =
        BatchStages.read(
            folder,
            "translate: {model: \"" + ShippedModel.path() + "\", beam: 1, glossary: first.ltx}");
    assertThat(stage.indexes().keySet()).containsExactly("translate", "translate.glossary");
    assertThat(frontDesk(stage)).contains("Rezeption");
    BatchStage swapped = stage.on("translate.glossary", IndexVersion.of(second));
    assertThat(swapped.indexes()).containsEntry("translate.glossary", second);
    assertThat(swapped.indexRefs()).contains(second).hasSize(2);
    assertThat(frontDesk(swapped)).contains("Empfang");
    LearnedPairs terms =
        LearnedPairs.none()
            .with(
                List.of(
                    LearnedPair.ofTexts("t1", 1, "front desk", "Foyer"),
                    LearnedPair.ofTexts("t2", 2, "front desk", "Portier\t\tany")));
    BatchStage learned = stage.on("translate.glossary", new IndexVersion(second, terms));
    assertThat(frontDesk(learned)).contains("Portier");
    BatchStage both = learned.on("translate", IndexVersion.of(stage.index().orElseThrow()));
    assertThat(frontDesk(both)).contains("Portier");
    assertThat(frontDesk(stage)).contains("Rezeption");
  }

  private static String frontDesk(BatchStage stage) {
    return BatchStages.runAll(stage, List.of(with(0, "The front desk is open.", "")))
        .get(0)
        .getTranslation()
        .getText();
  }

  @Test
  void aMemoryIsReplaced(@TempDir Path folder) throws IOException {
    ParallelText.of("good night ! ||| gute nacht ! ||| ").index(folder, "first.lpx");
    ParallelText.of("good night ! ||| schlaf gut ! ||| ").index(folder, "second.lpx");
    BatchStage stage =
        BatchStages.read(
            folder,
            "translate: {model: \"" + ShippedModel.path() + "\", beam: 1, memory: first.lpx}");
    BatchStage swapped =
        stage.on("translate.memory", IndexVersion.of(IndexRefs.of(folder.resolve("second.lpx"))));
    List<Envelope> asked = List.of(Records.envelope(0, "Good night!"));
    assertThat(BatchStages.runAll(stage, asked).get(0).getTranslation().getText())
        .isEqualTo("Gute nacht!");
    assertThat(BatchStages.runAll(swapped, asked).get(0).getTranslation().getText())
        .isEqualTo("Schlaf gut!");
  }

  @Test
  void anIndexThatAStageLacksOrOfAnotherKindIsRefused(@TempDir Path folder) {
    IndexRef terms = glossary(folder.resolve("first.ltx"), "front desk", "Rezeption");
    String model = "translate: {model: \"" + ShippedModel.path() + "\"";
    BatchStage without = BatchStages.read(folder, model + "}");
    assertThatThrownBy(() -> without.on("translate.glossary", IndexVersion.of(terms)))
        .isInstanceOf(OperatorException.class)
        .hasMessage("stage translate has no index translate.glossary");
    BatchStage with = BatchStages.read(folder, model + ", glossary: first.ltx}");
    IndexVersion wrong = IndexVersion.of(with.index().orElseThrow());
    assertThatThrownBy(() -> with.on("translate.glossary", wrong))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining(
            "stage translate: expected an index of kind glossary, found translation-model");
  }

  @Test
  void whatAModelIsTaughtComesBackAsItWasTaught(@TempDir Path folder) throws IOException {
    ParallelText.of("good night ! ||| gute nacht ! ||| ", "yes ! ||| jawohl ! ||| ")
        .index(folder, "memory.lpx");
    String memory = ", target-language: de, memory: \"" + folder.resolve("memory.lpx") + "\"";
    Instant time = Instant.ofEpochMilli(7);
    LearnedPairs learned =
        LearnedPairs.none()
            .with(
                List.of(
                    LearnedPair.ofTexts("c1", 7, "Good morning. Bye!", "moin  moin. Tschüss!"),
                    LearnedPair.ofTexts("c2", 7, "Yes!", "Doch!"),
                    new LearnedPair("c3", 7, "Good evening", "n'Abend", "0-0")));
    for (String options : List.of("", memory)) {
      LearningStage stage =
          (LearningStage) stage(MODELS, options + ", beam: 1, memory-similarity: 50");
      BatchStage taught = stage.on(stage.index().orElseThrow(), learned);
      List<Translation> done =
          BatchStages.runAll(
                  taught,
                  List.of(
                      Records.envelope(0, "GOOD morning. \n Bye!"),
                      Records.envelope(1, "Good morning. I like this book."),
                      Records.envelope(2, "I like this book."),
                      Records.envelope(3, "Good evening."),
                      Records.envelope(4, "Good night! Yes!"),
                      Records.envelope(5, "I like it. Good evening, Tom")))
              .stream()
              .map(Envelope::getTranslation)
              .toList();
      assertThat(done.get(0).getText()).isEqualTo("moin  moin. Tschüss!");
      assertThat(done.get(0).getMemorySentences()).isEqualTo(2);
      assertThat(done.get(0).getCorrections()).containsExactly(new LearnedFrom("c1", time));
      assertThat(done.get(1).getText()).startsWith("moin  moin. ").endsWith("Buch.");
      assertThat(done.get(1).getMemorySentences()).isEqualTo(1);
      assertThat(done.get(1).getCorrections()).containsExactly(new LearnedFrom("c1", time));
      assertThat(done.get(2).getCorrections()).isEmpty();
      assertThat(done.get(3).getText()).isEqualTo("n'Abend.");
      assertThat(done.get(5).getSimilar())
          .containsExactly(
              new SimilarTranslation(
                  1, "Good evening", "n'Abend", 50, new LearnedFrom("c3", time)));
      assertThat(done.get(5).getCorrections()).isEmpty();
      assertThat(done.get(4).getText()).endsWith(" Doch!");
      assertThat(done.get(4).getMemorySentences()).isEqualTo(options.isEmpty() ? 1 : 2);
      assertThat(done).extracting(Translation::getLearnedPairs).containsOnly(3L);
    }
  }

  @Test
  void aModelTakesNoSentencePairs() {
    LearningStage stage = (LearningStage) stage(MODELS, "");
    assertThatThrownBy(() -> stage.compact(".", "w", BuildProgress.NONE))
        .isInstanceOf(OperatorException.class)
        .hasMessage("stage translate has a model, to which learned pairs cannot be added");
  }

  private static void assertFalling(List<Alternative> list) {
    assertThat(list)
        .allSatisfy(
            entry -> {
              assertThat(entry.getScore()).isNegative().isFinite();
              assertThat(entry.getNormalizedScore()).isNegative().isFinite();
            })
        .isSortedAccordingTo(comparingDouble(Alternative::getNormalizedScore).reversed());
  }

  @Test
  void alternativesOfSeveralSentencesAreSortedWithOrWithoutTheRecordsOwnScores() {
    String options = ", beam: 4, nbest: 4, split-sentences: yes";
    List<Envelope> batch = List.of(Records.envelope(0, "Do you like this book? Good morning."));
    Translation scored = BatchStages.run(stage(MODELS, options), batch).get(0).getTranslation();
    assertThat(scored.getNBest()).hasSize(4);
    assertFalling(scored.getNBest());
    assertThat(scored.getNBest()).extracting(Alternative::getAlignment).containsOnlyNulls();
    assertThat(scored.getScore()).isEqualTo(scored.getNBest().get(0).getScore());
    Translation bare =
        BatchStages.run(stage(MODELS, options + ", scores: false"), batch).get(0).getTranslation();
    assertThat(bare.getNBest()).isEqualTo(scored.getNBest());
    assertThat(bare.getText()).isEqualTo(scored.getText());
    assertThat(bare.getScore()).isNull();
    assertThat(bare.getNormalizedScore()).isNull();
  }

  @Test
  void alignmentsNameWordsAndSpansOfTheRawTexts() {
    String record = "😀 My cat is called Rex.  Visit https://x.org.\nGood morning, Tom!";
    BatchStage stage = stage(MODELS, ", alignment: true");
    Translation got =
        BatchStages.run(stage, List.of(Records.envelope(0, record))).get(0).getTranslation();
    String text = got.getText();
    assertThat(text)
        .isEqualTo(
            "😀 Meine Katze heißt Rex.  Besuchen Sie https://x.org.\n" + "Guten Morgen, Tom!");
    List<String> links =
        got.getAlignment().stream()
            .map(
                point ->
                    cut(text, point.getTargetStart(), point.getTargetEnd())
                        + "<"
                        + cut(record, point.getSourceStart(), point.getSourceEnd()))
            .toList();
    assertThat(links)
        .containsExactly(
            "Meine<My",
            "Katze<cat",
            "heißt<called",
            "Re<Re",
            "x<x",
            ".<.",
            "Besuch<Visit",
            "en<Visit",
            "Sie<Visit",
            "<",
            "https://x.org<https://x.org",
            ".<.",
            "Guten<Good",
            "Morgen<morning",
            ",<,",
            "Tom<Tom",
            "!<!");
    String[] sourceWords = record.split("\\s+", -1);
    String[] targetWords = text.split("\\s+", -1);
    assertThat(got.getAlignment())
        .filteredOn(point -> point.getTargetWord() >= 0)
        .extracting(
            point -> targetWords[point.getTargetWord()] + "<" + sourceWords[point.getSourceWord()])
        .containsExactly(
            "Meine<My",
            "Katze<cat",
            "heißt<called",
            "Rex.<Rex.",
            "Rex.<Rex.",
            "Rex.<Rex.",
            "Besuchen<Visit",
            "Besuchen<Visit",
            "Sie<Visit",
            "https://x.org.<https://x.org.",
            "https://x.org.<https://x.org.",
            "Guten<Good",
            "Morgen,<morning,",
            "Morgen,<morning,",
            "Tom!<Tom!",
            "Tom!<Tom!");
  }

  private static String cut(String text, int start, int end) {
    return start < 0 // a marker that only the model sees
        ? ""
        : text.substring(text.offsetByCodePoints(0, start), text.offsetByCodePoints(0, end));
  }

  @Test
  void aStageTravelsToItsTasks() throws IOException, ClassNotFoundException {
    BatchStage stage = stage(MODELS, ", beam: 3, split-sentences: no, max-length-factor: 2");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(stage);
    }
    assertThat(bytes.size()).isLessThan(4_096);
    BatchStage arrived;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      arrived = (BatchStage) in.readObject();
    }
    assertThat(arrived.indexRefs()).isEqualTo(stage.indexRefs());
    assertThat(texts(BatchStages.run(arrived, batch())))
        .isEqualTo(texts(BatchStages.run(stage, batch())));
  }

  private static List<String> texts(List<Envelope> done) {
    return done.stream()
        .map(e -> e.getTranslation() == null ? "-" : e.getTranslation().getText())
        .toList();
  }

  @Test
  void aModelThatChangedSinceTheJobWasMadeIsRefusedByName(@TempDir Path folder) throws IOException {
    Path copy = folder.resolve(MODEL);
    Files.copy(MODELS.resolve(MODEL), copy);
    BatchStage stage = stage(folder, "");
    try (FileChannel file = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), file.size() - 3);
    }
    assertThatThrownBy(() -> stage.open(Device.CPU, new ResidentIndexes()))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining(MODEL);
    stage.close();
  }

  @Test
  void aJobFileMaySayWhichContentItMeans() {
    IndexRef ref = IndexRefs.of(MODELS.resolve(MODEL));
    assertThat(stage(MODELS, "").pinned(ref)).isFalse();
    BatchStage pinned = stage(MODELS, ", sha256: " + ref.sha256());
    assertThat(pinned.pinned(ref)).isTrue();
    assertThat(pinned.indexRefs()).containsExactly(ref);
    assertThatThrownBy(() -> stage(MODELS, ", sha256: " + "0".repeat(64)))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining(MODEL)
        .hasMessageContaining("expected SHA-256 " + "0".repeat(64))
        .hasMessageContaining("found " + ref.sha256());
  }

  @Test
  void precisionsOfGpusAreRefusedOnTheCpu() {
    assertThat(BatchStages.run(stage(MODELS, ", precision: float32, beam: 1"), batch())).hasSize(5);
    assertThatThrownBy(() -> stage(MODELS, ", precision: bfloat16"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("the CPU supports float32 and int8")
        .hasMessageContaining("bfloat16");
  }

  @Test
  void whatIsNoModelIsRefused(@TempDir Path folder) throws IOException {
    assertThatThrownBy(() -> stage(folder, ""))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining(MODEL);
    Files.writeString(folder.resolve(MODEL), "no model");
    assertThatThrownBy(() -> stage(folder, "")).isInstanceOf(IndexFormatException.class);
    String remote =
        """
        source: {list: {lines: []}}
        stages: [{translate: {model: 's3://bucket/m.lmx'}}]
        indexes: {directory: copies}
        """;
    JobConfig job = JobConfigReader.read(remote, "job.yaml", folder);
    assertThatThrownBy(() -> job.newStages())
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("s3://bucket/m.lmx: no file system for s3:");
  }

  @Test
  void sentencesOfAMemoryAreTranslatedAsThere(@TempDir Path folder) {
    Path memory =
        ParallelText.of(
                "good morning . ||| moin ! ||| ",
                "i like this book . ||| das buch gefällt mir . ||| ")
            .index(folder, "memory.lpx");
    String model = "translate: {model: " + MODELS.resolve(MODEL) + ", beam: 2";
    BatchStage stage = BatchStages.read(folder, model + ", nbest: 2, memory: memory.lpx}");
    assertThat(stage.indexRefs())
        .containsExactly(IndexRefs.of(MODELS.resolve(MODEL)), IndexRefs.of(memory));
    List<Translation> done =
        BatchStages.runAll(stage, batch()).stream().map(Envelope::getTranslation).toList();
    assertThat(done.get(0).getText()).isEqualTo("Moin!");
    assertThat(done.get(0).getMemorySentences()).isEqualTo(1);
    assertThat(done.get(0).getMemoryId()).matches("[0-9a-f]{64}");
    assertThat(done.get(0).getNBest()).hasSize(1);
    assertThat(done.get(0).getScore()).isZero();
    assertThat(done.get(3).getText()).startsWith("Das buch gefällt mir. ").endsWith("?");
    assertThat(done.get(3).getMemorySentences()).isEqualTo(1);
    assertThat(done.get(3).getNBest()).hasSize(2);
    assertThat(done.get(4).getMemorySentences()).isZero();
    Translation without =
        BatchStages.run(BatchStages.read(folder, model + "}"), batch()).get(0).getTranslation();
    assertThat(without.getText()).isEqualTo("Guten Morgen.");
    assertThat(without.getMemoryId()).isEmpty();
    assertThatThrownBy(() -> BatchStages.read(folder, model + ", casing: keep}"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("casing: is a setting of phrases and of a memory");
    assertThatThrownBy(() -> BatchStages.read(folder, model + ", memory: 'http://h/m.lpx'}"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("needs memory-sha256");
  }

  @Test
  void aStageThatIsNotOpenSaysSo() {
    BatchStage stage = stage(MODELS, "");
    assertThatThrownBy(() -> BatchStages.apply(stage, batch(), 0L))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("not open");
    stage.close();
  }
}
