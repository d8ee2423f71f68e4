package io.latimer.schemas;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;

/** One record of each released kind with every field set, from which the golden bytes are made. */
final class Samples {
  private static final Instant SAID = Instant.parse("2026-11-21T08:15:30.123Z");
  private static final Instant ARRIVED = Instant.parse("2026-11-21T08:15:31.456Z");

  private static final Map<String, Supplier<SpecificRecord>> ALL =
      Map.ofEntries(
          Map.entry("Sentence", Samples::sentence),
          Map.entry("Translation", Samples::translation),
          Map.entry("DeadLetter", Samples::deadLetter),
          Map.entry("Envelope", Samples::envelope),
          Map.entry("NgramTable", Samples::ngramTable),
          Map.entry("PublishedModel", Samples::publishedModel),
          Map.entry("Batch", Samples::batch),
          Map.entry("IndexReference", Samples::indexReference),
          Map.entry("JobIdentity", Samples::jobIdentity),
          Map.entry("ControlCommand", Samples::controlCommand),
          Map.entry("ControlStatus", Samples::controlStatus),
          Map.entry("SwapState", Samples::swapState),
          Map.entry("Correction", Samples::correction),
          Map.entry("LearnedBlock", Samples::learnedBlock),
          Map.entry("TablePart", Samples::tablePart),
          Map.entry("TableWindow", Samples::tableWindow),
          Map.entry("TableTotals", Samples::tableTotals),
          Map.entry("TableDue", Samples::tableDue));

  private Samples() {}

  /** The records that are released, or must be. */
  static Set<String> names() {
    return ALL.keySet();
  }

  static SpecificRecord of(String name) {
    return ALL.get(name).get();
  }

  static Sentence sentence() {
    return Sentence.newBuilder()
        .setId("wire-000042")
        .setFeed("wire")
        .setLanguage("en")
        .setText("Zoë's cat \uD83D\uDC08 sat on שלום.")
        .setEventTime(SAID)
        .setHeaders(headers())
        .setTranslatedFrom(
            List.of(
                new EarlierText(
                    "fr",
                    "Le chat de Zoë \uD83D\uDC08 était assis sur שלום.",
                    "1d0c2b7ae1f7c1a3a1d9a0a4f6b3d87c6f0b5e2c9a8d7f6e5c4b3a291807f6e5",
                    "2")))
        .build();
  }

  static Translation translation() {
    return Translation.newBuilder()
        .setSource(sentence())
        .setTargetLanguage("de")
        .setText("Zoës Katze \uD83D\uDC08 saß auf שלום.")
        .setScore(-3.25)
        .setNormalizedScore(-0.40625)
        .setNBest(List.of(alternative(), secondAlternative()))
        .setAlignment(alignment())
        .setModelId("5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef")
        .setModelVersion("1")
        .setSourceTokens(9)
        .setTargetTokens(8)
        .setTimings(
            List.of(
                new StageTiming("translate", 12_345_678L, 2_000_000L, 64),
                new StageTiming("translate/decode", 12_000_000L, 0L, 64)))
        .setLanguageScores(List.of(languageScore("translation", -9.5, 7)))
        .setPhraseTables(List.of(phraseTable()))
        .setGrammarChecks(List.of(grammarCheck("translation")))
        .setLearnedPairs(5_000_000_000L)
        .setLanguageModelId("9c1e0b8d3a3d2c54c0b65b1f7e5d2d1a0f4c6f7b8a9d0e1f2a3b4c5d6e7f8091")
        .setLanguageModelVersion("2")
        .setMemoryId("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae")
        .setMemoryVersion("4")
        .setMemorySentences(1)
        .setCorrections(List.of(new LearnedFrom("c-17", SAID)))
        .setSimilar(
            List.of(
                new SimilarTranslation(
                    1, "Good day, Mr. Hay", "Guten Tag, Hay", 86, new LearnedFrom("c-9", SAID))))
        .setFlags(List.of("numbers", "assembled"))
        .setQuality(0.375)
        .setGlossaryId("fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9")
        .setGlossaryVersion("7")
        .build();
  }

  private static SentencePhraseTable phraseTable() {
    return SentencePhraseTable.newBuilder()
        .setStage("phrases")
        .setText("source")
        .setPhrases(
            List.of(
                new SentencePhrase(
                    3,
                    2,
                    "sat on",
                    5_000_000_000L,
                    300,
                    288L,
                    0.75,
                    List.of(
                        new PhraseTranslation(
                            "saß auf",
                            270,
                            0.9375,
                            0.25,
                            0.5,
                            2,
                            List.of(new LearnedFrom("c-17", SAID), new LearnedFrom("c-9", SAID))),
                        new PhraseTranslation(
                            "sitzt auf der", 18, 0.0625, 1.5, 99.0, 0, List.of())))))
        .setOmittedPhrases(2)
        .setOmittedTranslations(13)
        .setIndexId("2b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfe")
        .setIndexVersion("4")
        .setLearnedPairs(1_234L)
        .build();
  }

