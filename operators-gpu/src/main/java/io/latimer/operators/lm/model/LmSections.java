package io.latimer.operators.lm.model;

/** Section names of a language model file, and constants of its encoding. */
public final class LmSections {
  /** The section version that this build writes, and the only one it reads. */
  public static final int VERSION = 1;

  public static final String SETTINGS = "settings";
  public static final String WORDS = "vocab/text";
  public static final String WORD_STARTS = "vocab/offsets";
  public static final String WORD_TABLE = "vocab/table";
  public static final String UNIGRAMS = "unigrams";
  public static final String HASH_TABLE = "hash/table";
  public static final String BTREE_ROOT = "btree/root";
  public static final String BTREE_NODES = "btree/nodes";

  public static final int MAX_ORDER = 8;

  public static final int BUCKET_BYTES = 32;
  public static final int UNIGRAM_BYTES = 8;
  static final int ROOT_BYTES = 16;

  /** The word of an empty slot in the table of n-grams. */
  public static final int EMPTY = 0xFFFFFFFF;

  /** The zero back-off of an n-gram that is not the beginning of a longer one. */
  public static final int NO_EXTENSION = 0x80000000;

  public static final int MIN_KEYS = 3;
  public static final int MAX_KEYS = 63;

  /** Bit 31 of a B-tree node's first word: it has children in its own tree. */
  public static final int INNER = 0x80000000;

  private LmSections() {}
}
