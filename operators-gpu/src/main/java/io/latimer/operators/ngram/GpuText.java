package io.latimer.operators.ngram;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Event;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.Closer;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import io.latimer.operators.device.Team;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;

/**
 * Brings a piece of text to the device, part by part, so that one part is counted while the next is
 * copied.
 *
 * <p>The text goes through a ring of slots in pinned memory. Threads take chunks of it in turn, and
 * none waits for the others: who writes the last chunk of a slot queues its copy, and who queues
 * the last copy of a part sets the counting of that part off. The ring is small enough to stay in
 * the processor's cache, so that the text crosses the host's memory once, when it is read; a copy
 * is large, since each takes the driver's lock for some microseconds.
 *
 * @param <T> {@code byte[]} or {@code int[]}
 */
final class GpuText<T> implements AutoCloseable {
  /** Bytes that a thread writes at a time: a multiple of 256 units. */
  private static final int CHUNK = 1 << 19;

  /** Bytes that are copied at a time. */
  private static final int SLOT = 8 * CHUNK;

  private static final int SLOTS = 12;

  /** Slots of a part: fewer cost more launches, more leave more to do behind the last copy. */
  private static final int PART = 8;

  /** Threads that write to pinned memory: more than so many bring no more, the bus is full. */
  private static final int MOST_THREADS = 12;

  private final GpuKernels kernels;
  private final NgramUnit unit;
  private final int order;
  private final Stream copies;
  private final PinnedBuffer staged;
  private final Event[] copied = new Event[SLOTS];
  private final Event arrived;
  private final Closer closer = new Closer();
  private final Team team;

