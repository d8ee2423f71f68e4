package io.latimer.operators.phrases;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.BatchOperatorContract;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseIndexBuilder;
import io.latimer.operators.util.BuildProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the operator keeps to on every device. */
abstract class PhrasesContractTest extends BatchOperatorContract<String, PhraseTable> {
  private static final PhraseOptions OPTIONS = new PhraseOptions(3, 4, 5, true);

  @TempDir private static Path folder;
  private static Path index;

  @BeforeAll
  static void makeIndex() {
    index = ParallelText.random(new Random(16), 25, 4, 9).index(folder, "index.lpx");
  }

  abstract Device device();

  private Phrases open(Path file, PhraseOptions options) {
    return open(file, options, LearnedPairs.none());
  }

  private Phrases open(Path file, PhraseOptions options, LearnedPairs learned) {
    return Phrases.opener(options, Phrases.GPU_BYTES, learned).open(file, device());
  }

  /** Opens an operator with memory for a few of these records. */
  abstract Phrases openWithLittleMemory(Path file, PhraseOptions options);

  /** Where tests write their files. */
  static Path folder() {
    return folder;
  }

  /** An index of a small random text, which has the words of records but for one. */
  static Path index() {
    return index;
  }

  @Override
  protected BatchOperator<String, PhraseTable> openOperator() {
    return open(index, OPTIONS);
  }

  @Override
  protected BatchOperator<String, PhraseTable> openOperatorWithLittleMemory() {
    return openWithLittleMemory(index, OPTIONS);
  }

  @Override
  protected String record(int number) {
    StringBuilder sentence = new StringBuilder();
    for (int left = 12, rest = 7 * number + 11; left > 0; left--, rest = rest * 5 / 3) {
      sentence.append(rest % 11 == 0 ? "new" : "s" + rest % 4).append(' ');
    }
    return sentence.toString();
  }

  @Override
  protected List<String> badRecords() {
    return List.of("s0 ".repeat(PhraseIndex.MAX_SENTENCE_WORDS + 1));
  }

  @Override
  protected void assertSameOutput(PhraseTable expected, PhraseTable found, String where) {
    assertThat(shown(found)).as(where).isEqualTo(shown(expected));
  }

  private static List<String> shown(PhraseTable table) {
    return table.phrases().stream().map(PhrasesContractTest::shown).toList();
  }

  private static String shown(SourcePhrase phrase) {
    StringBuilder text = new StringBuilder();
    text.append(phrase.from()).append(' ').append(phrase.text()).append(' ');
    text.append(phrase.occurrences()).append(' ').append(phrase.samples()).append(' ');
    for (ExtractionOutcome outcome : ExtractionOutcome.values()) {
      text.append(phrase.outcomes(outcome)).append(' ');
    }
    for (PhrasePair pair : phrase.pairs()) {
      text.append(pair.text()).append(' ').append(pair.count()).append(' ');
      text.append(pair.lexicalTargetGivenSource()).append(' ');
      text.append(pair.lexicalSourceGivenTarget()).append(' ');
    }
    return text.toString();
  }

  @Test
  void noTwoPhrasesOfABatchHaveTheSameNumberEvenIfItIsSplit() {
    List<String> records = IntStream.range(0, 200).mapToObj(this::record).toList();
    Map<Integer, String> texts = new HashMap<>();
    try (Phrases phrases = openWithLittleMemory(index, OPTIONS)) {
      for (Result<PhraseTable> table : phrases.apply(records)) {
        for (SourcePhrase phrase : table.orElseThrow().phrases()) {
          String known = texts.putIfAbsent(phrase.number(), phrase.text());
          assertThat(phrase.text()).isEqualTo(known == null ? phrase.text() : known);
        }
      }
    }
    assertThat(texts).isNotEmpty();
  }

  /** Pairs with words that the index has, and with words that it lacks. */
  private static LearnedPairs learned() {
    return ParallelText.of(
            "s0 s1 new ||| t0 t1 n ||| 0-0 1-1 2-2",
            "new ||| n o ||| 0-0 0-1",
            "s2 new s2 ||| t2 n ||| 0-0 1-1")
        .learned(7);
  }

  private static List<String> shown(Phrases phrases) {
    List<String> records = IntStream.range(0, 20).mapToObj(i -> "s" + i % 4 + " new s2").toList();
    return phrases.apply(records).stream()
        .flatMap(result -> shown(result.orElseThrow()).stream())
        .toList();
  }

  @Test
  void learnedPairsGiveWhatAnIndexWithThemGives() {
    Path appended = folder.resolve("appended.lpx");
    PhraseIndexBuilder.append(index, learned(), appended, "", BuildProgress.NONE);
    for (PhraseOptions options : // none of which samples the phrases of these sentences
        List.of(
            PhraseOptions.DEFAULT,
            new PhraseOptions(0, 4, 5, true),
            new PhraseOptions(0, 0, 0, false))) {
      try (Phrases expected = open(appended, options);
          Phrases found = open(index, options, learned());
          Phrases without = open(index, options);
          Phrases none = open(index, options, LearnedPairs.none())) {
        assertThat(expected.index().segments()).hasSize(2);
        assertThat(shown(found)).isEqualTo(shown(expected)).isNotEqualTo(shown(without));
        assertThat(shown(none)).isEqualTo(shown(without));
      }
    }
  }

