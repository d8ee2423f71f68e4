package io.latimer.operators.text.numbers;

import com.ibm.icu.util.BytesTrie;
import com.ibm.icu.util.CharsTrie;
import com.ibm.icu.util.CharsTrieBuilder;
import com.ibm.icu.util.StringTrieBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Words and what they mean, found in a text in time linear in a word's length. Immutable. */
final class Lexicon<T> {
  /**
   * A word in a text.
   *
   * @param end where it ends, exclusive
   */
  record Match<T>(int end, T meaning) {}

  private final CharSequence trie;
  private final List<T> meanings = new ArrayList<>();
  private final boolean caseless;

  /**
   * A lexicon of words.
   *
   * @param caseless whether capital and small letters are equal
   */
  Lexicon(Map<String, T> words, boolean caseless) {
    this.caseless = caseless;
    Map<String, T> folded = new LinkedHashMap<>();
    words.forEach((word, meaning) -> folded.putIfAbsent(fold(word.strip()), meaning));
    folded.remove("");
    CharsTrieBuilder builder = new CharsTrieBuilder();
    folded.forEach(
        (word, meaning) -> {
          builder.add(word, meanings.size());
          meanings.add(meaning);
        });
    trie = folded.isEmpty() ? "" : builder.buildCharSequence(StringTrieBuilder.Option.FAST);
  }

  /** The longest word at a place that ends where a word may; null if there is none. */
  Match<T> at(CharSequence text, int from) {
    return at(text, from, 0);
  }

  /**
   * The longest word at a place; null if there is none.
   *
   * @param suffix how many letters may follow in the same word
   */
  Match<T> at(CharSequence text, int from, int suffix) {
    return at(text, from, suffix, meaning -> true);
  }

  /** The same, of the words that fit. */
  Match<T> at(CharSequence text, int from, int suffix, Predicate<T> fits) {
    if (meanings.isEmpty()) {
      return null;
    }
    CharsTrie state = new CharsTrie(trie, 0);
    Match<T> longest = null;
    for (int at = from; at < text.length(); at++) {
      char c = fold(text.charAt(at));
      if (c == 0) {
        continue;
      }
      BytesTrie.Result result = state.next(c);
      if (result.hasValue()
          && endsWithin(text, at + 1, suffix)
          && fits.test(meanings.get(state.getValue()))) {
        longest = new Match<>(at + 1, meanings.get(state.getValue()));
      }
      if (!result.hasNext()) {
        break;
      }
    }
    return longest;
  }

  /** The meaning of a whole text; null if it has none. */
  T of(String word) {
    Match<T> match = at(word, 0, 0);
    return match != null && match.end() == word.length() ? match.meaning() : null;
  }

  private static boolean endsWithin(CharSequence text, int end, int suffix) {
    int limit = (int) Math.min((long) end + suffix, text.length());
    for (int at = end; at <= limit; at++) {
      if (Chars.isWordEnd(text, at)) {
        return true;
      }
      if (suffix == Integer.MAX_VALUE) {
        return true;
      }
    }
    return false;
  }

  private String fold(String word) {
    StringBuilder folded = new StringBuilder();
    for (int i = 0; i < word.length(); i++) {
      char c = fold(word.charAt(i));
      if (c != 0) {
        folded.append(c);
      }
    }
    return folded.toString();
  }

  /** Hyphens and spaces are equal; 0 for what does not count. */
  private char fold(char c) {
    return switch (c) {
      case '\u00AD', '\u200E', '\u200F', '\u061C' -> 0;
      case '-', '\u2010', '\u2011', '\u00A0', '\u202F' -> ' ';
      case '\u2019' -> '\'';
      default -> caseless ? Character.toLowerCase(c) : c;
    };
  }
}
