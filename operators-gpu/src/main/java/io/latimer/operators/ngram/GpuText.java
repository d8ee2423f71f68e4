package io.latimer.operators.ngram;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Event;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import io.latimer.operators.device.Team;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings a piece of text to the device, part by part, so that one part is counted while the next is
 * copied.
 *
 * @param <T> {@code byte[]} or {@code int[]}
 */
final class GpuText<T> implements AutoCloseable {
  /** Bytes of a part. */
  private static final int PART = 32 << 20;

  /** Threads that write to pinned memory: more than so many bring no more, the bus is full. */
  private static final int MOST_THREADS = 16;

  private final GpuKernels kernels;
  private final NgramUnit unit;
  private final int order;
  private final Stream copies;
  private final PinnedBuffer[] staged = new PinnedBuffer[2];
  private final Event[] copied = new Event[2];
  private final Team team =
      new Team(Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors()), "ngrams");

  GpuText(Gpu gpu, GpuKernels kernels, NgramUnit unit, int order) {
    this.kernels = kernels;
    this.unit = unit;
    this.order = order;
    this.copies = new Stream(gpu, "ngrams");
    for (int i = 0; i < 2; i++) {
      staged[i] = new PinnedBuffer(gpu, "ngrams", PART);
      copied[i] = new Event(gpu, "ngrams");
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
    Filler<T> filler = new Filler<>(slices, unitBytes());
    long total = units * unitBytes();
    long counted = 0; // windows from here on have not been used yet; a multiple of 256
    int turn = 0;
    for (long at = 0; at < total; turn ^= 1) {
      copied[turn].await(); // what was staged here before has gone
      int bytes = filler.fill(staged[turn].bytes(), team);
      copies.copyIn(staged[turn], 0, bytes, text.slice(at, bytes));
      copies.record(copied[turn]);
      at += bytes;
      kernels.stream().waitFor(copied[turn]);
      long here = at / unitBytes();
      boolean last = at == total;
      long end = last ? units - order + 1 : Math.max(0, here - order + 1) / 256 * 256;
      if (end > counted && (last || !whole)) {
        long address = text.address() + counted * unitBytes();
        use.use(
            new GpuKernels.Text(
                address, end - counted + order - 1, valid == 0 ? 0 : valid + counted / 8),
            whole ? windows(slices) : end - counted);
        counted = end;
      }
    }
  }

  private long windows(List<Slice<T>> slices) {
    return slices.stream().mapToLong(s -> Math.max(0, s.units() - order + 1L)).sum();
  }

  private long valid(Arena arena, List<Slice<T>> slices, long units) {
    DeviceBuffer ends = arena.allocate(slices.size() * 8L);
    long end = 0;
    int next = 0;
    for (long at = 0; at < ends.bytes(); ) {
      copied[0].await();
      ByteBuffer out = staged[0].bytes();
      while (next < slices.size() && out.remaining() >= 8) {
        end += slices.get(next++).units();
        out.putLong(end);
      }
      copies.copyIn(staged[0], 0, out.position(), ends.slice(at, out.position()));
      copies.record(copied[0]);
      at += out.position();
    }
    kernels.stream().waitFor(copied[0]);
    DeviceBuffer valid = arena.allocate((units + 31) / 32 * 4 + GpuKernels.PADDING);
    kernels.valid(ends, slices.size(), units, order, valid);
    return valid.address();
  }

  /** Writes the units of slices, one after the other, little endian. */
  private static final class Filler<T> {
    private static final int SHARE = 1 << 20;

    private final List<Slice<T>> slices;
    private final int unitBytes;
    private int slice;
    private int from;

    /** What one thread copies: runs of units, and the byte where they begin. */
    private record Share<T>(List<Slice<T>> runs, int at) {}

    Filler(List<Slice<T>> slices, int unitBytes) {
      this.slices = slices;
      this.unitBytes = unitBytes;
      this.from = slices.isEmpty() ? 0 : slices.get(0).from();
    }

    /** Fills a buffer as far as there is text, on all threads of a team; returns the bytes. */
    int fill(ByteBuffer out, Team team) {
      List<Share<T>> shares = new ArrayList<>();
      int at = 0;
      while (slice < slices.size() && out.capacity() - at >= unitBytes) {
        Share<T> share = new Share<>(new ArrayList<>(), at);
        int room = Math.min(SHARE, out.capacity() - at) / unitBytes;
        while (slice < slices.size() && room > 0) {
          Slice<T> now = slices.get(slice);
          int units = Math.min(now.to() - from, room);
          share.runs.add(new Slice<>(now.text(), from, from + units));
          room -= units;
          at += units * unitBytes;
          from += units;
          if (from == now.to()) {
            slice++;
            from = slice < slices.size() ? slices.get(slice).from() : 0;
          }
        }
        shares.add(share);
      }
      team.run(shares.size(), i -> write(shares.get(i), out.duplicate().order(out.order())));
      return at;
    }

    private void write(Share<T> share, ByteBuffer out) {
      out.position(share.at);
      for (Slice<T> run : share.runs) {
        if (run.text() instanceof byte[] bytes) {
          out.put(bytes, run.from(), run.units());
        } else {
          out.asIntBuffer().put((int[]) run.text(), run.from(), run.units());
          out.position(out.position() + run.units() * unitBytes);
        }
      }
    }
  }

  @Override
  public void close() {
    team.close();
    copies.close();
    for (int i = 0; i < 2; i++) {
      if (staged[i] != null) {
        staged[i].close();
        copied[i].close();
      }
    }
  }
}
