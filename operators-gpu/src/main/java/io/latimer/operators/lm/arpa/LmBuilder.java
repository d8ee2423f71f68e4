package io.latimer.operators.lm.arpa;

import io.latimer.operators.index.WordTable;
import io.latimer.operators.lm.model.LmSections;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Stores the n-grams of an ARPA file in a trie of suffixes, by KenLM's rules (Heafield, "KenLM:
 * Faster and Smaller Language Model Queries", 2011): suffixes that the file omits are generated,
 * with the probability that backing off gives; the sign of an n-gram's probability tells whether
 * longer n-grams end in it, and the sign of a zero back-off whether longer ones start with it.
 */
public final class LmBuilder {
  static final int HAS_CHILDREN = 0x80000000;

  private static final long BITS = 0xFFFFFFFFL;

  /** The log10 probability of {@code <unk>} if the ARPA file omits it, as in KenLM. */
  private static final float MISSING_UNKNOWN = -100;

  /** The load factor of a written table, which keeps it as small as KenLM's probing model. */
  static final double LOAD = 0.74;

  private static final int NONE = -1;

  /** The number of n-grams that are prefetched before they are looked up or added. */
  private static final int NEAR = 64;

  private final int order;
  private final double load;
  private final long[] stored;
  private int words;
  private long[] unigrams;
  private TrieTable table;
  private long doubled;
  private volatile long touched;

  /**
   * Starts a model.
   *
   * @param load the load factor of its table
   */
  LmBuilder(int order, double load) {
    this.order = order;
    this.load = load;
    this.stored = new long[order];
    this.unigrams = new long[1 << 12];
  }

  int order() {
    return order;
  }

  /** N-grams per order, including generated ones. */
  long[] stored() {
    return stored.clone();
  }

  /** The number of duplicate n-grams; the first occurrence counts. */
  long doubled() {
    return doubled;
  }

  TrieTable table() {
    return table;
  }

  int words() {
    return words;
  }

  /** A unigram's {back-off, prob} as bits, the back-off in the upper half. */
  long unigram(int id) {
    return unigrams[id];
  }

  /** Sets a unigram with the next id or 0; 0 may come at any time. */
  void addUnigram(int id, float logProb, float backoff) {
    if (id >= unigrams.length) {
      long room = Math.min(WordTable.MAX_WORDS, Math.max(id + 1L, 2L * unigrams.length));
      unigrams = Arrays.copyOf(unigrams, (int) room);
    }
    unigrams[id] = value(Math.abs(logProb), order == 1 ? 0 : backoff);
    words = Math.max(words, id + 1);
  }

  /** Gives the unknown word the values it has if an ARPA file omits it. */
  void addMissingUnknown() {
    // KenLM may keep it in a state, but that affects no score.
    unigrams[WordTable.UNKNOWN] = Integer.toUnsignedLong(bits(-MISSING_UNKNOWN));
    words = Math.max(words, 1);
  }

  /**
   * Ends the unigrams.
   *
   * @param ngrams declared number of longer n-grams
   */
  void endUnigrams(long ngrams) {
    stored[0] = words;
    table = new TrieTable(words, buckets(ngrams));
  }

  private long buckets(long ngrams) {
    // At least one slot stays free, to end searches.
    return (long) Math.ceil(Math.min(ngrams, Long.MAX_VALUE / 2) / (2 * load))
        + (ngrams == 0 ? 1 : 0);
  }