  GpuText(Gpu gpu, GpuKernels kernels, NgramUnit unit, int order) {
    this.kernels = kernels;
    this.unit = unit;
    this.order = order;
    int threads = Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors());
    try {
      this.staged = closer.add(new PinnedBuffer(gpu, "ngrams", SLOTS * SLOT));
      this.arrived = closer.add(new Event(gpu, "ngrams"));
      for (int i = 0; i < SLOTS; i++) {
        copied[i] = closer.add(new Event(gpu, "ngrams"));
      }
      this.copies = closer.add(new Stream(gpu, "ngrams"));
      this.team = closer.add(new Team(threads, "ngrams"));
    } catch (RuntimeException e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /**
   * Some units of a record.
   *
   * @param text the record
   * @param from its first unit
   * @param to the unit behind its last
   */
  record Slice<T>(T text, int from, int to) {
    int units() {
      return to - from;
    }
  }

  /**
   * What is done with a part that is on the device, on the kernels' stream. Windows: how many
   * n-grams count; of a part of several records, at most so many.
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
   * @param arena where it lies, until it is reset
   * @param whole whether it is used at once, or in parts as they come
   */
  void bring(Arena arena, List<Slice<T>> slices, boolean whole, Use use) {
    long units = slices.stream().mapToLong(Slice::units).sum();
    if (units < order) {
      return;
    }
    DeviceBuffer text = arena.allocate(units * unitBytes() + GpuKernels.PADDING);
    long valid = slices.size() > 1 ? valid(arena, slices, units) : 0;
    Bringing bringing = new Bringing(slices, units, text, valid, whole, use);
    team.run(bringing.chunks, bringing::chunk);
  }

  private long valid(Arena arena, List<Slice<T>> slices, long units) {
    DeviceBuffer ends = arena.allocate(slices.size() * 8L);
    long end = 0;
    int next = 0;
    for (long at = 0; at < ends.bytes(); ) {
      copies.synchronize(); // what was staged before has gone
      ByteBuffer out = staged.bytes();
      while (next < slices.size() && out.remaining() >= 8) {
        end += slices.get(next++).units();
        out.putLong(end);
      }
      copies.copyIn(staged, 0, out.position(), ends.slice(at, out.position()));
      at += out.position();
    }
    copies.synchronize();
    DeviceBuffer valid = arena.allocate((units + 31) / 32 * 4 + GpuKernels.PADDING);
    kernels.valid(ends, slices.size(), units, order, valid);
    return valid.address();
  }

  /** One piece on its way. */
  private final class Bringing {
    final int chunks;
    private final List<Slice<T>> slices;
    private final long[] starts; // of the slices, in the piece
    private final long units;
    private final long bytes;
    private final DeviceBuffer text;
    private final long valid;
    private final boolean whole;
    private final Use use;
    private final AtomicIntegerArray queued = new AtomicIntegerArray(SLOTS); // copies, by slot
    private final AtomicIntegerArray writable; // 1 where a copy's slot is free for it
    private final AtomicIntegerArray unwritten; // chunks of a copy that are not in its slot yet
    private final AtomicIntegerArray missing; // copies of a part that are not queued yet
    private volatile boolean failed;
    private int parts; // that were used; guarded by this
    private long used; // windows from here on have not been used yet; a multiple of 256

    Bringing(
        List<Slice<T>> slices, long units, DeviceBuffer text, long valid, boolean whole, Use use) {
      this.slices = slices;
      this.units = units;
      this.text = text;
      this.valid = valid;
      this.whole = whole;
      this.use = use;
      this.bytes = units * unitBytes();
      this.chunks = pieces(bytes, CHUNK);
      this.starts = new long[slices.size()];
      for (int i = 1; i < starts.length; i++) {
        starts[i] = starts[i - 1] + slices.get(i - 1).units();
      }
      this.unwritten = shares(chunks, SLOT / CHUNK);
      this.writable = new AtomicIntegerArray(unwritten.length());
      this.missing = shares(unwritten.length(), PART);
    }

    private static int pieces(long of, int size) {
      return Math.toIntExact((of + size - 1) / size);
    }

    /** How many of so many things each group of so many has: the last may have fewer. */
    private static AtomicIntegerArray shares(int things, int each) {
      AtomicIntegerArray shares = new AtomicIntegerArray(pieces(things, each));
      for (int i = 0; i < shares.length(); i++) {
        shares.set(i, Math.min(each, things - i * each));
      }
      return shares;
    }

    void chunk(int chunk) {
      try {
        long at = (long) chunk * CHUNK;
        int copy = (int) (at / SLOT);
        int slot = copy % SLOTS;
        awaitSlot(slot, copy, at % SLOT == 0);
        if (failed) {
          return;
        }
        int length = (int) Math.min(CHUNK, bytes - at);
        fill(at / unitBytes(), length / unitBytes(), slot * SLOT + (int) (at % SLOT));
        if (unwritten.decrementAndGet(copy) == 0) {
          long from = (long) copy * SLOT;
          long size = Math.min(SLOT, bytes - from);
          copies.copyIn(staged, (long) slot * SLOT, size, text.slice(from, size));
          copies.record(copied[slot]);
          queued.incrementAndGet(slot);
          if (missing.decrementAndGet(copy / PART) == 0) {
            useParts();
          }
        }
      } catch (RuntimeException | Error e) {
        failed = true;
        throw e;
      }
    }

    /** Waits until the copy before this has left the slot: one thread asks, the others are told. */
    private void awaitSlot(int slot, int copy, boolean asks) {
      if (asks) {
        spinUntil(() -> queued.get(slot) == copy / SLOTS);
        if (!failed) {
          copied[slot].await();
          writable.set(copy, 1);
        }
      } else {
        spinUntil(() -> writable.get(copy) == 1);
      }
    }

    private void spinUntil(BooleanSupplier condition) {
      while (!condition.getAsBoolean() && !failed) {
        Thread.onSpinWait();
      }
    }

    /** Writes units of the piece, little endian, to the staged bytes from a position on. */
    private void fill(long from, int count, int position) {
      int slice = Arrays.binarySearch(starts, from);
      slice = slice < 0 ? -slice - 2 : slice; // of equal starts, any: no slice is empty
      ByteBuffer out = staged.bytes().position(position);
      for (long at = from; at < from + count; slice++) {
        Slice<T> now = slices.get(slice);
        int begin = now.from() + (int) (at - starts[slice]);
        int length = (int) Math.min(now.to() - begin, from + count - at);
        if (now.text() instanceof byte[] bytes) {
          out.put(bytes, begin, length);
        } else {
          out.asIntBuffer().put((int[]) now.text(), begin, length);
          out.position(out.position() + length * Integer.BYTES);
        }
        at += length;
      }
    }

    /** Uses the parts whose copies are all queued, in order. */
    private synchronized void useParts() {
      while (parts < missing.length() && missing.get(parts) == 0 && !failed) {
        parts++;
        boolean last = parts == missing.length();
        long here = Math.min(units, (long) parts * PART * SLOT / unitBytes());
        long end = last ? units - order + 1 : Math.max(0, here - order + 1) / 256 * 256;
        if (end > used && (last || !whole)) {
          copies.record(arrived);
          kernels.stream().waitFor(arrived);
          long address = text.address() + used * unitBytes();
          use.use(
              new GpuKernels.Text(
                  address, end - used + order - 1, valid == 0 ? 0 : valid + used / 8),
              whole ? windows() : end - used);
          used = end;
        }
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
