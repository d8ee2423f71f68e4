package io.latimer.operators.lm.estimate;

import io.latimer.operators.util.Team;
import java.util.Arrays;

/**
 * The n-grams of a text that fits into memory, counted by sorting: positions in the text are sorted
 * by the words that end there. A stable counting sort by word puts the successors of positions
 * sorted by k words into the order of k + 1 words, so each order costs one pass, and no n-gram is
 * ever copied.
 */
final class SortedBlock implements SortedNgrams {
  /** Bytes per word of the text: the word itself, two arrays of positions while sorting, a note. */
  static final int BYTES_PER_TOKEN = 13;

  private static final int PARTS_PER_THREAD = 4;
  private static final int LENGTH_SHIFT =
      4; // layout of a note: shared words in the low bits, length above

  private final int order;
  private int[] tokens;
  private int[] places;
  private byte[] notes;
  private final int[] partStarts;

  /**
   * Sorts a text.
   *
   * @param tokens sentences, each from {@link #BEGIN} to {@link #END}
   * @param words number of distinct ids
   */
  SortedBlock(int[] tokens, int words, int order, Team team) {
    this.order = order;
    this.tokens = tokens;
    int[] starts = new int[words + 1];
    this.places = sort(tokens, words, order, team, starts);
    this.partStarts = parts(starts, tokens.length, team.size() * PARTS_PER_THREAD);
    this.notes = new byte[tokens.length];
    team.run(parts(), part -> compare(partStarts[part], partStarts[part + 1]));
  }

  /**
   * The positions of a text, sorted by the words that end there.
   *
   * @param starts receives the first position of each word
   */
  private static int[] sort(int[] tokens, int words, int order, Team team, int[] starts) {
    int n = tokens.length;
    // Each thread needs a counter per word: with a large vocabulary, fewer threads are faster.
    int parts = (int) Math.max(1, Math.min(team.size(), n / (words + 1L)));
    int[][] counters = new int[parts][words];
    int[] from = null;
    int[] to = new int[n];
    for (int pass = 0; pass < order; pass++) {
      int[] source = from;
      int[] target = to;
      team.inParts(
          n,
          parts,
          (part, first, last) -> {
            int[] counter = counters[part];
            Arrays.fill(counter, 0);
            for (int i = first; i < last; i++) {
              counter[tokens[next(source, i, n)]]++;
            }
          });
      int sum = 0;
      for (int word = 0; word < words; word++) {
        starts[word] = sum;
        for (int[] counter : counters) {
          int count = counter[word];
          counter[word] = sum;
          sum += count;
        }
      }
      starts[words] = sum;
      team.inParts(
          n,
          parts,
          (part, first, last) -> {
            int[] counter = counters[part];
            for (int i = first; i < last; i++) {
              int place = next(source, i, n);
              target[counter[tokens[place]]++] = place;
            }
          });
      from = target;
      to = source == null && pass + 1 < order ? new int[n] : source;
    }
    return from;
  }

  /**
   * The position after the i-th; the first of the text follows the last, so that none is omitted.
   */
  private static int next(int[] places, int i, int n) {
    int next = places == null ? i : places[i] + 1;
    return next == n ? 0 : next;
  }

  /** Splits where the last word changes, into parts of about equal size. */
  private static int[] parts(int[] starts, int n, int wanted) {
    int[] cuts = new int[wanted + 1];
    int first = starts[BEGIN + 1]; // no n-gram ends with <s>
    int size = 0;
    cuts[size++] = first;
    for (int part = 1; part <= wanted; part++) {
      long cut = first + (long) (n - first) * part / wanted;
      int word = Arrays.binarySearch(starts, (int) cut);
      if (word < 0) {
        cut = starts[-word - 1];
      }
      if (cut > cuts[size - 1]) {
        cuts[size++] = (int) cut;
      }
    }
    return Arrays.copyOf(cuts, size);
  }

  /** Records each n-gram's number of words, and the number it shares with its predecessor. */
  private void compare(int from, int to) {
    for (int i = from; i < to; i++) {
      int place = places[i];
      int shared = 0;
      int length = 0;
      if (i > from) {
        int before = places[i - 1];
        while (shared < order && tokens[place - shared] == tokens[before - shared]) {
          shared++;
          if (tokens[place - shared + 1] == BEGIN) {
            length = shared;
            break;
          }
        }
      }
      if (length == 0) {
        length = shared;
        while (length < order) {
          length++;
          if (tokens[place - length + 1] == BEGIN) {
            break;
          }
        }
      }
      notes[i] = (byte) (length << LENGTH_SHIFT | shared);
    }
  }

  @Override
  public int parts() {
    return partStarts.length - 1;
  }

  @Override
  public Cursor open(int part) {
    return new BlockCursor(tokens, places, notes, partStarts[part], partStarts[part + 1]);
  }

  @Override
  public long memory() {
    return 9L * tokens.length;
  }

  @Override
  public void close() {
    tokens = null;
    places = null;
    notes = null;
  }

  private static final class BlockCursor implements Cursor {
    private final int[] tokens;
    private final int[] places;
    private final byte[] notes;
    private final int end;
    private int at;
    private int behind;

    BlockCursor(int[] tokens, int[] places, byte[] notes, int from, int end) {
      this.tokens = tokens;
      this.places = places;
      this.notes = notes;
      this.end = end;
      this.behind = from;
    }

    @Override
    public boolean next() {
      at = behind;
      if (at == end) {
        return false;
      }
      int i = at + 1;
      while (i < end && (notes[i] & 0xf) == (notes[i] & 0xff) >>> LENGTH_SHIFT) {
        i++;
      }
      behind = i;
      return true;
    }

    @Override
    public int length() {
      return (notes[at] & 0xff) >>> LENGTH_SHIFT;
    }

    @Override
    public int shared() {
      return notes[at] & 0xf;
    }

    @Override
    public int word(int back) {
      return tokens[places[at] - back];
    }

    @Override
    public long count() {
      int count = behind - at;
      return count;
    }
  }
}
