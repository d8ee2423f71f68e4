package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.nmt.Remembered;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Tokenizer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexedTranslationMemoryTest {
  private static final PhraseText MOSES = new PhraseText("en", "de", Tokenizer.MOSES, Casing.LOWER);
  private static final PhraseText PLAIN = new PhraseText("en", "de", Tokenizer.NONE, Casing.KEEP);

  @TempDir private Path folder;
  private final ResidentIndexes residents = new ResidentIndexes();

  private IndexedTranslationMemory open(Path index, PhraseText text) {
    return IndexedTranslationMemory.open(residents, IndexRefs.of(index), text);
  }

  private static Optional<String> find(IndexedTranslationMemory memory, String sentence) {
    return memory.find(sentence).map(Remembered::text);
  }

  @Test
  void wholeSentencesAreFoundAndNoOthers() {
    Path index =
        ParallelText.of(
                "come in ! ||| herein ! ||| 0-0",
                "please come in ! ||| bitte , herein ! ||| 0-0",
                "it &apos;s late . ||| es ist &quot; spät &quot; . ||| 0-0")
            .index(folder, "index.lpx");
    IndexRef ref = IndexRefs.of(index);
    try (IndexedTranslationMemory memory = open(index, MOSES)) {
      assertThat(find(memory, "Come in!")).contains("Herein!");
      assertThat(find(memory, "PLEASE  come in !")).contains("Bitte, herein!");
      assertThat(find(memory, "It's late.")).contains("Es ist \"spät\".");
      assertThat(find(memory, "Come in! 😀")).contains("Herein! 😀");
      assertThat(find(memory, "come in")).isEmpty();
      assertThat(find(memory, "in!")).isEmpty();
      assertThat(find(memory, "Come in, please!")).isEmpty();
      assertThat(find(memory, "Come 😀 in!")).isEmpty();
      assertThat(find(memory, "Come in! It's late.")).isEmpty();
      assertThat(find(memory, "")).isEmpty();
      assertThat(find(memory, "unknown")).isEmpty();
      assertThat(memory.id()).hasSize(64);
      assertThat(residents.holds(ref.sha256())).isTrue();
    }
    assertThat(residents.holds(ref.sha256())).isFalse();
  }

  @Test
  void theMostFrequentTranslationIsUsedThenTheLastOne() {
    Path index =
        ParallelText.of(
                "yes ||| ja ||| ",
                "yes ||| doch ||| ",
                "no ||| nein ||| ",
                "no ||| nö ||| ",
                "yes ||| doch ||| ",
                "yes ||| jawohl ||| ")
            .index(folder, "index.lpx");
    try (IndexedTranslationMemory memory = open(index, PLAIN)) {
      assertThat(find(memory, "yes")).contains("doch");
      assertThat(find(memory, "no")).contains("nö");
      assertThat(find(memory, "Yes")).isEmpty();
    }
    ParallelText.of("no ||| nein ||| ", "yes ||| ja ||| ").append(folder, index);
    try (IndexedTranslationMemory memory = open(index, PLAIN)) {
      assertThat(find(memory, "no")).contains("nein");
      assertThat(find(memory, "yes")).contains("ja"); // as frequent as doch, and later
    }
  }

  @Test
  void randomTextsGiveWhatCountingGives() {
    for (int round = 0; round < 40; round++) {
      Random random = new Random(round);
      ParallelText text = ParallelText.random(random);
      ParallelText more = ParallelText.random(random);
      Path index = text.index(folder, round + ".lpx");
      more.append(folder, index);
      List<ParallelText.Pair> all = new ArrayList<>(text.pairs());
      all.addAll(more.pairs());
      try (IndexedTranslationMemory memory = open(index, PLAIN)) {
        for (ParallelText.Pair pair : all) {
          assertThat(find(memory, String.join(" ", pair.source())))
              .as("round %s", round)
              .contains(expected(all, pair.source()));
          List<String> part = pair.source().subList(1, pair.source().size());
          boolean known = all.stream().anyMatch(one -> one.source().equals(part));
          assertThat(find(memory, String.join(" ", part)).isPresent()).isEqualTo(known);
        }
      }
    }
  }

  private static String expected(List<ParallelText.Pair> all, List<String> source) {
    Map<String, Integer> counts = new HashMap<>();
    String best = "";
    for (ParallelText.Pair pair : all) {
      if (pair.source().equals(source)) {
        counts.merge(String.join(" ", pair.target()), 1, Integer::sum);
      }
    }
    for (ParallelText.Pair pair : all) {
      String target = String.join(" ", pair.target());
      if (pair.source().equals(source) && counts.get(target) >= counts.getOrDefault(best, 0)) {
        best = target;
      }
    }
    return best;
  }
}
