package io.latimer.operators.lm.estimate;

import io.latimer.operators.util.TempFolder;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A long array of sums that several threads add to, in Java's memory or in a temporary file. */
abstract class LongColumn {
  abstract long get(int i);

  /** Adds atomically. */
  abstract void add(int i, long value);

  static final class InMemory extends LongColumn {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values;

    InMemory(int length) {
      this.values = new long[length];
    }

    @Override
    long get(int i) {
      return values[i];
    }

    @Override
    void add(int i, long value) {
      ELEMENT.getAndAdd(values, i, value);
    }
  }

  static final class InFile extends LongColumn {
    private static final VarHandle ELEMENT =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int SHIFT = 27; // pieces of 1 GiB: a buffer cannot hold 2
    private static final int MASK = (1 << SHIFT) - 1;

    private final ByteBuffer[] pieces;

    InFile(TempFolder folder, int length) throws IOException {
      this.pieces =
          folder.map((long) length * Long.BYTES, 1L << (SHIFT + 3)).toArray(new ByteBuffer[0]);
    }

    @Override
    long get(int i) {
      return pieces[i >>> SHIFT].getLong((i & MASK) * Long.BYTES);
    }

    @Override
    void add(int i, long value) {
      ELEMENT.getAndAdd(pieces[i >>> SHIFT], (i & MASK) * Long.BYTES, value);
    }
  }
}
