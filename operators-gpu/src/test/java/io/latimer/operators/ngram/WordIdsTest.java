package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WordIdsTest {

  @Test
  void idsAreInTheOrderOfFirstAppearance() {
    Random random = new Random(1);
    WordIds ids = new WordIds();
    Map<String, Integer> expected = new HashMap<>();
    List<String> words = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      String word = Integer.toString(random.nextInt(20_000), 36) + (i % 7 == 0 ? "é" : "");
      int id = expected.computeIfAbsent(word, w -> expected.size());
      if (id == words.size()) {
        words.add(word);
      }
      assertThat(ids.id(word)).isEqualTo(id);
    }
    assertThat(ids.size()).isEqualTo(words.size());
    assertThat(ids.words()).isEqualTo(words);
    List<String> sorted = new ArrayList<>();
    for (int id : ids.sorted()) {
      sorted.add(ids.word(id));
    }
    assertThat(sorted).isEqualTo(words.stream().sorted().toList()); // all below U+D800
  }

  @Test
  void anyBytesAreAWord() {
    WordIds ids = new WordIds();
    byte[] bytes = {'x', (byte) 0xff, (byte) 0xfe, 'x'};
    assertThat(ids.id(bytes, 1, 2)).isZero();
    assertThat(ids.id(bytes, 2, 3)).isEqualTo(1);
    assertThat(ids.id(bytes, 1, 3)).isEqualTo(2);
    assertThat(ids.id(bytes, 1, 1)).isEqualTo(3);
    assertThat(ids.id("")).isEqualTo(3);
    assertThat(ids.bytes(2)).containsExactly(0xff, 0xfe);
    assertThat(ids.sorted()).containsExactly(3, 1, 0, 2);
  }

  @Test
  void wordsAreSplitAsKenLmDoes() {
    assertThat(WordIds.split(" a\tb\u000bc\fd\r\ne\u0000f  g\u00a0h\u0085i "))
        .containsExactly("a", "b", "c", "d", "e", "f", "g\u00a0h\u0085i");
    assertThat(WordIds.split("")).isEmpty();
    WordIds counted = new WordIds();
    assertThat(counted.ids("a\u000bb\tc\fd\r\na\u000bb\u0000c\fd e\u0085"))
        .containsExactly(0, 1, 0, 1, 2);
    assertThat(counted.words()).containsExactly("a\u000bb", "c\fd", "e\u0085");
    assertThat(new WordIds().ids("to be or not to be")).containsExactly(0, 1, 2, 3, 0, 1);
  }

  @Test
  void anUnknownIdIsRefused() {
    WordIds ids = new WordIds();
    ids.id("one".getBytes(StandardCharsets.UTF_8), 0, 3);
    assertThatThrownBy(() -> ids.word(1)).isInstanceOf(OperatorException.class);
    assertThatThrownBy(() -> ids.bytes(-1)).isInstanceOf(OperatorException.class);
  }
}
