package io.latimer.cli.lm;

import java.util.List;

/** Sizes of KenLM's data structures for a model (Heafield 2011). */
final class KenlmSizes {
  private KenlmSizes() {}

  /**
   * Bytes of the probing model: hash tables with 1.5 slots per entry.
   *
   * @param ngrams of each order, unigrams first
   */
  static long probing(List<Long> ngrams) {
    long bytes = ngrams.get(0) * (8 + 24); // the words' hashes and ids are also in a table
    for (int n = 2; n <= ngrams.size(); n++) {
      bytes += ngrams.get(n - 1) * (n < ngrams.size() ? 24 : 18);
    }
    return bytes;
  }

  /** Bytes of the trie without quantization: sorted arrays, numbers packed to bits. */
  static long trie(List<Long> ngrams) {
    long bytes = ngrams.get(0) * (16 + 8);
    int word = bits(ngrams.get(0));
    for (int n = 2; n <= ngrams.size(); n++) {
      boolean highest = n == ngrams.size();
      int entry = word + 31 + (highest ? 0 : 32 + bits(ngrams.get(n)));
      bytes += ngrams.get(n - 1) * entry / 8;
    }
    return bytes;
  }

  private static int bits(long count) {
    return Long.SIZE - Long.numberOfLeadingZeros(count);
  }
}
