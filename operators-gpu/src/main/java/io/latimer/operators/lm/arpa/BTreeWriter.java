package io.latimer.operators.lm.arpa;

import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmSections;
import io.latimer.operators.util.Team;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Writes the B-tree layout from the contents of a builder, level by level, and consumes the
 * builder's table: its keys are replaced by the positions of the n-grams in their level. Memory is
 * allocated once, for the largest levels: eight bytes per n-gram of one level, and four of two.
 */
final class BTreeWriter {
  private static final long MAX_ADDRESS = 0xFFFFFFFFL;
  private static final int PIECE = 1 << 14; // 32-bit words
  private static final int SHARES = 16; // per thread, so that none waits long for another
  private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(int[].class);

  private final LmBuilder builder;
  private final TrieTable table;
  private final int order;
  private final int keysPerNode;
  private final Team team;

  /**
   * The n-grams of one level, in output order: the first word in the upper half; the table slot, or
   * the probability for the highest order, in the lower half.
   */
  private final long[] ngrams;

  /** For each n-gram of the previous level, the end of the n-grams of this level that end in it. */
  private int[] ends;

  private int parents; // n-grams of the previous level

  /** For each n-gram of this level, the number of n-grams of the next level that end in it. */
  private int[] counts;

  /**
   * Prepares a writer.
   *
   * @param team threads that write
   */
  BTreeWriter(LmBuilder builder, int keysPerNode, Team team) {
    this.builder = builder;
    this.table = builder.table();
    this.order = builder.order();
    this.keysPerNode = keysPerNode;
    this.team = team;
    int longest = 0;
    int most = builder.words(); // n-grams of a level with a next level
    for (int level = 2; level <= order; level++) {
      longest = Math.max(longest, size(level));
      most = level == order ? most : Math.max(most, size(level));
    }
    this.ngrams = new long[longest];
    this.ends = new int[most];
    this.counts = new int[most];
    count(builder.words());
  }

  private int size(int level) {
    return Math.toIntExact(builder.stored()[level - 1]);
  }

  /** A task that receives the range of its share. */
  @FunctionalInterface
  private interface Share {
    void of(int from, int to);
  }

  private void share(int size, Share task) {
    int parts = Math.min(size, SHARES * team.size());
    team.run(parts, i -> task.of((int) ((long) size * i / parts), (int) (size * (i + 1L) / parts)));
  }

  /** Counts the n-grams of the next level per n-gram of this one, once these are numbered. */
  private void count(int size) {
    Arrays.fill(counts, 0, size, 0);
    if (order == 1) {
      return;
    }
    share(
        table.slots(),
        (from, to) -> {
          for (int slot = from; slot < to; slot++) {
            int parent = table.count(slot);
            if (parent >= 0) {
              ELEMENT.getAndAdd(counts, parent, 1);
            }
          }
        });
  }

  private int payloadWords(int level) {
    return level == order ? 1 : 3;
  }

  /** Writes {prob, back-off, address, 0} of every word, by id. */
  void writeRoot(Consumer<ByteBuffer> to) {
    BTreeShape shape = new BTreeShape(keysPerNode);
    ByteBuffer piece = newPiece(PIECE);
    long at = 0;
    for (int id = 0; id < builder.words(); id++) {
      if (!piece.hasRemaining()) {
        to.accept(piece.flip());
        piece.clear();
      }
      piece.putLong(builder.unigram(id));
      piece.putInt(counts[id] == 0 ? 0 : address(at + 1));
      piece.putInt(0);
      at += shape.words(counts[id], payloadWords(2));
    }
    to.accept(piece.flip());
  }

  /** Writes all nodes. */
  void writeNodes(Consumer<ByteBuffer> to) {
    parents = builder.words();
    for (int level = 2; level <= order; level++) {
      int[] free = ends;
      ends = counts;
      counts = free;
      gather(level);
      if (level < order) {
        share(size(level), this::number);
        count(size(level));
      }
      new Level(level).write(to);
      parents = size(level);
    }
  }

  /** Sorts the n-grams of a level, while {@link #ends} still has their counts. */
  private void gather(int level) {
    int at = 0;
    for (int parent = 0; parent < parents; parent++) {
      int count = ends[parent];
      ends[parent] = at;
      at += count;
    }
    boolean highest = level == order;
    share(
        table.slots(),
        (from, to) -> {
          for (int slot = from; slot < to; slot++) {
            if (table.isCounted(slot)) {
              int place = (int) ELEMENT.getAndAdd(ends, table.parent(slot), 1);
              long low = highest ? table.valueAt(slot) & 0xFFFFFFFFL : slot;
              ngrams[place] = (long) table.countedWord(slot) << 32 | low;
            }
          }
        });
    share(parents, this::sort);
  }

  private int start(int parent) {
    return parent == 0 ? 0 : ends[parent - 1];
  }