  /**
   * Adds an n-gram of two or more words. Orders must be added in ascending sequence.
   *
   * @param ids first word first
   * @return whether its context, all words but the last, is known; if not, nothing is added
   */
  boolean add(int n, int[] ids, float logProb, float backoff) {
    makeRoom(n);
    int known = 1;
    int node = ids[n - 1];
    while (known < n - 1) {
      int longer = table.find(node, ids[n - 1 - known]);
      if (longer < 0) {
        break;
      }
      node = longer;
      known++;
    }
    int context = ids[n - 2];
    int contextLength = 1;
    if (known < n - 1) {
      // The suffix is missing: generate it.
      float score = -Math.abs(Float.intBitsToFloat((int) valueOf(node)));
      for (int length = known + 1; length < n; length++) {
        while (contextLength < length - 1 && context >= 0) {
          context = table.find(context, ids[n - 2 - contextLength]);
          contextLength++;
        }
        if (context >= 0) {
          score += Float.intBitsToFloat(extend(context));
        }
        markParent(node);
        node = table.add(node, ids[n - length], value(Math.abs(score), 0));
        stored[length - 1]++;
      }
    }
    while (contextLength < n - 1 && context >= 0) {
      context = table.find(context, ids[n - 2 - contextLength]);
      contextLength++;
    }
    if (context < 0) {
      return false;
    }
    extend(context);
    if (table.find(node, ids[0]) >= 0) {
      doubled++;
      return true;
    }
    markParent(node);
    long value = value(Math.abs(logProb), backoff);
    table.add(node, ids[0], n == order ? value & BITS : value);
    stored[n - 1]++;
    return true;
  }

  private void makeRoom(int n) {
    // Generated n-grams may use part of the slots reserved as free.
    if (table.size() + n >= table.slots() || table.size() >= (1 + load) / 2 * table.slots()) {
      table.resize(table.buckets() + table.buckets() / 2 + n);
    }
  }

  /**
   * Looks up the n-grams' suffixes and contexts for {@link #addAll}, and marks them. Several
   * threads may do this, each with its own n-grams, while nothing is added. Afterwards all of them
   * must be added, or the model abandoned.
   */
  void resolve(NgramBatch ngrams) {
    int n = ngrams.order();
    int[] suffixes = new int[NEAR];
    int[] contexts = new int[NEAR];
    int[] homes = new int[NEAR];
    ngrams.beginResolved(table.generation());
    for (int from = 0; from < ngrams.size(); from += NEAR) {
      int count = Math.min(NEAR, ngrams.size() - from);
      find(ngrams, from, count, n - 1, suffixes, homes);
      find(ngrams, from, count, n - 2, contexts, homes);
      for (int i = 0; i < count; i++) {
        int suffix = suffixes[i];
        int context = contexts[i];
        if (suffix < 0 || context < 0) {
          ngrams.resolved(from + i, -1, 0);
          continue;
        }
        change(suffix, HAS_CHILDREN & BITS, 0);
        if ((int) (valueOf(context) >>> 32) == LmSections.NO_EXTENSION) {
          change(context, 0, 1L << 63);
        }
        ngrams.resolved(from + i, suffix, table.home(suffix, ngrams.ids()[(from + i) * n]));
      }
    }
  }

  /**
   * Finds the same part of several n-grams: all words but one, up to a given position. Works in
   * steps of one more word: each step reads all buckets before it searches them, so that the
   * processor keeps many reads in flight. Words shared with the previous n-gram are not searched
   * again.
   *
   * @param last position of the part's last word
   * @param nodes receives their nodes, -1 if there is none
   * @param homes scratch space of the same length
   */
  private void find(NgramBatch ngrams, int from, int count, int last, int[] nodes, int[] homes) {
    int n = ngrams.order();
    int[] ids = ngrams.ids();
    int end = from * n + last;
    for (int i = 0; i < count; i++) {
      nodes[i] = ids[end + i * n];
    }
    for (int known = 1; known < n - 1; known++) {
      int word = end - known;
      long read = 0;
      for (int i = 0; i < count; i++) {
        homes[i] = NONE;
        if (nodes[i] >= 0 && !(i > 0 && sameTail(ids, word + i * n, n, known + 1))) {
          homes[i] = table.home(nodes[i], ids[word + i * n]);
          read += table.touch(homes[i]);
        }
      }
      touched = read;
      for (int i = 0; i < count; i++) {
        if (homes[i] >= 0) {
          nodes[i] = table.find(homes[i], nodes[i], ids[word + i * n]);
        } else if (nodes[i] >= 0) {
          nodes[i] = nodes[i - 1];
        }
      }
    }
  }

