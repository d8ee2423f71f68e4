package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Serializable, mergeable n-gram counts; word n-grams include their words.
 *
 * <p>The words are sorted by their UTF-8 bytes, and their positions are their ids. Therefore
 * n-grams are in the order of their text, equal counts have equal bytes, and a merge reads each
 * input once.
 *
 * <p>docs/formats.md specifies its bytes.
 *
 * @param counts by ids that are positions in {@code words}
 * @param words in UTF-8, ascending; empty for byte n-grams
 */
public record NgramSnapshot(NgramCounts counts, List<byte[]> words) {
  private static final int MAGIC = 0x4c4e5331; // LNS1

  /** A snapshot of byte n-grams. */
  public static NgramSnapshot ofBytes(NgramCounts counts) {
    return new NgramSnapshot(counts, List.of());
  }

  /**
   * A snapshot of word n-grams.
   *
   * @param counts with the ids of a dictionary
   */
  public static NgramSnapshot ofWords(NgramCounts counts, WordIds ids) {
    int order = counts.order();
    boolean[] used = new boolean[ids.size()];
    for (int i = 0; i < counts.size(); i++) {
      for (int k = 0; k < order; k++) {
        used[counts.word(i, k)] = true;
      }
    }
    byte[][] texts = new byte[used.length][];
    List<Integer> sorted = new ArrayList<>();
    for (int id = 0; id < used.length; id++) {
      if (used[id]) {
        texts[id] = ids.bytes(id);
        sorted.add(id);
      }
    }
    sorted.sort((a, b) -> Arrays.compareUnsigned(texts[a], texts[b]));
    int[] places = new int[used.length];
    List<byte[]> words = new ArrayList<>(sorted.size());
    for (int id : sorted) {
      places[id] = words.size();
      words.add(texts[id]);
    }
    return new NgramSnapshot(counts.withIds(places), words);
  }

  private static int[] moved(NgramCounts counts, int[] places) {
    int order = counts.order();
    int[] moved = new int[Math.multiplyExact(counts.size(), order)];
    for (int i = 0; i < counts.size(); i++) {
      for (int k = 0; k < order; k++) {
        moved[i * order + k] = places[counts.word(i, k)];
      }
    }
    return moved;
  }

  /** Merges two snapshots. */
  static NgramSnapshot merge(NgramSnapshot a, NgramSnapshot b) {
    if (a.counts.unit() == NgramUnit.BYTES) {
      return ofBytes(NgramCounts.merge(a.counts, b.counts));
    }
    int[] placesOfA = new int[a.words.size()];
    int[] placesOfB = new int[b.words.size()];
    List<byte[]> words = new ArrayList<>(Math.max(placesOfA.length, placesOfB.length));
    int i = 0;
    int j = 0;
    while (i < placesOfA.length || j < placesOfB.length) {
      int compared =
          i == placesOfA.length
              ? 1
              : j == placesOfB.length ? -1 : Arrays.compareUnsigned(a.words.get(i), b.words.get(j));
      int place = words.size();
      words.add(compared <= 0 ? a.words.get(i) : b.words.get(j));
      if (compared <= 0) {
        placesOfA[i++] = place;
      }
      if (compared >= 0) {
        placesOfB[j++] = place;
      }
    }
    return new NgramSnapshot(
        NgramCounts.merge(rising(a.counts, placesOfA), rising(b.counts, placesOfB)), words);
  }

  /** The counts with new ids that keep the order of the n-grams. */
  private static NgramCounts rising(NgramCounts counts, int[] places) {
    long[] numbers = new long[counts.size()];
    Arrays.setAll(numbers, counts::count);
    return NgramCounts.ofWords(counts.order(), moved(counts, places), numbers);
  }

  /** Merges serialized snapshots. */
  public static byte[] merge(List<byte[]> snapshots) {
    // always the two smallest, so that a large one is not read once for each small one
    PriorityQueue<NgramSnapshot> merged =
        new PriorityQueue<>(Comparator.comparingInt(snapshot -> snapshot.counts().size()));
    snapshots.forEach(bytes -> merged.add(fromBytes(bytes)));
    while (merged.size() > 1) {
      merged.add(merge(merged.remove(), merged.remove()));
    }
    return merged.remove().toBytes();
  }

  /** An n-gram as text: see {@link NgramText}. */
  public String text(int i) {
    if (counts.unit() == NgramUnit.BYTES) {
      return NgramText.escape(counts.bytes(i));
    }
    StringBuilder text = new StringBuilder();
    for (int k = 0; k < counts.order(); k++) {
      text.append(k == 0 ? "" : " ");
      text.append(NgramText.escape(words.get(counts.word(i, k))));
    }
    return text.toString();
  }

  /**
   * The serialized form.
   *
   * @throws OperatorException if it does not fit into an array
   */
  public byte[] toBytes() {
    byte[] table = counts.toBytes();
    long length = 3L * Integer.BYTES + table.length;
    for (byte[] word : words) {
      length += Integer.BYTES + word.length;
    }
    if (length > Integer.MAX_VALUE - Long.BYTES) {
      throw new OperatorException(
          counts
              + " take "
              + length
              + " bytes with their words, which is more than an array can hold; use a lower order,"
              + " shorter windows, or no running totals");
    }
    ByteBuffer out = ByteBuffer.allocate((int) length);
    out.putInt(MAGIC).putInt(table.length).put(table).putInt(words.size());
    words.forEach(word -> out.putInt(word.length).put(word));
    return out.array();
  }

  /**
   * Reads a snapshot.
   *
   * @throws OperatorException if it is not a snapshot, or is corrupt
   */
  public static NgramSnapshot fromBytes(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length < Integer.BYTES || in.getInt() != MAGIC) {
      throw new OperatorException(
          "these "
              + bytes.length
              + " bytes are not n-gram counts that this version can read; the job's state is of"
              + " another version or corrupt");
    }
    NgramCounts counts = NgramCounts.fromBytes(next(in));
    int size = length(in);
    List<byte[]> words = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      words.add(next(in));
      if (i > 0 && Arrays.compareUnsigned(words.get(i - 1), words.get(i)) >= 0) {
        throw new OperatorException("n-gram counts are corrupt: word " + i + " is out of order");
      }
    }
    if (in.hasRemaining()) {
      throw new OperatorException(
          "n-gram counts are corrupt: " + in.remaining() + " surplus bytes at the end");
    }
    for (int i = 0; counts.unit() == NgramUnit.WORDS && i < counts.size(); i++) {
      for (int k = 0; k < counts.order(); k++) {
        if (counts.word(i, k) >= size) {
          throw new OperatorException(
              "n-gram counts are corrupt: no word " + counts.word(i, k) + " of " + size);
        }
      }
    }
    return new NgramSnapshot(counts, words);
  }

  private static byte[] next(ByteBuffer in) {
    byte[] bytes = new byte[length(in)];
    in.get(bytes);
    return bytes;
  }

  /** A length or a number of items, each of which takes at least one of the remaining bytes. */
  private static int length(ByteBuffer in) {
    int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new OperatorException(
          "n-gram counts are corrupt: they end at byte " + in.position() + " of " + in.limit());
    }
    return length;
  }
}