  private void sort(int fromParent, int toParent) {
    BTreeShape shape = new BTreeShape(keysPerNode);
    for (int parent = fromParent; parent < toParent; parent++) {
      int from = start(parent);
      int to = ends[parent];
      Arrays.sort(ngrams, from, to);
      if (to - from > keysPerNode) {
        long[] sorted = Arrays.copyOfRange(ngrams, from, to);
        shape.lay(sorted.length, 0);
        int next = from;
        for (int node = 0; node < shape.nodes(); node++) {
          for (int i = 0; i < shape.keys(node); i++) {
            ngrams[next++] = sorted[shape.place(node, i)];
          }
        }
      }
    }
  }

  private void number(int from, int to) {
    for (int i = from; i < to; i++) {
      table.setNumber((int) ngrams[i], i);
    }
  }

  /** Writes the nodes of one level, several pieces concurrently. */
  private final class Level {
    private final int level;
    private final int payload;
    private final Piece[] pieces = new Piece[2 * team.size()];
    private int parent; // first one that belongs to no piece yet
    private long at; // offset of its nodes in the level
    private long next; // offset of the next level's next tree, from the same origin

    Level(int level) {
      this.level = level;
      this.payload = payloadWords(level);
      Arrays.setAll(pieces, i -> new Piece());
    }

    void write(Consumer<ByteBuffer> to) {
      BTreeShape shape = new BTreeShape(keysPerNode);
      for (int i = 0; i < parents; i++) {
        next += shape.words(ends[i] - start(i), payload);
      }
      int filled = 0;
      int half = pieces.length / 2;
      int first = 0;
      do {
        int filling = 0;
        int other = half - first;
        while (filling < half && parent < parents) {
          take(pieces[other + filling++], shape);
        }
        int ready = filled;
        int from = first;
        // One thread writes what is ready while the others fill the next pieces.
        team.run(
            filling + 1,
            part -> {
              if (part > 0) {
                pieces[other + part - 1].fill(Level.this);
                return;
              }
              for (int i = 0; i < ready; i++) {
                to.accept(pieces[from + i].bytes.flip());
              }
            });
        filled = filling;
        first = other;
      } while (filled > 0);
    }

    /** Assigns to a piece the next parents, up to about a piece's size. */
    private void take(Piece piece, BTreeShape shape) {
      piece.from = parent;
      piece.at = at;
      piece.next = next;
      long end = at;
      while (parent < parents && end - at < PIECE) {
        int from = start(parent);
        end += shape.words(ends[parent] - from, payload);
        if (level < order) {
          for (int i = from; i < ends[parent]; i++) {
            next += shape.words(counts[i], payloadWords(level + 1));
          }
        }
        parent++;
      }
      piece.to = parent;
      piece.words = Math.toIntExact(end - at);
      at = end;
    }
  }

  /** A piece of a level's nodes. */
  private final class Piece {
    private final BTreeShape shape = new BTreeShape(keysPerNode);
    private ByteBuffer bytes = newPiece(PIECE);
    private int from; // the first parent
    private int to;
    private int words;
    private long at;
    private long next;

    void fill(Level of) {
      if (bytes.capacity() < words * Integer.BYTES) {
        bytes = newPiece(words);
      }
      bytes.clear();
      boolean highest = of.level == order;
      for (int parent = from; parent < to; parent++) {
        int count = ends[parent] - start(parent);
        if (count > 0) {
          shape.lay(count, of.payload);
          int ngram = start(parent);
          for (int node = 0; node < shape.nodes(); node++) {
            putKeys(node, ngram);
            if (highest) {
              putHighest(node, ngram);
            } else {
              putValues(node, ngram, of.level + 1);
            }
            ngram += shape.keys(node);
          }
          at += shape.words(count, of.payload);
        }
      }
    }

    private void putKeys(int node, int ngram) {
      bytes.putInt(shape.keys(node) | (shape.children(node) == 0 ? 0 : LmSections.INNER));
      for (int i = 0; i < shape.keys(node); i++) {
        bytes.putInt((int) (ngrams[ngram + i] >>> 32));
      }
      for (int i = 0; i < shape.children(node); i++) {
        bytes.putInt(address((long) shape.at(shape.child(node, i)) - shape.at(node)));
      }
    }

    private void putValues(int node, int first, int nextLevel) {
      for (int i = 0; i < shape.keys(node); i++) {
        int ngram = first + i;
        bytes.putLong(table.valueAt((int) ngrams[ngram]));
        bytes.putInt(counts[ngram] == 0 ? 0 : address(next - at - shape.at(node)));
        next += shape.words(counts[ngram], payloadWords(nextLevel));
      }
    }

    private void putHighest(int node, int first) {
      for (int i = 0; i < shape.keys(node); i++) {
        bytes.putInt((int) ngrams[first + i]);
      }
    }
  }

  private static int address(long words) {
    if (words > MAX_ADDRESS) {
      throw new LmFormatException(
          "the model is too large for B-trees, whose addresses reach 16 GiB; use the layout hash");
    }
    return (int) words;
  }

  private static ByteBuffer newPiece(int words) {
    return ByteBuffer.allocate(Math.multiplyExact(words, Integer.BYTES))
        .order(ByteOrder.LITTLE_ENDIAN);
  }
}
