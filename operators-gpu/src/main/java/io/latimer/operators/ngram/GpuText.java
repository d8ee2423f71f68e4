package io.latimer.operators.ngram;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Event;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.UploadRing;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/**
 * Copies a piece of text to the device in parts, so that one part is counted while the next is
 * copied.
 *
 * <p>The text passes through a ring of pinned memory that threads fill. The thread that queues the
 * last copy of a part starts the counting of that part.
 *
 * @param <T> {@code byte[]} or {@code int[]}
 */
final class GpuText<T> implements AutoCloseable {
  /** Bytes that a thread writes per step: a multiple of 256 units. */
  private static final int CHUNK = 1 << 19;

  /** Bytes per copy. */
  private static final int SLOT = 8 * CHUNK;

  private static final int SLOTS = 12;

  /**
   * Copies per part of words. Smaller parts cost more launches, each of which takes as long as the
   * copies of 2 to 4 MB; larger ones leave more work after the last copy.
   */
  private static final int PART = 8;

  /**
   * Copies per part of bytes that are counted in rounds: with as many windows as an H200 counts in
   * a round, because each round reads most of the table.
   */
  private static final int ROUND = 6;

  /** The lowest order of byte n-grams that are counted in rounds. */
  private static final int LOWEST_IN_ROUNDS = 7;

  private final Gpu gpu;
  private final GpuKernels kernels;
  private final NgramUnit unit;
  private final int order;
  private final List<Event> arrivals = new ArrayList<>(); // of each part's copies
  private final Closer closer = new Closer();
  private final UploadRing ring;

