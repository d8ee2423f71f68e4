package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BpeSegmenterTest {

  @Test
  void version02JoinsTheEndOfAWordToItsLastCharacter() {
    BpeSegmenter bpe = of("#version: 0.2\nl o\nlo w</w>\ne r</w>\nlo w\nlow er</w>\n");
    assertThat(bpe.segment("low lower slow lo  lows"))
        .containsExactly("low", "lower", "s@@", "low", "l@@", "o", "low@@", "s");
  }

  @Test
  void version01HasTheEndOfAWordAsASymbol() {
    BpeSegmenter bpe = of("l o\nlo w\nlow </w>\ne r\n");
    assertThat(bpe.segment("low lowers slow"))
        .containsExactly("low", "low@@", "er@@", "s", "s@@", "low");
    // "w</w>" is one character and an end here, but one symbol in 0.2
    assertThat(of("w </w>\n").segment("aw")).containsExactly("a@@", "w");
    assertThat(of("#version: 0.1\na w\n").segment("aw")).containsExactly("aw");
  }

  @Test
  void mergesAllPlacesOfAPairBeforeThePairsTheyMake() {
    // "ab a" ranks first, but "a b" is merged everywhere before it can arise
    assertThat(of("#version: 0.2\nab a\na b\nab ab\n").segment("ababx"))
        .containsExactly("abab@@", "x");
    assertThat(of("#version: 0.2\na a\n").segment("aaaax")).containsExactly("aa@@", "aa@@", "x");
    assertThat(of("#version: 0.2\na a\n").segment("aaax")).containsExactly("aa@@", "a@@", "x");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "#version: 0.3\\na b | line 1 | version 0.3",
        "a b\\nab            | line 2 | two symbols",
        "a b\\na b c         | line 2 | two symbols",
        "a b\\n\\nc d        | line 2 | two symbols",
      })
  void refusesBrokenCodesByLine(String codes, String where, String what) {
    assertThatThrownBy(() -> of(codes.replace("\\n", "\n")))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("codes, " + where)
        .hasMessageContaining(what);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void agreesWithThePlainAlgorithmOnRandomCodes(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      List<String> merges = randomMerges(random);
      BpeSegmenter bpe = of("#version: 0.2\n" + String.join("\n", merges));
      String word = randomWord(random);
      assertThat(bpe.segment(word)).as("%s by %s", word, merges).isEqualTo(plain(word, merges));
      assertThat(bpe.join(bpe.segment(word))).isEqualTo(word);
    }
  }

  @Test
  void threadsThatShareItGetTheSame() throws InterruptedException {
    List<String> merges = randomMerges(new Random(7));
    BpeSegmenter bpe = of("#version: 0.2\n" + String.join("\n", merges));
    List<String> wrong = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int seed = 0; seed < 4; seed++) {
      Random random = new Random(seed);
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 3_000; i++) {
                  String word = randomWord(random);
                  if (!bpe.segment(word).equals(plain(word, merges))) {
                    wrong.add(word);
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void aWordOfAHundredThousandCharactersIsDoneAtOnce() {
    String word = "ab".repeat(50_000);
    assertThat(of("#version: 0.2\na b\nab ab\n").segment(word).size()).isEqualTo(25_002);
  }

  private static List<String> randomMerges(Random random) {
    List<String> symbols = new ArrayList<>(List.of("a", "b", "c", "a</w>", "b</w>", "c</w>"));
    List<String> merges = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String left = symbols.get(random.nextInt(symbols.size()));
      String right = symbols.get(random.nextInt(symbols.size()));
      if (!left.endsWith("</w>")) {
        merges.add(random.nextInt(merges.size() + 1), left + " " + right);
        symbols.add(left + right);
      }
    }
    return merges;
  }

  private static String randomWord(Random random) {
    StringBuilder word = new StringBuilder();
    int length = 1 + random.nextInt(14);
    for (int i = 0; i < length; i++) {
      word.append((char) ('a' + random.nextInt(3)));
    }
    return word.toString();
  }

  /** The algorithm as the paper has it: find the best pair, merge it everywhere, again. */
  private static List<String> plain(String word, List<String> merges) {
    List<String> symbols = new ArrayList<>();
    for (int i = 0; i < word.length(); i++) {
      symbols.add(word.charAt(i) + (i == word.length() - 1 ? "</w>" : ""));
    }
    while (true) {
      int best = Integer.MAX_VALUE;
      for (int i = 0; i + 1 < symbols.size(); i++) {
        int rank = merges.indexOf(symbols.get(i) + " " + symbols.get(i + 1));
        best = rank >= 0 ? Math.min(best, rank) : best;
      }
      if (best == Integer.MAX_VALUE) {
        break;
      }
      for (int i = 0; i + 1 < symbols.size(); i++) {
        if (merges.get(best).equals(symbols.get(i) + " " + symbols.get(i + 1))) {
          symbols.set(i, symbols.get(i) + symbols.remove(i + 1));
        }
      }
    }
    List<String> pieces = new ArrayList<>();
    for (String symbol : symbols) {
      boolean last = symbol.endsWith("</w>");
      pieces.add(last ? symbol.substring(0, symbol.length() - 4) : symbol + "@@");
    }
    return pieces;
  }

  private static BpeSegmenter of(String codes) {
    return BpeSegmenter.of(codes.getBytes(StandardCharsets.UTF_8), "codes");
  }
}