  private static Alternative alternative() {
    return Alternative.newBuilder()
        .setText("Zoës Katze \uD83D\uDC08 saß auf שלום.")
        .setScore(-3.25)
        .setNormalizedScore(-0.40625)
        .setLanguageScores(List.of(languageScore("alternative", -9.5, 7)))
        .setGrammarChecks(List.of(grammarCheck("alternative")))
        .setPhraseCoverage(0.4)
        .setWords(6)
        .setRerankScore(-1.0625)
        .setAlignment(alignment())
        .build();
  }

  /** One that no stage looked at. */
  private static Alternative secondAlternative() {
    return Alternative.newBuilder()
        .setText("Die Katze von Zoë saß auf שלום.")
        .setScore(-4.5)
        .setNormalizedScore(-0.5)
        .build();
  }

  private static List<AlignmentPoint> alignment() {
    return List.of(
        new AlignmentPoint(0, 0, 0.875f, 0, 3, 0, 3, 0, 0),
        new AlignmentPoint(1, 1, 0.5f, 3, 5, -1, -1, 0, -1));
  }

  private static LanguageScore languageScore(String text, double log10, int words) {
    return new LanguageScore(
        "score",
        text,
        log10,
        22.25,
        18.75,
        words,
        1,
        "9c1e0b8d3a3d2c54c0b65b1f7e5d2d1a0f4c6f7b8a9d0e1f2a3b4c5d6e7f8091",
        "2");
  }

  private static GrammarCheck grammarCheck(String text) {
    return GrammarCheck.newBuilder()
        .setStage("grammar-check")
        .setText(text)
        .setDerivable(false)
        .setWords(12)
        .setLongestPrefix(7)
        .setAcceptedPrefixes(2)
        .setRoots(List.of("clause", "größe"))
        .setContinuation(new GrammarContinuation(9, true, List.of("und", "."), 5))
        .setGrammarId("7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730")
        .setGrammarVersion("3")
        .build();
  }

  static DeadLetter deadLetter() {
    return DeadLetter.newBuilder()
        .setOriginal(bytes(0xC3, 0x28, 0x00))
        .setKey(bytes(0x6B))
        .setHeaders(headers())
        .setOrigin(origin())
        .setStage("read")
        .setErrorClass("io.latimer.schemas.RecordFormatException")
        .setErrorMessage("malformed UTF-8 at byte 0 (0xC3); texts must be UTF-8")
        .setTime(ARRIVED)
        .build();
  }

  static Envelope envelope() {
    return Envelope.newBuilder()
        .setSentence(sentence())
        .setTranslation(translation())
        .setOrigin(origin())
        .setKey(bytes(0x6B))
        .setOriginal(ByteBuffer.wrap("as it came".getBytes(StandardCharsets.UTF_8)))
        .setFailure(deadLetter())
        .build();
  }

  static NgramTable ngramTable() {
    return NgramTable.newBuilder()
        .setJob("news")
        .setStage("ngrams")
        .setFeed("wire")
        .setUnit("words")
        .setOrder(2)
        .setRunning(true)
        .setStart(SAID)
        .setEnd(ARRIVED)
        .setRevision(1)
        .setSentences(3)
        .setTotal(5_000_000_000L)
        .setDistinct(2_500_000_000L)
        .setLate(1)
        .setTop(
            List.of(new CountedNgram("Zoë's cat", 7L), new CountedNgram("\uD83D\uDC08 sat", 6L)))
        .build();
  }

  static PublishedModel publishedModel() {
    return PublishedModel.newBuilder()
        .setJob("news")
        .setStage("estimate")
        .setFeed("wire")
        .setRunning(true)
        .setStart(SAID)
        .setEnd(ARRIVED)
        .setRevision(1)
        .setSentences(3)
        .setWords(5_000_000_000L)
        .setLate(1)
        .setOrder(2)
        .setNgrams(List.of(12L, 2_500_000_000L))
        .setFallbackOrders(List.of(1))
        .setKind("language-model")
        .setUri(
            "file:///models/5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef.llm")
        .setSha256("5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef")
        .setVersion("2026-11-21T08:15:31.456Z")
        .setFileBytes(4_096L)
        .setProblem("none")
        .build();
  }

