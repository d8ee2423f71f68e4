package io.latimer.operators.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.nmt.Remembered;
import io.latimer.operators.nmt.SimilarSentence;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SimilarSentencesTest {
  private static SimilarSentences index(List<String> sources) {
    return new SimilarSentences(
        sources.stream()
            .map(
                one ->
                    new SimilarSentences.Taught(one, Remembered.of(one.toUpperCase(Locale.ROOT))))
            .toList());
  }

  private static List<String> find(SimilarSentences index, String text, int least) {
    return index.find(text, least).stream()
        .map(one -> one.similarity() + " " + one.source())
        .toList();
  }

  @Test
  void sentencesAreComparedByWordsAndMarks() {
    SimilarSentences index =
        index(
            List.of(
                "Do you have a sauna?",
                "Do you have a big sauna?",
                "Do you have a garden?",
                "Go away!"));
    assertThat(find(index, "do you HAVE a Sauna", 70))
        .containsExactly("83 Do you have a sauna?", "71 Do you have a big sauna?");
    assertThat(find(index, "Do you have a pool?", 80))
        .containsExactly("83 Do you have a garden?", "83 Do you have a sauna?");
    assertThat(find(index, "Do you have a pool?", 84)).isEmpty();
    assertThat(find(index, "Nothing like these", 50)).isEmpty();
    assertThat(find(index, "", 50)).isEmpty();
    assertThat(index.find("Go away!", 100).get(0).translation().text()).isEqualTo("GO AWAY!");
  }

  @Test
  void theNewestOfEquallySimilarOnesAreFound() {
    SimilarSentences index = index(List.of("a b c 1", "a b c 2", "a b c 3", "a b c 4"));
    assertThat(find(index, "a b c x", 75))
        .containsExactly("75 a b c 4", "75 a b c 3", "75 a b c 2");
  }

  @Test
  void randomSentencesGiveWhatComparingAllGives() {
    Random random = new Random(7);
    for (int round = 0; round < 60; round++) {
      List<String> sources = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        sources.add(sentence(random));
      }
      SimilarSentences index = index(sources);
      for (int least : List.of(50, 70, 85, 100)) {
        String text = sentence(random);
        List<Integer> found =
            index.find(text, least).stream().map(SimilarSentence::similarity).toList();
        List<Integer> expected =
            sources.stream()
                .map(one -> similarity(one.split(" "), text.split(" ")))
                .filter(one -> one >= least)
                .sorted(Comparator.reverseOrder())
                .limit(SimilarSentences.MOST)
                .toList();
        assertThat(found).as("round %s, %s of %s", round, text, sources).isEqualTo(expected);
      }
    }
  }

  private static String sentence(Random random) {
    return String.join(
        " ", Stream.generate(() -> "w" + random.nextInt(6)).limit(1 + random.nextInt(9)).toList());
  }

  /** By the recursive definition of the distance. */
  private static int similarity(String[] one, String[] other) {
    int longer = Math.max(one.length, other.length);
    return 100 * (longer - distance(one, other, one.length, other.length)) / longer;
  }

  private static int distance(String[] one, String[] other, int m, int n) {
    int[][] all = new int[m + 1][n + 1];
    for (int i = 0; i <= m; i++) {
      for (int j = 0; j <= n; j++) {
        if (i == 0 || j == 0) {
          all[i][j] = i + j;
        } else {
          int same = one[i - 1].equals(other[j - 1]) ? 0 : 1;
          all[i][j] =
              Math.min(all[i - 1][j - 1] + same, 1 + Math.min(all[i - 1][j], all[i][j - 1]));
        }
      }
    }
    return all[m][n];
  }

  @Test
  void theWorkForATextIsBounded() {
    String word = "the same word ".repeat(100);
    List<String> sources = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      sources.add(word + i);
    }
    assertThat(index(sources).find(word + "x", 85)).hasSize(SimilarSentences.MOST);
  }
}
