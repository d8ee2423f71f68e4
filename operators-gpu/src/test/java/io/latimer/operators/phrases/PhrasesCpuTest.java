package io.latimer.operators.phrases;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.BatchOperatorContract;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.phrases.index.PhraseIndex;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator on the CPU keeps to the contract, on any number of threads. */
class PhrasesCpuTest extends BatchOperatorContract<String, PhraseTable> {
  @TempDir private static Path folder;
  private static Path index;

  @BeforeAll
  static void index() {
    Random random = new Random(16);
    ParallelText text = ParallelText.random(random);
    while (text.pairs().size() < 20) {
      text = ParallelText.random(random);
    }
    index = text.index(folder, "index.lpx");
  }

  @Override
  protected BatchOperator<String, PhraseTable> openOperator() {
    return Phrases.opener(new PhraseOptions(3, 4, 5, true)).open(index, Device.CPU);
  }

  @Override
  protected BatchOperator<String, PhraseTable> openOperatorWithLittleMemory() {
    return openOperator();
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
    return table.phrases().stream().map(PhrasesCpuTest::shown).toList();
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

  /** Without a limit of words, a sentence that the index has, too, has a phrase for each range. */
  @Test
  void aSentenceOfTooManyPhrasesFailsAlone() {
    String sentence =
        IntStream.range(0, 1100).mapToObj(i -> "w" + i).collect(Collectors.joining(" "));
    Path path = ParallelText.of(sentence + " ||| x ||| 0-0").index(folder, "long.lpx");
    try (Phrases phrases =
        Phrases.opener(new PhraseOptions(0, 0, 0, false)).open(path, Device.CPU)) {
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
  void anyNumberOfThreadsGivesTheSame() {
    String[][] sentences =
        IntStream.range(0, 200)
            .mapToObj(i -> record(i).trim().split(" ", -1))
            .toArray(String[][]::new);
    PhraseOptions options = new PhraseOptions(0, 0, 0, false);
    try (IndexFile file = IndexFile.open(index);
        PhraseIndex phrases = PhraseIndex.open(file);
        ExtractPhrases one = new ExtractPhrasesCpu(phrases, 1);
        ExtractPhrases three = new ExtractPhrasesCpu(phrases, 3)) {
      ExtractedPhrases expected = one.extract(sentences, options);
      ExtractedPhrases found = three.extract(sentences, options);
      for (int i = 0; i < sentences.length; i++) {
        assertSameOutput(
            new PhraseTable(expected, i), new PhraseTable(found, i), Arrays.toString(sentences[i]));
      }
    }
  }

  /** The index has no bound on such runs; the limit of target words is one. */
  @Test
  void aLongUnalignedRunIsExtendedOverUpToTheLongestTargetPhrase() {
    ParallelText text =
        ParallelText.of(
            "a b ||| " + "u ".repeat(30_000) + "x" + " v".repeat(30_000) + " ||| 0-30000");
    Path path = text.index(folder, "run.lpx");
    try (Phrases phrases =
        Phrases.opener(new PhraseOptions(0, 1, 15, true)).open(path, Device.CPU)) {
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
    try (Phrases phrases =
        Phrases.opener(new PhraseOptions(0, 0, 0, false)).open(path, Device.CPU)) {
      for (String sentence : List.of("", " ", "x", "\u0000", "x \t y", "A", "\uD800")) {
        assertThat(phrases.apply(List.of(sentence)).get(0).orElseThrow().phrases()).isEmpty();
      }
      assertThat(phrases.apply(List.of("b c a x b a b")).get(0).orElseThrow().phrases())
          .extracting(SourcePhrase::text)
          .containsExactly("b", "c", "a", "a b");
    }
  }
}
