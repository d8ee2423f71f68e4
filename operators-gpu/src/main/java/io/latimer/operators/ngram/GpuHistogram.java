package io.latimer.operators.ngram;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.util.Closer;

/** A counter for every possible byte n-gram: V1, V2, and the histograms in shared memory. */
final class GpuHistogram implements GpuAccumulator {
  /** The highest order of histograms in shared memory. */
  static final int MAX_SHARED_ORDER = 2;

  private static final long MOST_WINDOWS = (1L << 32) - 1;

  private final GpuKernels kernels;
  private final GpuOut out;
  private final Arena work;
  private final Closer closer = new Closer();
  private final Arena arena;
  private final NgramStrategy strategy;
  private final int order;
  private final int copies;
  private final DeviceBuffer table;
  private NgramCounts merged;
  private long windows;

  /**
   * Makes an empty histogram.
   *
   * @param strategy V1 or V2; HASH for the histograms in shared memory, order 1 or 2
   * @param work scratch memory for listing
   */
  GpuHistogram(
      GpuKernels kernels, GpuOut out, Arena work, long memory, NgramStrategy strategy, int order) {
    this.kernels = kernels;
    this.out = out;
    this.work = work;
    this.strategy = strategy;
    this.order = order;
    this.copies = strategy == NgramStrategy.V2 ? copies(order) : 1;
    long bytes = bytes(strategy, order);
    try {
      this.arena =
          closer.add(Arena.exactWithin(kernels.gpu(), "ngrams " + strategy, memory, bytes));
      this.table = arena.allocate(bytes);
      clear();
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /** Private histograms of V2: more take longer to sum, fewer suffer more contention. */
  private static int copies(int order) {
    return order <= 2 ? 128 : 32;
  }

  /** Size in bytes of a strategy's tables. */
  static long bytes(NgramStrategy strategy, int order) {
    long entries = 1L << (8 * order);
    return switch (strategy) {
      case V1 -> entries * 4;
      case V2 -> entries * 4 * copies(order);
      case AUTO, SORT, HASH -> entries * 8;
    };
  }

  @Override
  public NgramStrategy strategy() {
    return strategy;
  }

  @Override
  public void add(GpuKernels.Text text, long added) {
    if (strategy == NgramStrategy.HASH) {
      kernels.shared(text, order, table);
      return;
    }
    // 32-bit counters are drained before any can overflow
    if (windows + added > MOST_WINDOWS) {
      merged = NgramCounts.merge(merged, listed());
      empty();
    }
    windows += added;
    if (strategy == NgramStrategy.V1) {
      kernels.v1(text, order, table);
    } else {
      kernels.v2(text, order, copies, table);
    }
  }

  @Override
  public void settle() {
    kernels.stream().synchronize();
  }

  @Override
  public NgramCounts counts() {
    return NgramCounts.merge(merged, listed());
  }

  private NgramCounts listed() {
    if (copies > 1) {
      kernels.v2Reduce(table, copies, order);
    }
    boolean wide = strategy == NgramStrategy.HASH;
    try {
      return out.sorted(
          kernels,
          work,
          Math.min(1L << (8 * order), 1 << 16),
          8 * order,
          to ->
              kernels.denseList(wide ? 0 : table.address(), wide ? table.address() : 0, order, to),
          (keys, counts, team) -> NgramCounts.ofBytes(order, keys, counts, team));
    } catch (DeviceMemoryException e) {
      return read(wide); // no device memory for listing and sorting
    }
  }

  /** Reads the table back count by count. */
  private NgramCounts read(boolean wide) {
    LongTable here = new LongTable();
    int each = wide ? Long.BYTES : Integer.BYTES;
    out.inTurn(
        table,
        (1L << (8 * order)) * each,
        (at, bytes) -> {
          for (long key = at / each; bytes.hasRemaining(); key++) {
            long count = wide ? bytes.getLong() : Integer.toUnsignedLong(bytes.getInt());
            if (count != 0) {
              here.add(key, count);
            }
          }
        });
    return here.sorted(order);
  }

  @Override
  public long bytes() {
    return arena.capacity();
  }

  @Override
  public void clear() {
    merged = NgramCounts.empty(NgramUnit.BYTES, order);
    empty();
  }

  private void empty() {
    windows = 0;
    kernels.stream().fill(table, 0);
  }

  @Override
  public void close() {
    closer.close();
  }
}
