package io.latimer.operators.lm;

import io.latimer.operators.lm.model.BTrie;
import io.latimer.operators.lm.model.HashTrie;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.lm.model.LmState;
import java.util.Arrays;

/**
 * Finds the longest matches of a block of words, for one thread: first those of single words, then
 * of two words, and so on. The searches of one step are independent, so the memory serves many of
 * them concurrently. The matches of a word, shortest to longest, are the contexts whose back-offs
 * the next word needs.
 */
abstract class CpuMatcher {
  /** Words per block: their state fits into the second-level cache. */
  static final int BLOCK = 512;

  final LanguageModel model;
  final int order;

  final int[] ids = new int[BLOCK];

  /** Of the longest match: log10 of the probability, as stored. */
  final int[] probs = new int[BLOCK];

  /** Of the longest match: its number of words. */
  final byte[] lengths = new byte[BLOCK];

  /** The number of words of context that the next word can need. */
  final byte[] states = new byte[BLOCK];

  /** Back-offs of the matches of one word at [0, BLOCK), of two words after it, and so on. */
  private final float[] backoffs;

  /** The words that may still have a longer match. */
  private final int[] open = new int[BLOCK];

  private int opened;
  private int size;

  CpuMatcher(LanguageModel model) {
    this.model = model;
    this.order = model.order();
    this.backoffs = new float[Math.max(1, order - 1) * BLOCK];
  }

  static CpuMatcher of(LanguageModel model) {
    return model.layout() == LmLayout.HASH ? new HashMatcher(model) : new BTreeMatcher(model);
  }

  /** Starts another block. */
  final void clear() {
    size = 0;
    opened = 0;
  }

  /** The number of words in the block. */
  final int size() {
    return size;
  }

  /** Whether that many more words fit. */
  final int room() {
    return BLOCK - size;
  }

  /**
   * Adds a word that is only context, without matches.
   *
   * @param context the number of words of context that the next word can need
   */
  final void addContext(int id, int context) {
    ids[size] = id;
    lengths[size] = 0;
    states[size++] = (byte) context;
  }

  /** Adds the words of a state, or a place without a word; takes {@link #contextPlaces}. */
  final void addState(LmState state) {
    if (state.length() == 0) {
      addContext(0, 0);
      return;
    }
    for (int i = state.length() - 1; i >= 0; i--) {
      addContext(state.words()[i], state.length() - i);
    }
    int last = size - 1;
    for (int i = 0; i < state.length(); i++) {
      backoffs[i * BLOCK + last] = state.backoffs()[i];
    }
  }

  /** The number of places that a state takes in a block. */
  static int contextPlaces(LmState state) {
    return Math.max(1, state.length());
  }

  /** Adds a word to match, after its context or a place without a word. */
  final void add(int id) {
    ids[size] = id;
    open[opened++] = size++;
  }

  /** Finds the matches of all added words. */
  final void match() {
    int left = 0;
    for (int i = 0; i < opened; i++) {
      int place = open[i];
      long value = model.unigram(ids[place]);
      probs[place] = (int) value;
      lengths[place] = 1;
      float backoff = Float.intBitsToFloat((int) (value >>> 32));
      backoffs[place] = backoff;
      boolean extends_ = order > 1 && goesOn(backoff);
      states[place] = (byte) (extends_ ? 1 : 0);
      open[left] = place;
      left += mayFollow(1, place, value);
    }
    begin(open, left);
    for (int level = 2; level <= order && left > 0; level++) {
      left = extend(level, open, left);
    }
  }

  /** Receives the words that may match two words. */
  abstract void begin(int[] places, int count);

  /**
   * Searches for matches that are one word longer.
   *
   * @param places of the words; those that may match further are moved to the front
   * @return the number of words that may match further
   */
  abstract int extend(int level, int[] places, int count);

  /**
   * Records a longer match.
   *
   * @param value {back-off, prob} as bits, the back-off in the upper half
   * @return 1 if a longer match is possible, else 0
   */
  final int found(int level, int place, long value) {
    probs[place] = (int) value;
    lengths[place] = (byte) level;
    if (level < order) {
      float backoff = Float.intBitsToFloat((int) (value >>> 32));
      backoffs[(level - 1) * BLOCK + place] = backoff;
      byte before = states[place];
      states[place] = goesOn(backoff) ? (byte) level : before;
    }
    return mayFollow(level, place, value);
  }

