package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class WordCacheTest {
  private final WordCache cache = new WordCache();

  @Test
  void findsAWordWhereItStandsInALine() {
    cache.put("word", List.of("wo@@", "rd"));
    assertThat(cache.get("a word here", 2, 6)).containsExactly("wo@@", "rd");
    assertThat(cache.get("a word here", 2, 5)).isNull();
    assertThat(cache.get("a words", 2, 7)).isNull();
    assertThat(cache.get("word", 0, 4)).isNotNull();
    assertThat(cache.get("Word", 0, 4)).isNull();
  }

  @Test
  void wordsOfOneHashAreToldApartAndTheLastTwoAreKept() {
    String[] words = {"AaAa", "AaBB", "BBAa", "BBBB"}; // as String's hash has it
    for (String word : words) {
      cache.put(word, List.of(word));
    }
    assertThat(cache.get("AaAa AaBB", 0, 4)).isNull();
    assertThat(cache.get("AaAa AaBB", 5, 9)).isNull();
    assertThat(cache.get("BBAa BBBB", 0, 4)).containsExactly("BBAa");
    assertThat(cache.get("BBAa BBBB", 5, 9)).containsExactly("BBBB");
  }

  @Test
  void aLongWordIsNotKept() {
    String longest = "x".repeat(64);
    cache.put(longest, List.of("known"));
    cache.put(longest + "x", List.of("known"));
    assertThat(cache.get(longest + " ", 0, 64)).containsExactly("known");
    assertThat(cache.get(longest + "x", 0, 65)).isNull();
  }
}
