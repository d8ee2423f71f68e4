package io.latimer.operators.glossary.index;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Bytes that grow at their end, up to a limit. */
final class ByteColumn {
  private final int limit;
  private byte[] bytes = new byte[64];
  private int length;

  /** An empty column of at most {@code limit} bytes. */
  ByteColumn(int limit) {
    this.limit = limit;
  }

  /** Adds bytes; returns false if they do not fit. */
  boolean add(byte[] more) {
    if (more.length > limit - length) {
      return false;
    }
    if (more.length > bytes.length - length) {
      long capacity = Math.max(length + (long) more.length, bytes.length * 3L / 2);
      bytes = Arrays.copyOf(bytes, (int) Math.min(limit, capacity));
    }
    System.arraycopy(more, 0, bytes, length, more.length);
    length += more.length;
    return true;
  }

  /** Adds an i32 in little-endian order; returns false if it does not fit. */
  boolean addInt(int value) {
    return add(
        new byte[] {(byte) value, (byte) (value >> 8), (byte) (value >> 16), (byte) (value >> 24)});
  }

  int length() {
    return length;
  }

  /** The bytes so far, not copied. */
  ByteBuffer bytes() {
    return ByteBuffer.wrap(bytes, 0, length).slice().order(ByteOrder.LITTLE_ENDIAN);
  }
}