  /** However frequent a phrase is in the index, what was learned of it counts. */
  @Test
  void learnedPairsAreSampledBesideTheIndex() {
    LearnedPairs learned =
        ParallelText.of(
                "s0 ||| l0 ||| 0-0",
                "s0 ||| l1 ||| 0-0",
                "s0 ||| l0 ||| 0-0",
                "s0 ||| l1 ||| 0-0",
                "s1 ||| l2 ||| 0-0")
            .learned(0);
    try (Phrases with = open(index, OPTIONS, learned);
        Phrases without = open(index, OPTIONS)) {
      List<SourcePhrase> found =
          with.apply(List.of("s0 unknown s1")).get(0).orElseThrow().phrases();
      List<SourcePhrase> base =
          without.apply(List.of("s0 unknown s1")).get(0).orElseThrow().phrases();
      assertThat(base).extracting(SourcePhrase::samples).containsExactly(3, 3);
      assertThat(base).allMatch(phrase -> phrase.occurrences() > 7);
      assertThat(found).extracting(SourcePhrase::samples).containsExactly(6, 4);
      for (int i = 0; i < 2; i++) {
        assertThat(counts(found.get(i), false)).isEqualTo(counts(base.get(i), false));
      }
      // three of its four occurrences
      assertThat(counts(found.get(0), true)).hasSize(2).containsValues(1, 2);
      assertThat(counts(found.get(1), true)).isEqualTo(Map.of("l2", 1));
      assertThat(found.get(1).pairs())
          .filteredOn(pair -> pair.learned() > 0)
          .singleElement()
          .satisfies(
              pair ->
                  assertThat(pair.corrections(3))
                      .extracting(LearnedPair::id)
                      .containsExactly("pair 4"));
    }
  }

  /** The counts of the translations that learned pairs gave, or of the others. */
  private static Map<String, Integer> counts(SourcePhrase phrase, boolean learned) {
    return phrase.pairs().stream()
        .filter(pair -> (pair.learned() > 0) == learned)
        .collect(Collectors.toMap(PhrasePair::text, PhrasePair::count));
  }

  @Test
  void operatorsWithTheSamePairsShareACopyMadeOfTheLoadedIndex() throws IOException {
    Path file = Files.copy(index, folder.resolve("deleted.lpx"));
    IndexRef ref = IndexRefs.of(file);
    ResidentIndexes residents = new ResidentIndexes();
    Function<LearnedPairs, Phrases> opener =
        pairs -> Phrases.opener(OPTIONS, Phrases.GPU_BYTES, pairs).open(residents, ref, device());
    try (Phrases base = opener.apply(LearnedPairs.none(5))) {
      Files.delete(file);
      LearnedPairs more =
          learned().with(List.of(new LearnedPair("more", 1, "s0 new", "m", "0-0 1-0")));
      try (Phrases one = opener.apply(learned());
          Phrases same = opener.apply(learned());
          Phrases other = opener.apply(more)) {
        assertThat(same.index()).isSameAs(one.index()).isNotSameAs(other.index());
        assertThat(one.index().segments().get(0)).isSameAs(base.index().segments().get(0));
        assertThat(other.index().segments().get(0)).isSameAs(base.index().segments().get(0));
        assertThat(residents.size()).isEqualTo(3);
        assertThat(shown(same)).isEqualTo(shown(one)).isNotEqualTo(shown(other));
      }
      assertThat(residents.size()).isEqualTo(1);
      assertThat(shown(base)).isNotEmpty();
    }
    assertThat(residents.size()).isZero();
  }

  @Test
  void theIndexStaysWhileItsLearnedPairsAreUsed() {
    ResidentIndexes residents = new ResidentIndexes();
    IndexRef ref = IndexRefs.of(index);
    IndexOpener<Phrases> opener = Phrases.opener(OPTIONS, Phrases.GPU_BYTES, learned());
    Phrases alone;
    try (Phrases base = Phrases.opener(OPTIONS).open(residents, ref, device())) {
      assertThat(base.index().learned().isEmpty()).isTrue();
      alone = opener.open(residents, ref, device());
    }
    try (alone;
        Phrases expected = open(index, OPTIONS, learned())) {
      assertThat(shown(alone)).isEqualTo(shown(expected)).isNotEmpty();
      assertThat(residents.size()).isEqualTo(2);
    }
    assertThat(residents.size()).isZero();
  }