  /**
   * 1 if a longer match is possible, else 0. The model has the context of each of its n-grams, with
   * a back-off that says that longer n-grams begin with it. So the previous word must have such a
   * match of this level, which is known here because places are visited in order.
   */
  private int mayFollow(int level, int place, long value) {
    return ((int) value & level - 1 - states[place - 1]) >>> 31; // if both are negative
  }

  private static boolean goesOn(float backoff) {
    return Float.floatToRawIntBits(backoff) != LmSections.NO_EXTENSION;
  }

  /** The score of a word, after {@link #match}: its match, then the back-offs of its context. */
  final float score(int place) {
    float score = -Math.abs(Float.intBitsToFloat(probs[place]));
    int before = place - 1;
    for (int length = lengths[place]; length <= states[before]; length++) {
      score += backoffs[(length - 1) * BLOCK + before];
    }
    return score;
  }

  /** The context of the word after a place. */
  final LmState state(int place) {
    int length = states[place];
    if (length == 0) {
      return LmState.NONE;
    }
    int[] words = new int[length];
    float[] weights = new float[length];
    Arrays.setAll(words, i -> ids[place - i]);
    for (int i = 0; i < length; i++) {
      weights[i] = backoffs[i * BLOCK + place];
    }
    return new LmState(words, weights);
  }

  /** For the hash layout. */
  private static final class HashMatcher extends CpuMatcher {
    private final HashTrie table;
    private final int[] nodes = new int[BLOCK];
    private final long[] keys = new long[BLOCK];
    private final int[] longer = new int[BLOCK];
    private final int[] scratch = new int[BLOCK];
    private long touched;

    HashMatcher(LanguageModel model) {
      super(model);
      this.table = model.table();
    }

    @Override
    void begin(int[] places, int count) {
      for (int i = 0; i < count; i++) {
        nodes[places[i]] = ids[places[i]];
      }
    }

    @Override
    int extend(int level, int[] places, int count) {
      int back = level - 1;
      for (int i = 0; i < count; i++) {
        int place = places[i];
        keys[i] = HashTrie.key(nodes[place], ids[place - back]);
      }
      touched += table.find(keys, count, longer, scratch);
      int found = 0;
      for (int i = 0; i < count; i++) {
        scratch[found] = i;
        found += 1 + (longer[i] >> 31); // without a branch, which would be unpredictable
      }
      int left = 0;
      for (int j = 0; j < found; j++) {
        int i = scratch[j];
        int place = places[i];
        nodes[place] = longer[i];
        places[left] = place;
        left += found(level, place, table.value(longer[i]));
      }
      return left;
    }

    /** Keeps the compiler from removing the reads that only warm the cache. */
    @Override
    public String toString() {
      return "HashMatcher " + touched;
    }
  }

  /** For the B-tree layout. */
  private static final class BTreeMatcher extends CpuMatcher {
    private final BTrie trees;
    private final long[] roots = new long[BLOCK];
    private final BTrie.Found at = new BTrie.Found();

    BTreeMatcher(LanguageModel model) {
      super(model);
      this.trees = model.trees();
    }

    @Override
    void begin(int[] places, int count) {
      for (int i = 0; i < count; i++) {
        roots[places[i]] = trees.tree(ids[places[i]]);
      }
    }

    @Override
    int extend(int level, int[] places, int count) {
      int left = 0;
      for (int i = 0; i < count; i++) {
        int place = places[i];
        if (roots[place] < 0 || !trees.find(roots[place], level, ids[place - level + 1], at)) {
          continue;
        }
        places[left] = place;
        if (level == order) {
          found(level, place, trees.prob(at));
        } else {
          roots[place] = trees.tree(at);
          long value = (long) trees.backoff(at) << 32 | (trees.prob(at) & 0xFFFFFFFFL);
          left += found(level, place, value);
        }
      }
      return left;
    }
  }
}
