package io.latimer.operators.smt;

import io.latimer.operators.phrases.index.PhraseVocabulary;
import io.latimer.operators.text.TokenIds;

/** The words of one side of a phrase index as tokens: a word's id is one more than in the index. */
record IndexWords(PhraseVocabulary words) implements TokenIds {
  /** The id of a word, by its id in the index. */
  static int id(int word) {
    return word + 1;
  }

  @Override
  public int size() {
    return Math.max(2, id(words.size()));
  }

  @Override
  public int id(String token) {
    return id(words.id(token)); // END of the index, for an unknown word, becomes UNKNOWN
  }

  @Override
  public String token(int id) {
    return words.word(id - 1);
  }
}