  @Test
  void namesTheLearnedPairsThatGaveATranslation() {
    try (Phrases phrases = open(index, new PhraseOptions(0, 0, 0, false), learned())) {
      SourcePhrase phrase = phrases.apply(List.of("new s0")).get(0).orElseThrow().phrases().get(0);
      assertThat(phrase.text()).isEqualTo("new");
      assertThat(phrase.pairs()).extracting(PhrasePair::text).containsExactly("n", "n o");
      assertThat(phrase.pairs()).extracting(PhrasePair::learned).containsExactly(2, 1);
      assertThat(phrase.pairs().get(0).corrections(3))
          .extracting(LearnedPair::id)
          .containsExactly("pair 9", "pair 7");
      assertThat(phrase.pairs().get(0).corrections(1))
          .extracting(LearnedPair::time)
          .containsExactly(1009L);
      assertThat(phrase.pairs().get(1).corrections(3))
          .extracting(LearnedPair::id)
          .containsExactly("pair 8");
      assertThat(phrases.index().learned()).isEqualTo(learned());
    }
    try (Phrases phrases = open(index, OPTIONS)) {
      PhrasePair pair =
          phrases.apply(List.of("s0")).get(0).orElseThrow().phrases().get(0).pairs().get(0);
      assertThat(pair.learned()).isZero();
      assertThat(pair.corrections(3)).isEmpty();
    }
  }

  @Test
  void theLongestSentenceHasResults() {
    try (BatchOperator<String, PhraseTable> phrases = openOperator()) {
      List<Result<PhraseTable>> results =
          phrases.apply(List.of("s0 ".repeat(PhraseIndex.MAX_SENTENCE_WORDS)));
      assertThat(results.get(0).orElseThrow().phrases())
          .extracting(SourcePhrase::from)
          .isNotEmpty()
          .containsOnly(0);
    }
  }

  /** Without a limit of words, a sentence that the index has, too, has a phrase for each range. */
  @Test
  void aSentenceOfTooManyPhrasesFailsAlone() {
    String sentence =
        IntStream.range(0, 1100).mapToObj(i -> "w" + i).collect(Collectors.joining(" "));
    Path path = ParallelText.of(sentence + " ||| x ||| 0-0").index(folder, "long.lpx");
    try (Phrases phrases = open(path, new PhraseOptions(0, 0, 0, false))) {
      List<Result<PhraseTable>> results = phrases.apply(List.of("w1 w2", sentence, "w3"));
      assertThat(results.get(0).orElseThrow().phrases()).hasSize(3);
      assertThat(results.get(2).orElseThrow().phrases()).hasSize(1);
      assertThat(results.get(1))
          .isInstanceOfSatisfying(
              Result.Failure.class,
              failure ->
                  assertThat(failure.error())
                      .hasMessageContaining("more than 524288 phrases of the sentence"));
    }
  }

  @Test
  void aPhraseOfSeveralSentencesIsTheSameInEach() {
    try (BatchOperator<String, PhraseTable> phrases = openOperator()) {
      List<Result<PhraseTable>> results = phrases.apply(List.of("s0 s1", "new s0 s1", "s1 s0 s1"));
      String alone = shown(results.get(0).orElseThrow().phrases().get(0));
      SourcePhrase second = results.get(1).orElseThrow().phrases().get(0);
      assertThat(second.from()).isEqualTo(1);
      assertThat("0" + shown(second).substring(1)).isEqualTo(alone);
    }
  }

  /** The index has no bound on such runs; the limit of target words is one. */
  @Test
  void aLongUnalignedRunIsExtendedOverUpToTheLongestTargetPhrase() {
    ParallelText text =
        ParallelText.of(
            "a b ||| " + "u ".repeat(30_000) + "x" + " v".repeat(30_000) + " ||| 0-30000");
    Path path = text.index(folder, "run.lpx");
    try (Phrases phrases = open(path, new PhraseOptions(0, 1, 15, true))) {
      List<SourcePhrase> found = phrases.apply(List.of("a")).get(0).orElseThrow().phrases();
      assertThat(found).hasSize(1);
      assertThat(found.get(0).pairs()).hasSize(15 * 16 / 2);
      assertThat(found.get(0).extractions()).isEqualTo(15 * 16 / 2);
      assertThat(found.get(0).pairs()).allMatch(pair -> pair.words() <= 15);
    }
  }

  @Test
  void unknownWordsAndWhatIsNoWordSeparatePhrases() {
    Path path =
        ParallelText.of("a b ||| x ||| 0-0", "c ||| x ||| ", "? ||| x ||| 0-0")
            .index(folder, "abc.lpx");
    try (Phrases phrases = open(path, new PhraseOptions(0, 0, 0, false))) {
      for (String sentence : List.of("", " ", "x", "\u0000", "x \t y", "A", "\uD800")) {
        assertThat(phrases.apply(List.of(sentence)).get(0).orElseThrow().phrases()).isEmpty();
      }
      assertThat(phrases.apply(List.of("b c a x b a b")).get(0).orElseThrow().phrases())
          .extracting(SourcePhrase::text)
          .containsExactly("b", "c", "a", "a b");
    }
  }
}
