package io.latimer.operators.lm.arpa;

import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.lm.model.LmVocabulary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Puts the n-grams of an ARPA file into a trie of suffixes, by KenLM's rules (Heafield, "KenLM:
 * Faster and Smaller Language Model Queries", 2011): the suffixes of an n-gram that the file leaves
 * out are made up, with the probability that backing off gives; an n-gram knows whether longer ones
 * end in it (the sign of its probability) and whether longer ones begin with it (the sign of a
 * back-off that is zero).
 */
public final class LmBuilder {
  static final int HAS_CHILDREN = 0x80000000;

  private static final long BITS = 0xFFFFFFFFL;

  /** What an ARPA file without {@code <unk>} means by it, as in KenLM. */
  private static final float MISSING_UNKNOWN = -100;

  /** So full is a table that is written, so that it needs no more than KenLM's probing model. */
  static final double LOAD = 0.74;

  private static final int NONE = -1;

  /** So many n-grams are brought near before they are looked up or added. */
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
   * Begins a model.
   *
   * @param load how full its table is to be
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

  /** N-grams of each order, made up ones included. */
  long[] stored() {
    return stored.clone();
  }

  /** N-grams that came twice; the first counts. */
  long doubled() {
    return doubled;
  }

  TrieTable table() {
    return table;
  }

  int words() {
    return words;
  }

  /** A unigram's {back-off, prob} as bits, the back-off the higher half. */
  long unigram(int id) {
    return unigrams[id];
  }

  /** Sets a unigram; the next id, or 0, in any order. */
  void addUnigram(int id, float logProb, float backoff) {
    if (id >= unigrams.length) {
      long room = Math.min(LmSections.MAX_WORDS, Math.max(id + 1L, 2L * unigrams.length));
      unigrams = Arrays.copyOf(unigrams, (int) room);
    }
    unigrams[id] = value(Math.abs(logProb), order == 1 ? 0 : backoff);
    words = Math.max(words, id + 1);
  }

  /** Gives the unknown word what it has where an ARPA file says nothing about it. */
  void addMissingUnknown() {
    // KenLM lets a state hold it, which no score can show.
    unigrams[LmVocabulary.UNKNOWN] = Integer.toUnsignedLong(bits(-MISSING_UNKNOWN));
    words = Math.max(words, 1);
  }

  /**
   * Ends the unigrams.
   *
   * @param ngrams how many longer n-grams are said to follow
   */
  void endUnigrams(long ngrams) {
    stored[0] = words;
    table = new TrieTable(words, buckets(ngrams));
  }

  private long buckets(long ngrams) {
    // One place at least stays free, where searches end.
    return (long) Math.ceil(Math.min(ngrams, Long.MAX_VALUE / 2) / (2 * load))
        + (ngrams == 0 ? 1 : 0);
  }

  /**
   * Adds an n-gram of two words or more; those of each order after those of the order before.
   *
   * @param ids first word first
   * @return whether its context, all words but the last, is known; nothing can be done without
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
      // The suffix is missing: make it up from what there is.
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
    // Made up n-grams may fill what was to stay free, to a point.
    if (table.size() + n >= table.slots() || table.size() >= (1 + load) / 2 * table.slots()) {
      table.resize(table.buckets() + table.buckets() / 2 + n);
    }
  }

  /**
   * Looks up what n-grams hang on, for {@link #addAll}, and marks it. Several threads may, each
   * other n-grams, while nothing is added. All of them must be added in the end, or the model be
   * given up.
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
   * Finds the same part of several n-grams: all words but one, up to the one in a place. One word
   * longer after the other, all buckets are read before they are searched, so that the processor
   * has many reads under way. What an n-gram has in common with the one before is not searched
   * again.
   *
   * @param last the place of the part's last word
   * @param nodes given their nodes, -1 where there is none
   * @param homes room for as many
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

  /** Whether so many words from a place on are those of the n-gram before. */
  private static boolean sameTail(int[] ids, int at, int n, int words) {
    for (int i = at; i < at + words; i++) {
      if (ids[i] != ids[i - n]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Adds n-grams of two words or more that were given to {@link #resolve}; those of each order
   * after those of the order before.
   *
   * @return how many were added; if less than {@code count}, the next one's context is not known
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

  /** Ends the n-grams: the table gets the size that their number asks for. */
  void end() {
    long wanted = buckets(table.size());
    if (wanted != table.buckets()) {
      table.resize(wanted);
    }
  }

  /** Says that longer n-grams begin with this one; returns its back-off as bits. */
  private int extend(int node) {
    long value = valueOf(node);
    if ((int) (value >>> 32) == LmSections.NO_EXTENSION) {
      value &= BITS;
      setValue(node, value);
    }
    return (int) (value >>> 32);
  }

  /** Says that longer n-grams end in this one. */
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

  /** Hands out {f32 prob, f32 back-off} of every word, by id. */
  void writeUnigrams(Consumer<ByteBuffer> out) {
    ByteBuffer bytes =
        ByteBuffer.allocate(words * LmSections.UNIGRAM_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asLongBuffer().put(unigrams, 0, words);
    out.accept(bytes);
  }

  /** Keeps the reads that only bring buckets near from being left out. */
  @Override
  public String toString() {
    return "LmBuilder " + touched;
  }
}
