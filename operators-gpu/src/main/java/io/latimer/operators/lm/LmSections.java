package io.latimer.operators.lm;

/** The names of the sections of a language model file, and constants of its bytes. */
final class LmSections {
  /** The version of the sections that this version of Latimer writes, and the only one it reads. */
  static final int VERSION = 1;

  static final String SETTINGS = "settings";
  static final String WORDS = "vocab/text";
  static final String WORD_STARTS = "vocab/offsets";
  static final String WORD_TABLE = "vocab/table";
  static final String UNIGRAMS = "unigrams";
  static final String HASH_TABLE = "hash/table";
  static final String BTREE_ROOT = "btree/root";
  static final String BTREE_NODES = "btree/nodes";

  static final int MAX_ORDER = 8;

  /** Words of a vocabulary, so that every section by word is below 1 GiB. */
  static final int MAX_WORDS = (1 << 26) - 1;

  static final int BUCKET_BYTES = 32;
  static final int UNIGRAM_BYTES = 8;
  static final int ROOT_BYTES = 16;

  /** The word of a place in the table that holds no n-gram, and the id of one in the vocabulary. */
  static final int EMPTY = 0xFFFFFFFF;

  static final int MIN_KEYS = 3;
  static final int MAX_KEYS = 63;

  /** Bit 31 of a B-tree node's first word: it has children in its own tree. */
  static final int INNER = 0x80000000;

  private LmSections() {}

  /** The finalizer of MurmurHash3: every bit of the key moves every bit of the result. */
  static long mix(long x) {
    x ^= x >>> 33;
    x *= 0xff51afd7ed558ccdL;
    x ^= x >>> 33;
    x *= 0xc4ceb9fe1a85ec53L;
    x ^= x >>> 33;
    return x;
  }

  /** Where the search for a hash begins: the upper half of it, spread over {@code places}. */
  static long home(long hash, long places) {
    return ((hash >>> 32) * places) >>> 32;
  }
}
