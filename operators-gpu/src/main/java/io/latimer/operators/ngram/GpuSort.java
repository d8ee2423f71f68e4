package io.latimer.operators.ngram;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;

/** Map, sort, reduce; the tables of the texts are added on the host. */
final class GpuSort implements GpuAccumulator {
  private final GpuKernels kernels;
  private final GpuOut out;
  private final Arena work;
  private final NgramUnit unit;
  private final int order;
  private int idBits = Integer.SIZE - 1;
  private NgramCounts merged;

  GpuSort(GpuKernels kernels, GpuOut out, Arena work, NgramUnit unit, int order) {
    this.kernels = kernels;
    this.out = out;
    this.work = work;
    this.unit = unit;
    this.order = order;
    clear();
  }

  @Override
  public NgramStrategy strategy() {
    return NgramStrategy.SORT;
  }

  @Override
  public void add(GpuKernels.Text text, long windows) {
    if (windows > 0) {
      merged = NgramCounts.merge(merged, sorted(text, windows));
    }
  }

  @Override
  public void idBits(int bits) {
    idBits = bits;
  }

  private NgramCounts sorted(GpuKernels.Text text, long windows) {
    long room = Math.min(windows, 1 << 20);
    while (true) {
      work.reset();
      DeviceBuffer size = work.allocate(8);
      DeviceBuffer counts = work.allocate(room * 8);
      DeviceBuffer keys = work.allocate(room * (unit == NgramUnit.BYTES ? 8L : 4L * order));
      GpuKernels.NgramList list = new GpuKernels.NgramList(keys, counts, room, size);
      if (unit == NgramUnit.BYTES) {
        kernels.sort(work, text, windows, order, list);
      } else {
        kernels.wordsSort(work, text, windows, order, idBits, list);
      }
      long found = out.number(size);
      if (found <= room) {
        NgramCounts table =
            unit == NgramUnit.BYTES
                ? out.table(
                    keys, counts, found, (k, c, team) -> NgramCounts.ofBytes(order, k, c, team))
                : out.tableOfWords(order, keys, counts, found);
        work.reset();
        return table;
      }
      room = found;
    }
  }

  @Override
  public void settle() {
    // add has finished with the text when it returns
  }

  @Override
  public NgramCounts counts() {
    return merged;
  }

  @Override
  public long bytes() {
    return 0;
  }

  @Override
  public void clear() {
    merged = NgramCounts.empty(unit, order);
  }

  @Override
  public void close() {
    // holds no device memory but the arena it was given
  }
}
