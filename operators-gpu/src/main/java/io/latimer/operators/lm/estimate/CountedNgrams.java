package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.ngram.NgramCounts;
import io.latimer.operators.ngram.NgramUnit;
import java.util.Arrays;

/**
 * The table of a counter of word n-grams as the n-grams of a text.
 *
 * <p>What is counted is each sentence from its end to its begin: {@code </s>}, the words, and as
 * many {@code <s>} as make the first word the start of an n-gram ({@link #record}). So the table is
 * in suffix order.
 */
final class CountedNgrams implements SortedNgrams {
  private NgramCounts counts;
  private final int[] starts;

  /**
   * @param counts of records
   * @param parts in how many parts they shall come, about
   */
  CountedNgrams(NgramCounts counts, int parts) {
    if (counts.unit() != NgramUnit.WORDS) {
      throw new OperatorException("a language model is made of words, not of " + counts.unit());
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
   * What is to be counted of a sentence.
   *
   * @param ids from {@link #BEGIN} to {@link #END}
   * @param from where the sentence begins
   * @param to the place behind it
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
   * How often each word was seen, {@link #END} at the end of each sentence.
   *
   * @param words how many there are
   * @throws OperatorException if the counts are not of records
   */
  static long[] countWords(NgramCounts counts, int words) {
    if (counts.unit() != NgramUnit.WORDS) {
      throw new OperatorException("a language model is made of words, not of " + counts.unit());
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
                  + " of the counts is none of a sentence from its end to its begin, or has a word"
                  + " that the dictionary does not have");
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
