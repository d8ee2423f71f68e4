package io.latimer.operators.lm.model;

import io.latimer.operators.index.MappedSection;

/** The n-grams of the B-tree layout, read from the mapped file. Thread-safe. */
public final class BTrie {
  private static final int WORD = Integer.BYTES;

  private final int words;
  private final int order;
  private final int keysPerNode;
  private final MappedSection root;
  private final MappedSection nodes;

  BTrie(LmSettings settings, MappedSection root, MappedSection nodes) {
    this.words = settings.words();
    this.order = settings.order();
    this.keysPerNode = settings.keysPerNode();
    this.root = root;
    this.nodes = nodes;
  }

  private int payloadWords(int level) {
    return level == order ? 1 : 3;
  }

  private int get(long at) {
    return nodes.getInt(at * WORD);
  }

  private long address(long at) {
    return Integer.toUnsignedLong(get(at));
  }

  /** {back-off, prob} of a word as bits, the back-off in the upper half. */
  long unigram(int id) {
    return root.getLong((long) id * LmSections.ROOT_BYTES);
  }

  /** The offset of the tree of a word's extensions, in 32-bit words, -1 if there is none. */
  public long tree(int id) {
    return Integer.toUnsignedLong(root.getInt((long) id * LmSections.ROOT_BYTES + 8)) - 1;
  }

  /**
   * Finds a word in a tree.
   *
   * @param tree offset of its root node, in 32-bit words
   * @param level the length of its n-grams
   * @param found receives the offsets of the payload and of the node that contains it
   * @return whether the word was found
   */
  public boolean find(long tree, int level, int word, Found found) {
    int payload = payloadWords(level);
    long at = tree;
    while (true) {
      int head = get(at);
      int keys = head & ~LmSections.INNER;
      int low = 0;
      int high = keys;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (get(at + 1 + middle) < word) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      boolean inner = head < 0;
      if (low < keys && get(at + 1 + low) == word) {
        found.node = at;
        found.payload = at + 1 + keys + (inner ? keys + 1 : 0) + (long) low * payload;
        return true;
      }
      if (!inner) {
        return false;
      }
      at += address(at + 1 + keys + low);
    }
  }

  /** The result of a search. */
  public static final class Found {
    private long node;
    private long payload;
  }

  /** log10 of the probability; its sign tells whether there are longer n-grams. */
  public int prob(Found found) {
    return get(found.payload);
  }

  /** log10 of the back-off; undefined for the highest order. */
  public int backoff(Found found) {
    return get(found.payload + 1);
  }

  /** The offset of the tree of the n-gram's extensions, -1 if there is none. */
  public long tree(Found found) {
    long relative = address(found.payload + 2);
    return relative == 0 ? -1 : found.node + relative;
  }

  /**
   * Checks every node. Each must lie where a breadth-first writer puts it, so that no search can
   * leave the section or loop forever.
   *
   * @throws LmFormatException naming the first error
   */
  void check(LmSettings settings) {
    new BTreeCheck(settings).run();
  }

  /** Walks the nodes in file order. */
  private final class BTreeCheck {
    private final LmSettings settings;
    private final long end = nodes.length() / WORD;
    private long[] claimed = new long[16]; // expected offsets of the children of a tree's nodes
    private long next; // end of the last claimed tree

    BTreeCheck(LmSettings settings) {
      this.settings = settings;
    }

    void run() {
      long levelEnd = 0;
      for (int id = 0; id < words; id++) {
        HashTrie.requireNumbers(unigram(id), "word " + id);
        long tree = tree(id);
        if (root.getInt((long) id * LmSections.ROOT_BYTES + 12) != 0) {
          throw new LmFormatException("word " + id + " of the root is not zero at its end");
        }
        if (tree >= 0) {
          claim(tree, levelEnd, "word " + id);
          levelEnd = skip(tree, 2);
        }
      }
      long at = 0;
      for (int level = 2; level <= order; level++) {
        at = level(level, at, levelEnd);
        levelEnd = next;
      }
      if (at != end) {
        throw new LmFormatException("the nodes end at " + WORD * at + ", but the section does not");
      }
    }

    /** Walks a level that ends at a given offset; the next level's trees follow it. */
    private long level(int level, long from, long levelEnd) {
      long at = from;
      long ngrams = 0;
      next = levelEnd;
      while (at < levelEnd) {
        int keys = get(at) & ~LmSections.INNER;
        int own = keys + (get(at) < 0 ? keys + 1 : 0);
        long payload = at + 1 + own;
        for (int i = 0; i < keys; i++, payload += payloadWords(level)) {
          long backoff = level == order ? 0 : address(payload + 1);
          HashTrie.requireNumbers(backoff << 32 | address(payload), "byte " + WORD * payload);
          if (level < order && address(payload + 2) != 0) {
            claim(at + address(payload + 2), next, "byte " + WORD * payload);
            next = skip(next, level + 1);
          }
        }
        ngrams += keys;
        at = payload;
      }
      if (ngrams != settings.stored().get(level - 1)) {
        throw new LmFormatException(
            "there are "
                + ngrams
                + " n-grams of order "
                + level
                + ", the settings say "
                + settings.stored().get(level - 1));
      }
      return at;
    }

    private void claim(long found, long expected, String where) {
      if (found != expected) {
        throw new LmFormatException(
            where + " has its tree at byte " + WORD * found + ", expected " + WORD * expected);
      }
    }

    /** Walks one tree; returns its end. */
    private long skip(long tree, int level) {
      int claims = 1;
      claimed[0] = tree;
      long at = tree;
      for (int node = 0; node < claims; node++) {
        claim(claimed[node], at, "a node");
        if (at >= end) {
          throw outside(at);
        }
        int head = get(at);
        int keys = head & ~LmSections.INNER;
        if (keys < 1 || keys > keysPerNode) {
          throw new LmFormatException(
              "the node at byte " + WORD * at + " has " + keys + " keys of 1 to " + keysPerNode);
        }
        int children = head < 0 ? keys + 1 : 0;
        long size = 1L + keys + children + (long) keys * payloadWords(level);
        if (size > end - at) {
          throw outside(at);
        }
        int before = -1;
        for (int i = 0; i < keys; i++) {
          int word = get(at + 1 + i);
          if (word <= before || word >= words) {
            throw new LmFormatException(
                "the node at byte "
                    + WORD * at
                    + " has keys that do not ascend or are not below "
                    + words);
          }
          before = word;
        }
        if (claims + children > claimed.length) {
          claimed = java.util.Arrays.copyOf(claimed, 2 * (claims + children));
        }
        for (int i = 0; i < children; i++) {
          claimed[claims++] = at + address(at + 1 + keys + i);
        }
        at += size;
      }
      return at;
    }

    private LmFormatException outside(long at) {
      return new LmFormatException("the node at byte " + WORD * at + " is outside the section");
    }
  }
}
