package io.latimer.operators.text;

import io.latimer.operators.util.Utf8;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;

/**
 * Checks the normalization rules in a SentencePiece model ({@code precompiled_charsmap}), which the
 * native library follows without any check of its own.
 *
 * <p>The rules are a u32 length, a double array of that many bytes (Yata's darts-clone: a minimal
 * automaton of all left sides), and the right sides, each ended by NUL. From a node at position
 * {@code p} the library reads the unit at {@code p ^ byte} for whatever byte comes next in the
 * text, and where a left side ends, the unit at the next node, which is the offset of its right
 * side.
 */
final class SentencePieceNormalization {
  /** Ten times the rules for all of Unicode (NFKC with case folding). */
  private static final int MAX_BYTES = 4 << 20;

  /**
   * The library has room for that many left sides that are prefixes of each other, not for more.
   */
  private static final int MAX_MATCHES = 32;

  private static final int MAX_LEFT_BYTES = 256;
  private static final int MAX_RIGHT_BYTES = 256;

  private static final int BYTES = 256;

  private final int[] units;
  private final int count;
  private final byte[] right;

  /** Bounds of the longest path and of the most left sides on a path from each checked node. */
  private final short[] longest;

  private final byte[] matches;
  private final BitSet started = new BitSet();
  private final BitSet done = new BitSet();
  private final BitSet checkedRight = new BitSet();

  /** What is wrong with the rules. */
  static final class Invalid extends Exception {
    private static final long serialVersionUID = 1L;

    Invalid(String message) {
      super(message);
    }
  }

  private SentencePieceNormalization(int[] units, byte[] right) {
    this.units = units;
    this.count = units.length;
    this.right = right;
    this.longest = new short[count];
    this.matches = new byte[count];
  }

  /**
   * Checks the rules.
   *
   * @param rules may be empty, for none
   * @throws Invalid if the library could read outside them, or a text could make it slow
   */
  static void check(ByteBuffer rules) throws Invalid {
    if (!rules.hasRemaining()) {
      return;
    }
    require(rules.remaining() <= MAX_BYTES, "they have more than " + MAX_BYTES + " bytes");
    require(rules.remaining() > Integer.BYTES, "they are truncated");
    ByteBuffer in = rules.slice().order(ByteOrder.LITTLE_ENDIAN);
    int length = in.getInt();
    require(
        length > 0 && length <= in.remaining() && length % Integer.BYTES == 0,
        "their table claims " + Integer.toUnsignedString(length) + " bytes");
    byte[] right = new byte[in.remaining() - length];
    in.get(in.position() + length, right);
    int[] units = new int[length / Integer.BYTES];
    in.asIntBuffer().get(units);
    new SentencePieceNormalization(units, right).walk();
  }

  /** A node whose next bytes are being tried. */
  private static final class Visit {
    private final int node;
    private int next;

    Visit(int node) {
      this.node = node;
    }
  }

  /** Visits every node that a text can reach, depth first. */
  private void walk() throws Invalid {
    Deque<Visit> path = new ArrayDeque<>();
    path.push(enter(target(0, units[0])));
    while (!path.isEmpty()) {
      Visit visit = path.peek();
      if (visit.next == BYTES) {
        done.set(visit.node);
        path.pop();
        if (!path.isEmpty()) {
          // the byte that led to the node is tried again, now that the node is done
          path.peek().next--;
        }
        continue;
      }
      int label = nextLabel(visit);
      if (label == BYTES) {
        continue;
      }
      int at = visit.node ^ label;
      int unit = units[at];
      int node = target(at, unit);
      if (!done.get(node)) {
        require(!started.get(node), "their table has a cycle");
        require(
            path.size() < MAX_LEFT_BYTES, "they replace more than " + MAX_LEFT_BYTES + " bytes");
        path.push(enter(node));
        continue;
      }
      boolean match = hasLeaf(unit);
      if (match) {
        checkRight(units[node] & Integer.MAX_VALUE);
      }
      longest[visit.node] = (short) Math.max(longest[visit.node], longest[node] + 1);
      matches[visit.node] = (byte) Math.max(matches[visit.node], matches[node] + (match ? 1 : 0));
      require(
          longest[visit.node] <= MAX_LEFT_BYTES,
          "they replace more than " + MAX_LEFT_BYTES + " bytes");
      require(
          matches[visit.node] <= MAX_MATCHES,
          "more than " + MAX_MATCHES + " of their left sides start each other");
    }
  }

  /** The next byte that leads on from a node; {@link #BYTES} if there is none. */
  private int nextLabel(Visit visit) {
    int label = visit.next;
    while (label < BYTES && label(units[visit.node ^ label]) != label) {
      label++;
    }
    visit.next = Math.min(BYTES, label + 1);
    return label;
  }

  /** Any byte may come next, so all units of a node's block must be there. */
  private Visit enter(int node) throws Invalid {
    require((node | (BYTES - 1)) < count, "their table points outside itself");
    started.set(node);
    return new Visit(node);
  }

  /** The node that a unit leads to; may be outside the table. */
  private int target(int at, int unit) throws Invalid {
    int node = at ^ ((unit >>> 10) << ((unit & 1 << 9) >>> 6));
    require(node >= 0 && node < count, "their table points outside itself");
    return node;
  }

  /** The byte that leads to a unit; no byte if it holds a value. */
  private static int label(int unit) {
    return unit & (Integer.MIN_VALUE | 0xFF);
  }

  private static boolean hasLeaf(int unit) {
    return (unit >>> 8 & 1) != 0;
  }

  private void checkRight(int from) throws Invalid {
    require(from < right.length, "their table points outside the texts");
    if (checkedRight.get(from)) {
      return;
    }
    checkedRight.set(from);
    int end = from;
    while (end < right.length && end - from <= MAX_RIGHT_BYTES && right[end] != 0) {
      end++;
    }
    require(end < right.length, "a text has no end");
    require(right[end] == 0, "a text has more than " + MAX_RIGHT_BYTES + " bytes");
    require(Utf8.decode(ByteBuffer.wrap(right, from, end - from)) != null, "a text is not UTF-8");
  }

  private static void require(boolean holds, String what) throws Invalid {
    if (!holds) {
      throw new Invalid("its normalization rules are invalid: " + what);
    }
  }
}
