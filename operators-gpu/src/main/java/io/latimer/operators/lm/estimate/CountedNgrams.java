package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.operators.ngram.NgramUnit;
import java.util.Arrays;

/**
 * Presents the table of a counter of word n-grams as the n-grams of a text.
 *
 * <p>Each sentence is counted from its end to its start: {@code </s>}, the words, and enough {@code
 * <s>} for the first word to start an n-gram ({@link #record}). The table is therefore in suffix
 * order.
 */
final class CountedNgrams implements SortedNgrams {
  private NgramCounts counts;
  private final int[] starts;

  /**
   * @param counts of records made by {@link #record}
   * @param parts approximate number of parts
   */
  CountedNgrams(NgramCounts counts, int parts) {
    if (counts.unit() != NgramUnit.WORDS) {
      throw new OperatorException(
          "a language model needs counts of words, not of " + counts.unit());
    }
    this.counts = counts;
    int[] cuts = new int[parts + 1];
    int size = 1;
    for (int part = 1; part <= parts; part++) {
      int cut = (int) ((long) counts.size() * part / parts);
      while (cut > 0 && cut < counts.size() && counts.word(cut, 0) == counts.word(cut - 1, 0)) {
        cut++;
      }
      if (cut > cuts[size - 1]) {
        cuts[size++] = cut;
      }
    }
    this.starts = Arrays.copyOf(cuts, size);
  }

  /**
   * The record that represents a sentence in the counts.
   *
   * @param ids from {@link #BEGIN} to {@link #END}
   * @param from start of the sentence
   * @param to the position after its end
   */
  static int[] record(int[] ids, int from, int to, int order) {
    int length = to - from;
    int[] record = new int[length - 1 + order - 1];
    for (int i = 0; i < record.length; i++) {
      record[i] = i < length ? ids[to - 1 - i] : BEGIN;
    }
    return record;
  }

  /**
   * The number of occurrences of each word; {@link #END} occurs once per sentence.
   *
   * @param words size of the dictionary
   * @throws OperatorException if the counts are not of such records
   */
  static long[] countWords(NgramCounts counts, int words) {
    if (counts.unit() != NgramUnit.WORDS) {
      throw new OperatorException(
          "a language model needs counts of words, not of " + counts.unit());
    }
    long[] seen = new long[words];
    for (int i = 0; i < counts.size(); i++) {
      int last = counts.word(i, 0);
      boolean begun = false;
      for (int k = 0; k < counts.order(); k++) {
        int word = counts.word(i, k);
        boolean wrong =
            word >= words || word == UNKNOWN || (word == END && k > 0) || (begun && word != BEGIN);
        begun = word == BEGIN;
        if (wrong || last == BEGIN) {
          throw new OperatorException(
              "n-gram "
                  + i
                  + " of the counts does not come from a reversed sentence, or has a word"
                  + " that is not in the dictionary");
        }
      }
      seen[last] = Math.addExact(seen[last], counts.count(i));
    }
    return seen;
  }

  @Override
  public int parts() {
    return starts.length - 1;
  }

  @Override
  public Cursor open(int part) {
    return new CountsCursor(counts, starts[part], starts[part + 1]);
  }

  @Override
  public long memory() {
    return counts.size() * (8L + 4L * counts.order());
  }

  @Override
  public void close() {
    counts = null;
  }

  private static final class CountsCursor implements Cursor {
    private final NgramCounts counts;
    private final int from;
    private final int to;
    private int at;

    CountsCursor(NgramCounts counts, int from, int to) {
      this.counts = counts;
      this.from = from;
      this.to = to;
      this.at = from - 1;
    }

    @Override
    public boolean next() {
      at++;
      return at < to;
    }

    @Override
    public int length() {
      int length = 1;
      while (length < counts.order() && counts.word(at, length - 1) != BEGIN) {
        length++;
      }
      return length;
    }

    @Override
    public int shared() {
      int shared = 0;
      if (at > from) {
        while (counts.word(at, shared) == counts.word(at - 1, shared)) {
          shared++;
        }
      }
      return shared;
    }

    @Override
    public int word(int back) {
      return counts.word(at, back);
    }

    @Override
    public long count() {
      return counts.count(at);
    }
  }
}
