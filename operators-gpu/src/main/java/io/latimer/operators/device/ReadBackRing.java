package io.latimer.operators.device;

import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Copies bytes from a device through a ring of slots in pinned memory: the threads of a team read
 * some slots while others are copied. One transfer at a time.
 */
public final class ReadBackRing implements AutoCloseable {
  /** The destination of bytes from the device. */
  public interface Sink {
    /**
     * Reads all bytes of a slot. Called concurrently by several threads for different bytes.
     *
     * @param at offset of the first of these bytes in the transfer
     * @param from little-endian
     */
    void read(long at, ByteBuffer from);
  }

  /**
   * A transfer.
   *
   * @param bytes number of bytes, from the start of the buffer
   */
  public record Part(DeviceBuffer from, long bytes, Sink sink) {
    /** 64-bit numbers, as many as the array has. */
    public static Part of(DeviceBuffer from, long[] to) {
      return new Part(
          from,
          (long) Long.BYTES * to.length,
          (at, slot) ->
              slot.asLongBuffer().get(to, (int) (at / Long.BYTES), slot.remaining() / Long.BYTES));
    }

    /** 32-bit numbers, as many as the array has. */
    public static Part of(DeviceBuffer from, int[] to) {
      return new Part(
          from,
          (long) Integer.BYTES * to.length,
          (at, slot) ->
              slot.asIntBuffer()
                  .get(to, (int) (at / Integer.BYTES), slot.remaining() / Integer.BYTES));
    }
  }

  private final int slots;
  private final int slotBytes;
  private final Team team;
  private final Closer closer = new Closer();
  private final PinnedBuffer pinned;
  private final Event[] copied;

  /**
   * Makes a ring.
   *
   * @param owner its user, for errors
   * @param team whose threads read
   * @param slotBytes bytes copied and read at a time, a multiple of 16
   */
  public ReadBackRing(Gpu gpu, String owner, Team team, int slots, int slotBytes) {
    if (slots < 1 || slotBytes < 1 || slotBytes % 16 != 0) {
      throw new IllegalArgumentException(slots + " slots of " + slotBytes + " bytes");
    }
    this.team = team;
    this.slots = slots;
    this.slotBytes = slotBytes;
    this.copied = new Event[slots];
    try {
      this.pinned = closer.add(new PinnedBuffer(gpu, owner, Math.multiplyExact(slots, slotBytes)));
      for (int i = 0; i < slots; i++) {
        copied[i] = closer.add(new Event(gpu, owner));
      }
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /**
   * Reads parts back after all work queued on a stream. Returns when everything is read.
   *
   * @param stream for the copies
   */
  public void read(Stream stream, List<Part> parts) {
    Reading reading = new Reading(stream, parts);
    try {
      for (int i = 0; i < Math.min(slots, reading.chunks); i++) {
        reading.queue(i);
      }
      team.run(reading.chunks, reading::chunk);
    } catch (RuntimeException | Error e) {
      // queued copies still write to the slots: no other transfer may start before they are done
      Closer.runAfter(e, stream::synchronize);
      throw e;
    }
  }

  /** A transfer in progress. */
  private final class Reading {
    final int chunks;
    private final Stream stream;
    private final List<Part> parts;
    private final int[] firsts; // chunk of each part
    private final AtomicIntegerArray queued = new AtomicIntegerArray(slots); // copies, by slot
    private volatile boolean failed;

    Reading(Stream stream, List<Part> parts) {
      this.stream = stream;
      this.parts = List.copyOf(parts);
      this.firsts = new int[parts.size()];
      long sum = 0;
      for (int i = 0; i < firsts.length; i++) {
        firsts[i] = Math.toIntExact(sum);
        sum += (parts.get(i).bytes() + slotBytes - 1) / slotBytes;
      }
      this.chunks = Math.toIntExact(sum);
    }

    private int partOf(int chunk) {
      int part = firsts.length - 1;
      while (firsts[part] > chunk) {
        part--;
      }
      return part;
    }

    void queue(int chunk) {
      int number = partOf(chunk);
      Part part = parts.get(number);
      int slot = chunk % slots;
      long at = (long) (chunk - firsts[number]) * slotBytes;
      long length = Math.min(slotBytes, part.bytes() - at);
      stream.copyOut(part.from().slice(at, length), length, pinned, (long) slot * slotBytes);
      stream.record(copied[slot]);
      queued.incrementAndGet(slot);
    }

    void chunk(int chunk) {
      try {
        int slot = chunk % slots;
        // The previous chunk of this slot was taken earlier, by a thread that is reading it or
        // done.
        Spin.until(() -> failed || queued.get(slot) > chunk / slots);
        if (failed) {
          return;
        }
        copied[slot].await();
        int number = partOf(chunk);
        Part part = parts.get(number);
        long at = (long) (chunk - firsts[number]) * slotBytes;
        int length = (int) Math.min(slotBytes, part.bytes() - at);
        part.sink()
            .read(
                at, pinned.bytes().slice(slot * slotBytes, length).order(ByteOrder.LITTLE_ENDIAN));
        if (chunk + slots < chunks) {
          queue(chunk + slots);
        }
      } catch (RuntimeException | Error e) {
        failed = true; // threads that wait for a slot need not wait any longer
        throw e;
      }
    }
  }

  /** Releases it; no transfer may be in progress. Closing twice is safe. */
  @Override
  public void close() {
    closer.close();
  }
}
