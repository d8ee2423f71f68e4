package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import java.nio.ByteBuffer;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** Brings tables from a device to the host. */
final class GpuOut implements AutoCloseable {
  private static final int PIECE = 16 << 20;

  private final Stream stream;
  private final PinnedBuffer pinned;

  GpuOut(Gpu gpu, Stream stream) {
    this.stream = stream;
    this.pinned = new PinnedBuffer(gpu, "ngrams", PIECE);
  }

  /**
   * What makes a list: unsorted keys and counts, of which there may be more than there is room for.
   */
  interface Lister {
    void list(DeviceBuffer keys, DeviceBuffer counts, long room, DeviceBuffer size);
  }

  /**
   * Lists a table, sorts the list on the device and brings it here.
   *
   * @param arena for what this takes; reset before and after
   * @param guess about how many there are
   * @param table makes a table of sorted keys and their counts
   */
  NgramCounts sorted(
      GpuKernels kernels,
      Arena arena,
      long guess,
      int keyBits,
      Lister lister,
      BiFunction<long[], long[], NgramCounts> table) {
    long room = Math.max(guess, 1 << 10);
    while (true) {
      arena.reset();
      DeviceBuffer keys = arena.allocate(room * 8);
      DeviceBuffer counts = arena.allocate(room * 8);
      DeviceBuffer size = arena.allocate(8);
      lister.list(keys, counts, room, size);
      long found = number(size);
      if (found <= room) {
        DeviceBuffer sortedKeys = arena.allocate(found * 8);
        DeviceBuffer sortedCounts = arena.allocate(found * 8);
        kernels.listSort(arena, keys, counts, found, keyBits, sortedKeys, sortedCounts);
        long[] hereKeys = longs(sortedKeys, found);
        long[] hereCounts = longs(sortedCounts, found);
        arena.reset();
        return table.apply(hereKeys, hereCounts);
      }
      room = found;
    }
  }

  /** The first 8 bytes of a buffer. */
  long number(DeviceBuffer buffer) {
    return longs(buffer, 1)[0];
  }

  /** The first numbers of a buffer. */
  long[] longs(DeviceBuffer buffer, long number) {
    long[] out = new long[size(number)];
    int[] at = {0};
    pieces(
        buffer,
        number * 8,
        bytes -> {
          int here = bytes.remaining() / 8;
          bytes.asLongBuffer().get(out, at[0], here);
          at[0] += here;
        });
    return out;
  }

  /** The first 32-bit numbers of a buffer. */
  int[] ints(DeviceBuffer buffer, long number) {
    int[] out = new int[size(number)];
    int[] at = {0};
    pieces(
        buffer,
        number * 4,
        bytes -> {
          int here = bytes.remaining() / 4;
          bytes.asIntBuffer().get(out, at[0], here);
          at[0] += here;
        });
    return out;
  }

  /**
   * The first bytes of a buffer, little endian, a piece (a multiple of 16 bytes, but the last) at a
   * time.
   */
  void pieces(DeviceBuffer buffer, long bytes, Consumer<ByteBuffer> take) {
    for (long at = 0; at < bytes; at += PIECE) {
      int here = (int) Math.min(PIECE, bytes - at);
      stream.copyOut(buffer.slice(at, here), here, pinned, 0);
      stream.synchronize();
      take.accept(pinned.bytes().limit(here));
    }
  }

  private static int size(long number) {
    if (number > Integer.MAX_VALUE - 8) {
      throw new OperatorException(number + " n-grams are more than a table can hold");
    }
    return (int) number;
  }

  @Override
  public void close() {
    pinned.close();
  }
}
