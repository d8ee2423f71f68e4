package io.latimer.operators.phrases.index;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/** Collects little-endian numbers into pieces of a section. */
final class Pieces {
  private static final int BYTES = 1 << 20;

  private final ByteBuffer piece = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private final Consumer<ByteBuffer> out;

  Pieces(Consumer<ByteBuffer> out) {
    this.out = out;
  }

  /** Writes an array. */
  static void write(int[] numbers, Consumer<ByteBuffer> out) {
    Pieces pieces = new Pieces(out);
    for (int number : numbers) {
      pieces.putInt(number);
    }
    pieces.end();
  }

  void putInt(int number) {
    if (piece.remaining() < Integer.BYTES) {
      end();
    }
    piece.putInt(number);
  }

  void putLong(long number) {
    if (piece.remaining() < Long.BYTES) {
      end();
    }
    piece.putLong(number);
  }

  /** Passes on the numbers collected so far. */
  void end() {
    out.accept(piece.flip());
    piece.clear();
  }
}
