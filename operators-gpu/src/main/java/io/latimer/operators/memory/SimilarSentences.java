package io.latimer.operators.memory;

import io.latimer.operators.nmt.Remembered;
import io.latimer.operators.nmt.SimilarSentence;
import io.latimer.operators.text.SentenceKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An inverted index of taught sentences by their words, to find those that are similar to a text.
 * The similarity of two sentences is 1 - d / n: d words must be inserted, deleted or replaced to
 * make one of the other (Levenshtein's distance), and the longer one has n. Words are compared as
 * {@link SentenceKey} has them, marks as words of their own. Immutable.
 */
final class SimilarSentences {
  /** Maximum number of sentences that are found. */
  static final int MOST = 3;

  /**
   * Maximum number of cells of distance matrices for a text: a few milliseconds. Sentences with its
   * rarest words are compared first.
   */
  private static final long MOST_CELLS = 1L << 21;

  private static final int WHOLE = 100;

  private static final Comparator<Found> BEST_FIRST =
      Comparator.comparingInt(Found::similarity).reversed().thenComparing(Found::number);

  /**
   * A taught sentence.
   *
   * @param source raw text
   */
  record Taught(String source, Remembered translation) {}

  /** A sentence by its number; later ones have smaller numbers. */
  private record Found(int number, int similarity) {}

  private final List<Taught> sentences;
  private final int[][] words; // of each sentence
  private final Map<String, Integer> ids = new HashMap<>();
  private final List<List<Integer>> places = new ArrayList<>(); // sentences with each word

  /**
   * Makes the index.
   *
   * @param taught newest last
   */
  SimilarSentences(Collection<Taught> taught) {
    sentences = new ArrayList<>(taught);
    Collections.reverse(sentences);
    words = new int[sentences.size()][];
    for (int i = 0; i < words.length; i++) {
      List<String> split = split(sentences.get(i).source());
      words[i] = new int[split.size()];
      for (int j = 0; j < words[i].length; j++) {
        words[i][j] = ids.computeIfAbsent(split.get(j), word -> ids.size());
        if (words[i][j] == places.size()) {
          places.add(new ArrayList<>());
        }
        List<Integer> with = places.get(words[i][j]);
        if (with.isEmpty() || with.get(with.size() - 1) != i) {
          with.add(i);
        }
      }
    }
  }

  /** The words of a text, and its marks. */
  private static List<String> split(String text) {
    String key = SentenceKey.of(text).text();
    List<String> split = new ArrayList<>();
    int start = -1; // of a word
    for (int i = 0; i < key.length(); ) {
      int c = key.codePointAt(i);
      int next = i + Character.charCount(c);
      boolean inWord =
          Character.isLetterOrDigit(c) || Character.getType(c) == Character.NON_SPACING_MARK;
      if (inWord && start < 0) {
        start = i;
      }
      if (!inWord && start >= 0) {
        split.add(key.substring(start, i));
        start = -1;
      }
      if (!inWord && c != ' ') {
        split.add(key.substring(i, next));
      }
      i = next;
    }
    if (start >= 0) {
      split.add(key.substring(start));
    }
    return split;
  }

  /**
   * The most similar sentences to a text, most similar first, of equally similar ones the newest.
   *
   * @param least similarity in percent, 1 to 100
   * @return at most {@link #MOST}
   */
  List<SimilarSentence> find(String text, int least) {
    int[] sought = ids(split(text));
    if (sought.length == 0) {
      return List.of();
    }
    List<Found> found = new ArrayList<>();
    long cells = 0;
    BitSet compared = new BitSet();
    for (int word : rarest(sought, least)) {
      for (int number : places.get(word)) {
        int longer = Math.max(sought.length, words[number].length);
        int shorter = Math.min(sought.length, words[number].length);
        if (compared.get(number) || (long) shorter * WHOLE < (long) longer * least) {
          continue;
        }
        cells += (long) longer * shorter;
        if (cells > MOST_CELLS) {
          return best(found);
        }
        compared.set(number);
        int similarity = WHOLE * (longer - distance(sought, words[number])) / longer;
        if (similarity >= least) {
          found.add(new Found(number, similarity));
        }
      }
    }
    return best(found);
  }

  private List<SimilarSentence> best(List<Found> found) {
    return found.stream()
        .sorted(BEST_FIRST)
        .limit(MOST)
        .map(
            one -> {
              Taught taught = sentences.get(one.number());
              return new SimilarSentence(taught.source(), taught.translation(), one.similarity());
            })
        .toList();
  }

  private int[] ids(List<String> split) {
    return split.stream().mapToInt(word -> ids.getOrDefault(word, -1)).toArray();
  }

  /**
   * The known ones of the rarest words, rarest first: so many that a similar sentence, which may
   * lack all words but one of these, has at least one of them.
   */
  private List<Integer> rarest(int[] sought, int least) {
    int longest = sought.length * WHOLE / least;
    int changes = longest * (WHOLE - least) / WHOLE;
    return Arrays.stream(sought)
        .boxed()
        .sorted(Comparator.comparingInt(word -> word < 0 ? 0 : places.get(word).size()))
        .limit(changes + 1L)
        .filter(word -> word >= 0)
        .distinct()
        .toList();
  }

  /** Levenshtein's distance in words. */
  private static int distance(int[] one, int[] other) {
    int[] row = new int[other.length + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 0; i < one.length; i++) {
      int diagonal = row[0];
      row[0] = i + 1;
      for (int j = 0; j < other.length; j++) {
        int replaced = diagonal + (one[i] == other[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = Math.min(replaced, Math.min(row[j], diagonal) + 1);
      }
    }
    return row[other.length];
  }
}