  /** Whether a range of words equals that of the previous n-gram. */
  private static boolean sameTail(int[] ids, int at, int n, int words) {
    for (int i = at; i < at + words; i++) {
      if (ids[i] != ids[i - n]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Adds n-grams of two or more words that were given to {@link #resolve}. Orders must be added in
   * ascending sequence.
   *
   * @return the number added; if less than {@code count}, the next one's context is unknown
   */
  int addAll(NgramBatch ngrams, int count) {
    int[] ids = new int[ngrams.order()];
    for (int from = 0; from < count; from += NEAR) {
      int to = Math.min(count, from + NEAR);
      if (ngrams.generation() == table.generation()) {
        long read = 0;
        for (int i = from; i < to; i++) {
          read += table.touch(ngrams.home(i));
        }
        touched = read;
      }
      for (int i = from; i < to; i++) {
        if (!add(ngrams, i, ids)) {
          return i;
        }
      }
    }
    return count;
  }

  private boolean add(NgramBatch ngrams, int i, int[] ids) {
    int n = ngrams.order();
    makeRoom(n);
    int suffix = ngrams.suffix(i);
    if (suffix < 0 || ngrams.generation() != table.generation()) {
      System.arraycopy(ngrams.ids(), i * n, ids, 0, n);
      return add(n, ids, ngrams.logProb(i), ngrams.backoff(i));
    }
    long value = value(Math.abs(ngrams.logProb(i)), ngrams.backoff(i));
    if (table.addNew(
        ngrams.home(i), suffix, ngrams.ids()[i * n], n == order ? value & BITS : value)) {
      stored[n - 1]++;
    } else {
      doubled++;
    }
    return true;
  }

  private void change(int node, long set, long clear) {
    if (node < words) {
      TrieTable.change(unigrams, node, set, clear);
    } else {
      table.changeValue(node, set, clear);
    }
  }

  /** Ends the n-grams: resizes the table to fit their number. */
  void end() {
    long wanted = buckets(table.size());
    if (wanted != table.buckets()) {
      table.resize(wanted);
    }
  }

  /** Marks that longer n-grams start with this one; returns its back-off as bits. */
  private int extend(int node) {
    long value = valueOf(node);
    if ((int) (value >>> 32) == LmSections.NO_EXTENSION) {
      value &= BITS;
      setValue(node, value);
    }
    return (int) (value >>> 32);
  }

  /** Marks that longer n-grams end in this one. */
  private void markParent(int node) {
    setValue(node, valueOf(node) | (HAS_CHILDREN & BITS));
  }

  private long valueOf(int node) {
    return node < words ? unigrams[node] : table.value(node);
  }

  private void setValue(int node, long value) {
    if (node < words) {
      unigrams[node] = value;
    } else {
      table.setValue(node, value);
    }
  }

  private static long value(float magnitude, float backoff) {
    int backoffBits = backoff == 0 ? LmSections.NO_EXTENSION : bits(backoff);
    return (long) backoffBits << 32 | (bits(magnitude) & BITS);
  }

  private static int bits(float value) {
    return Float.floatToRawIntBits(value);
  }

  /** Outputs {f32 prob, f32 back-off} of every word, by id. */
  void writeUnigrams(Consumer<ByteBuffer> out) {
    ByteBuffer bytes =
        ByteBuffer.allocate(words * LmSections.UNIGRAM_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asLongBuffer().put(unigrams, 0, words);
    out.accept(bytes);
  }

  /** Keeps the compiler from removing the reads that only prefetch buckets. */
  @Override
  public String toString() {
    return "LmBuilder " + touched;
  }
}
