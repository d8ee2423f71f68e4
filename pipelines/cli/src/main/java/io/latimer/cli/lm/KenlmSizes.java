package io.latimer.cli.lm;

import java.util.List;

/** What KenLM's data structures of a model take, by how they are built (Heafield 2011). */
final class KenlmSizes {
  private KenlmSizes() {}

  /**
   * Bytes of the probing model: hash tables with half as many places again as entries.
   *
   * @param ngrams of each order, unigrams first
   */
  static long probing(List<Long> ngrams) {
    long bytes = ngrams.get(0) * (8 + 24); // the words' hashes and ids are in a table, too
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
