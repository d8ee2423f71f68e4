package io.latimer.operators.lm;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.Hashing;
import java.util.Arrays;

/**
 * Splits text into words and finds their ids. Words are separated by NUL, tab, line feed, vertical
 * tab, form feed, carriage return and space, as in KenLM's query.
 */
public final class LmText {
  private LmText() {}

  /**
   * The ids of the words of a text, 0 for words that are not in the vocabulary.
   *
   * @param bytes bytes that contain the text, in the encoding of the model's words
   * @param from its first byte
   * @param to the byte after its last
   */
  public static int[] ids(WordTable vocabulary, byte[] bytes, int from, int to) {
    int[] ids = new int[mostTokens(to - from)];
    int words = 0;
    int at = from;
    while (at < to) {
      if (WordIds.isSpace(bytes[at])) {
        at++;
        continue;
      }
      int start = at;
      long hash = WordTable.FNV_BASIS;
      while (at < to && !WordIds.isSpace(bytes[at])) {
        hash = WordTable.hashNext(hash, bytes[at++]);
      }
      ids[words++] = vocabulary.id(Hashing.mix(hash), bytes, start, at);
    }
    return Arrays.copyOf(ids, words);
  }

  /** The maximum number of tokens in text of the given size in bytes. */
  static int mostTokens(int bytes) {
    return (bytes + 1) / 2 + 2; // words, <s> and </s>
  }

  /** The tokens of a text: its words and the sentence marks around them. */
  static int[] tokens(LanguageModel model, ScoreOptions options, byte[] bytes, int from, int to) {
    int[] tokens = new int[mostTokens(to - from)];
    WordReader words = new WordReader(model.vocabulary());
    return Arrays.copyOf(tokens, tokens(model, words, options, bytes, from, to, tokens, 0));
  }

  /**
   * Writes the tokens of a text with their flags.
   *
   * @param words of the model's vocabulary
   * @param tokens has room for {@link #mostTokens} from {@code size} on
   * @return the position after them
   */
  static int tokens(
      LanguageModel model,
      WordReader words,
      ScoreOptions options,
      byte[] bytes,
      int from,
      int to,
      int[] tokens,
      int size) {
    int end = size;
    if (options.begin()) {
      tokens[end++] = model.beginSentence() | LmTokens.CONTEXT;
    }
    end = words.read(bytes, from, to, tokens, end);
    if (options.end()) {
      tokens[end++] = model.endSentence();
    }
    if (end > size) {
      tokens[size] |= LmTokens.FIRST;
    }
    return end;
  }
}