  /**
   * Makes an uploader with its own ring.
   *
   * @param team threads that write
   */
  GpuText(Gpu gpu, GpuKernels kernels, NgramUnit unit, int order, Team team) {
    this.gpu = gpu;
    this.kernels = kernels;
    this.unit = unit;
    this.order = order;
    try {
      this.ring = closer.add(new UploadRing(gpu, "ngrams", team, SLOTS, SLOT, CHUNK));
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /**
   * A range of units of a record.
   *
   * @param text the record
   * @param from its first unit
   * @param to the unit after its last
   */
  record Slice<T>(T text, int from, int to) {
    int units() {
      return to - from;
    }
  }

  /**
   * Consumes a part that is on the device, on the kernels' stream. Windows: the number of n-grams
   * that count; an upper bound if the part spans several records.
   */
  interface Use {
    void use(GpuKernels.Text part, long windows);
  }

  int unitBytes() {
    return unit == NgramUnit.BYTES ? 1 : Integer.BYTES;
  }

  /**
   * Copies a piece to the device.
   *
   * @param arena where the piece lies until the arena is reset
   * @param whole whether it is consumed as a whole, or part by part as copies arrive
   */
  void bring(Arena arena, List<Slice<T>> slices, boolean whole, Use use) {
    long units = slices.stream().mapToLong(Slice::units).sum();
    if (units < order) {
      return;
    }
    long[] starts = new long[slices.size()]; // offsets in the piece
    for (int i = 1; i < starts.length; i++) {
      starts[i] = starts[i - 1] + slices.get(i - 1).units();
    }
    int[] partEnds = partEnds(ring.copies(units * unitBytes()), unit, order);
    while (arrivals.size() < partEnds.length) {
      arrivals.add(
          closer.addBelow(new Event(gpu, "ngrams"))); // closed after the ring, which uses them
    }
    DeviceBuffer text = arena.allocate(units * unitBytes() + GpuKernels.PADDING);
    long valid = slices.size() > 1 ? valid(arena, slices, starts, units) : 0;
    Bringing bringing = new Bringing(slices, starts, units, text, partEnds, valid, whole, use);
    ring.upload(bringing.bytes, text, bringing::fill, bringing::queued);
  }

  private long valid(Arena arena, List<Slice<T>> slices, long[] starts, long units) {
    DeviceBuffer ends = arena.allocate(slices.size() * 8L);
    ring.upload(
        ends.bytes(),
        ends,
        (at, to) -> {
          for (int i = (int) (at / 8); to.hasRemaining(); i++) {
            to.putLong(starts[i] + slices.get(i).units());
          }
        },
        copy -> {});
    arriving(0);
    arrived(0);
    DeviceBuffer valid = arena.allocate((units + 31) / 32 * 4 + GpuKernels.PADDING);
    kernels.valid(ends, slices.size(), units, order, valid);
    return valid.address();
  }

  /** Marks the arrival of a part, after all copies that are queued now. */
  private void arriving(int part) {
    ring.stream().record(arrivals.get(part));
  }

  /** Makes the kernels' stream wait for the arrival of a part. */
  private void arrived(int part) {
    kernels.stream().waitFor(arrivals.get(part));
  }

  /** Per part, the index of the first copy after it. */
  static int[] partEnds(int copies, NgramUnit unit, int order) {
    int part = unit == NgramUnit.WORDS ? PART : order < LOWEST_IN_ROUNDS ? PART / 2 : ROUND;
    IntStream.Builder ends = IntStream.builder();
    for (int end = part; end < copies; end += part) {
      ends.add(end);
    }
    return ends.add(copies).build().toArray();
  }

  /** One piece in transit. */
  private final class Bringing {
    final long bytes;
    private final List<Slice<T>> slices;
    private final long[] starts;
    private final long units;
    private final DeviceBuffer text;
    private final long valid;
    private final boolean whole;
    private final Use use;

    private final int[] partEnds;

    /** Copies per part that are not yet queued, plus one until their arrival is marked. */
    private final AtomicIntegerArray missing;

    // guarded by this
    private int parts; // consumed so far
    private long used; // first window not yet consumed; a multiple of 256
    private boolean failed;

    Bringing(
        List<Slice<T>> slices,
        long[] starts,
        long units,
        DeviceBuffer text,
        int[] partEnds,
        long valid,
        boolean whole,
        Use use) {
      this.slices = slices;
      this.starts = starts;
      this.units = units;
      this.text = text;
      this.valid = valid;
      this.whole = whole;
      this.use = use;
      this.bytes = units * unitBytes();
      this.partEnds = partEnds;
      this.missing = new AtomicIntegerArray(partEnds.length);
      for (int i = 0; i < partEnds.length; i++) {
        missing.set(i, 1 + partEnds[i] - (i == 0 ? 0 : partEnds[i - 1]));
      }
    }

    /** Writes little-endian units of the piece, starting at a byte offset. */
    private void fill(long byteAt, ByteBuffer out) {
      long from = byteAt / unitBytes();
      long to = from + out.remaining() / unitBytes();
      int slice = Arrays.binarySearch(starts, from);
      slice = slice < 0 ? -slice - 2 : slice; // any of equal starts will do: no slice is empty
      for (long at = from; at < to; slice++) {
        Slice<T> now = slices.get(slice);
        int begin = now.from() + (int) (at - starts[slice]);
        int length = (int) Math.min(now.to() - begin, to - at);
        if (now.text() instanceof byte[] record) {
          out.put(record, begin, length);
        } else {
          out.asIntBuffer().put((int[]) now.text(), begin, length);
          out.position(out.position() + length * Integer.BYTES);
        }
        at += length;
      }
    }

    /** Records a queued copy; the last copy of a part starts that part. */
    private void queued(int copy) {
      int found = Arrays.binarySearch(partEnds, copy + 1);
      int part = found < 0 ? -found - 1 : found;
      if (missing.decrementAndGet(part) == 1) {
        // Marked now: when the part's turn comes, copies of later parts may be queued.
        arriving(part);
        missing.set(part, 0);
        useParts();
      }
    }

    /** Consumes, in order, the parts whose arrival is marked. */
    private synchronized void useParts() {
      while (!failed && parts < missing.length() && missing.get(parts) == 0) {
        try {
          usePart();
        } catch (RuntimeException | Error e) {
          failed = true; // under the monitor, so that no later part is consumed
          throw e;
        }
      }
    }

    private void usePart() {
      arrived(parts);
      int copiesHere = partEnds[parts++];
      boolean last = parts == partEnds.length;
      long here = Math.min(units, (long) copiesHere * ring.slotBytes() / unitBytes());
      long end = last ? units - order + 1 : Math.max(0, here - order + 1) / 256 * 256;
      if (end > used && (last || !whole)) {
        long address = text.address() + used * unitBytes();
        use.use(
            new GpuKernels.Text(address, end - used + order - 1, valid == 0 ? 0 : valid + used / 8),
            whole ? windows() : end - used);
        used = end;
      }
    }

    private long windows() {
      return slices.stream().mapToLong(s -> Math.max(0, s.units() - order + 1L)).sum();
    }
  }

  @Override
  public void close() {
    closer.close();
  }
}
