package io.latimer.operators.phrases.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.index.WordTableBuilder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class AddedWordsTest {
  /** A vocabulary of the words "the" and "house": 8 bytes. */
  private static WordTable base() {
    WordTableBuilder words = new WordTableBuilder(new byte[0]);
    for (String word : List.of("the", "house")) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      words.add(bytes, 0, bytes.length);
    }
    return words.build();
  }

  private static List<Integer> ids(AddedWords words, String... all) {
    return List.of(all).stream()
        .map(word -> word.getBytes(StandardCharsets.UTF_8))
        .map(bytes -> words.id(bytes, 0, bytes.length))
        .toList();
  }

  @Test
  void newWordsFollowThoseOfTheVocabulary() {
    AddedWords words = new AddedWords(base());
    assertThat(ids(words, "house", "cat", "the", "dog", "cat")).containsExactly(2, 3, 1, 4, 3);
    PhraseVocabulary all = words.vocabulary();
    assertThat(all.size()).isEqualTo(5);
    assertThat(all.word(4)).isEqualTo("dog");
  }

  /** An index file has one text of all words. */
  @Test
  void theLengthOfAllWordsIsBounded() {
    AddedWords fits = new AddedWords(base(), 14);
    ids(fits, "cat", "dog", "the");
    assertThat(fits.vocabulary().size()).isEqualTo(5);
    AddedWords tooLong = new AddedWords(base(), 13);
    ids(tooLong, "cat", "dog", "the");
    assertThatThrownBy(tooLong::vocabulary)
        .isInstanceOf(PhraseTextException.class)
        .hasMessage(
            "the text has too many words: the limits are 67108863 distinct words and 2 GB of them");
    AddedWords none = new AddedWords(base(), 7);
    ids(none, "the");
    assertThat(none.vocabulary().size()).isEqualTo(3);
  }
}