  static Batch batch() {
    return Batch.newBuilder()
        .setEnvelopes(List.of(envelope()))
        .setOpenedAt(ARRIVED)
        .setReferences(List.of(stageIndexVersion()))
        .build();
  }

  static IndexReference indexReference() {
    return IndexReference.newBuilder()
        .setKind("translation-model")
        .setUri("file:///models/en-de.lmx")
        .setSha256("5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef")
        .setVersion("1")
        .build();
  }

  private static StageIndexVersion stageIndexVersion() {
    return new StageIndexVersion("translate", indexReference(), 4_096L, 5_000L);
  }

  static Correction correction() {
    return Correction.newBuilder()
        .setId("c-17")
        .setTime(SAID)
        .setSource("Zoë 's cat sat on it .")
        .setTarget("Zoës Katze saß darauf .")
        .setAlignment(List.of(new WordLink(0, 0), new WordLink(2, 1)))
        .build();
  }

  static LearnedBlock learnedBlock() {
    return LearnedBlock.newBuilder()
        .setStage("phrases")
        .setFirst(5_000_000_000L)
        .setPairs(List.of(correction()))
        .setTexts(List.of(new PairTexts("Good  day.", "Guten Tag.")))
        .build();
  }

  static ControlCommand controlCommand() {
    return ControlCommand.newBuilder()
        .setId("0d1b0a2e-6a0e-4a73-9d53-8f4c6a3a2f11")
        .setJob("news")
        .setTime(ARRIVED)
        .setSwap(stageIndexVersion())
        .setCovers(4_096L)
        .setCoversDigest("0123456789abcdef".repeat(4))
        .setReplaces("fedcba9876543210".repeat(4))
        .setSet(new BatchLimits(256, 8_192, 20L))
        .setAppendTo("phrases")
        .setAppend(List.of(correction()))
        .build();
  }

  static ControlStatus controlStatus() {
    return ControlStatus.newBuilder()
        .setCommand("0d1b0a2e-6a0e-4a73-9d53-8f4c6a3a2f11")
        .setJob("news")
        .setStage("translate")
        .setSubtask(1)
        .setSubtasks(2)
        .setState("refused")
        .setMessage("the file does not exist")
        .setReference(indexReference())
        .setTime(ARRIVED)
        .setCorrections(
            List.of(
                new CorrectionStatus("c-17", "learned", "", "Good day.", "Tag.", "Guten Tag."),
                new CorrectionStatus("c-9", "refused", "no room", "Hay", "", "")))
        .build();
  }

  static SwapState swapState() {
    return SwapState.newBuilder()
        .setConfigured(List.of(stageIndexVersion()))
        .setInUse(List.of(stageIndexVersion()))
        .setPending(List.of(controlCommand()))
        .setLimits(new BatchLimits(null, 8_192, null))
        .setOutcomes(
            List.of(
                new CommandOutcome(
                    "0d1b0a2e-6a0e-4a73-9d53-8f4c6a3a2f11",
                    false,
                    "too little memory",
                    true,
                    true)))
        .build();
  }

  static JobIdentity jobIdentity() {
    return JobIdentity.newBuilder().setName("news").build();
  }

  static TablePart tablePart() {
    return TablePart.newBuilder()
        .setGroup("wire")
        .setPane(SAID.toEpochMilli())
        .setRecords(5_000_000_000L)
        .setCounts(bytes(0x01, 0x00, 0xFF))
        .build();
  }

  static TableWindow tableWindow() {
    return TableWindow.newBuilder().setWritten(2).setChanged(true).build();
  }

  static TableTotals tableTotals() {
    return TableTotals.newBuilder()
        .setSince(SAID.toEpochMilli())
        .setUntil(ARRIVED.toEpochMilli())
        .setClosed(ARRIVED.toEpochMilli())
        .setRecords(5_000_000_000L)
        .setLate(3)
        .setChanged(true)
        .build();
  }

  static TableDue tableDue() {
    return TableDue.newBuilder()
        .setRunning(false)
        .setStart(SAID.toEpochMilli())
        .setEnd(ARRIVED.toEpochMilli())
        .setRevision(1)
        .setRecords(5_000_000_000L)
        .setLate(3)
        .setCounts(bytes(0x01, 0x00, 0xFF))
        .build();
  }

  private static SourcePosition origin() {
    return new SourcePosition("sentences", 3, 1_234_567_890_123L, ARRIVED);
  }

  /** A repeated key, an empty value and a null one. */
  private static List<Header> headers() {
    return List.of(
        new Header("trace", bytes(0x00, 0xFF)),
        new Header("trace", bytes()),
        new Header("empty", null));
  }

  private static ByteBuffer bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return ByteBuffer.wrap(bytes);
  }
}
