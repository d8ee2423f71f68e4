package io.latimer.operators.lm.estimate;

import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.util.Monitors;
import io.latimer.operators.util.ShortFloats;
import io.latimer.operators.util.Team;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Writes a model in the ARPA format, like lmplz. Pieces are formatted on all cores and written in
 * order.
 */
final class ArpaWriter implements KneserNey.Sink {
  private static final int PIECE = 1 << 13; // n-grams

  private final OutputStream out;
  private final NgramTrie trie;
  private final Team team;
  private final byte[] text; // the concatenated words
  private final int[] ends; // end of each word in the text
  private final ConcurrentLinkedQueue<Lines> spare = new ConcurrentLinkedQueue<>();

  /**
   * @param words in id order
   */
  ArpaWriter(OutputStream out, NgramTrie trie, WordIds words, Team team) {
    this.out = out;
    this.trie = trie;
    this.team = team;
    int n = words.size();
    this.ends = new int[n];
    byte[] bytes = new byte[1 << 16];
    int length = 0;
    for (int id = 0; id < n; id++) {
      byte[] word = words.bytes(id);
      if (word.length > bytes.length - length) {
        bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + word.length));
      }
      System.arraycopy(word, 0, bytes, length, word.length);
      length += word.length;
      ends[id] = length;
    }
    this.text = bytes;
  }

  /** Writes everything before the n-grams. */
  void begin() throws IOException {
    StringBuilder head = new StringBuilder("\\data\\\n");
    for (int order = 1; order <= trie.order(); order++) {
      head.append("ngram ").append(order).append('=').append(trie.level(order).kept()).append('\n');
    }
    write(head.append('\n').toString());
  }

  /** Writes everything after the n-grams. */
  void end() throws IOException {
    write("\\end\\\n");
  }

  private void write(String ascii) throws IOException {
    out.write(ascii.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void accept(NgramTrie.Level level, IntColumn probabilities, IntColumn backoffs)
      throws IOException {
    write("\\" + level.order() + "-grams:\n");
    int pieces = (int) ((level.size() + (long) PIECE - 1) / PIECE);
    Turns turns = new Turns();
    try {
      team.run(
          pieces,
          piece -> {
            Lines lines = spare.poll();
            if (lines == null) {
              lines = new Lines();
            }
            try {
              int from = piece * PIECE;
              int to = (int) Math.min(level.size(), from + (long) PIECE);
              lines.format(level, probabilities, backoffs, from, to);
              turns.await(piece);
              out.write(lines.bytes, 0, lines.length);
              turns.next();
            } catch (IOException e) {
              UncheckedIOException failure = new UncheckedIOException(e);
              turns.fail(failure);
              throw failure;
            } catch (RuntimeException | Error e) {
              turns.fail(e);
              throw e;
            }
            spare.add(lines);
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    write("\n");
  }

  /** Lets threads write their pieces in order. */
  private static final class Turns {
    private int turn;
    private Throwable failure;

    synchronized void await(int piece) {
      Monitors.awaitUninterruptibly(this, () -> turn == piece || failure != null);
      if (failure instanceof RuntimeException e) {
        throw e;
      }
      if (failure instanceof Error e) {
        throw e;
      }
    }

    synchronized void next() {
      turn++;
      notifyAll();
    }

    synchronized void fail(Throwable reason) {
      if (failure == null) {
        failure = reason;
      }
      notifyAll();
    }
  }

  /** The lines of a piece. */
  private final class Lines {
    private byte[] bytes = new byte[PIECE * 48];
    private int length;
    private byte[] suffix = new byte[256];
    private int suffixLength;
    private final int[] path = new int[trie.order() + 1]; // an n-gram's suffixes, per order

    void format(
        NgramTrie.Level level, IntColumn probabilities, IntColumn backoffs, int from, int to) {
      int order = level.order();
      length = 0;
      path[order] = from;
      for (int k = order - 1; k >= 1; k--) {
        path[k] = trie.level(k).parent(path[k + 1]);
      }
      setSuffix(order);
      for (int i = from; i < to; i++) {
        if (order > 1 && i >= trie.level(order - 1).children().get(path[order - 1] + 1)) {
          path[order] = i;
          for (int k = order - 1; k >= 1; k--) {
            IntColumn children = trie.level(k).children();
            while (path[k + 1] >= children.get(path[k] + 1)) {
              path[k]++;
            }
          }
          setSuffix(order);
        }
        if (!level.pruned(i)) {
          line(
              order == 1 ? i : level.words().get(i),
              probabilities.getFloat(i),
              backoffs == null ? Float.NaN : backoffs.getFloat(i));
        }
      }
    }

    /** All words of the n-gram but the first. */
    private void setSuffix(int order) {
      suffixLength = 0;
      for (int k = order - 1; k >= 1; k--) {
        int word = k == 1 ? path[1] : trie.level(k).words().get(path[k]);
        int start = start(word);
        int size = ends[word] - start;
        if (size + 1 > suffix.length - suffixLength) {
          suffix = Arrays.copyOf(suffix, 2 * (suffixLength + size + 1));
        }
        suffix[suffixLength++] = ' ';
        System.arraycopy(text, start, suffix, suffixLength, size);
        suffixLength += size;
      }
    }

    private void line(int word, float probability, float backoff) {
      int start = start(word);
      int size = ends[word] - start;
      int needed = size + suffixLength + 2 * ShortFloats.LONGEST + 3;
      if (needed > bytes.length - length) {
        bytes = Arrays.copyOf(bytes, 2 * bytes.length + needed);
      }
      int at = ShortFloats.put(log10(probability), bytes, length);
      bytes[at++] = '\t';
      System.arraycopy(text, start, bytes, at, size);
      at += size;
      System.arraycopy(suffix, 0, bytes, at, suffixLength);
      at += suffixLength;
      if (!Float.isNaN(backoff)) {
        bytes[at++] = '\t';
        at = ShortFloats.put((float) Math.log10(backoff), bytes, at);
      }
      bytes[at++] = '\n';
      length = at;
    }

    private int start(int word) {
      return word == 0 ? 0 : ends[word - 1];
    }

    /** Sums of float32 numbers may slightly exceed 1, which is not a probability. */
    private static float log10(float probability) {
      return Math.min(0f, (float) Math.log10(probability));
    }
  }
}
