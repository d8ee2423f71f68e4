package io.latimer.operators.device;

import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;

/**
 * Copies bytes to a device through a ring of slots in pinned memory: some slots are written while
 * others are copied. One upload at a time.
 *
 * <p>The threads of a team take chunks in turn without waiting for each other: the thread that
 * writes the last chunk of a slot queues the slot's copy. If the ring fits the processor's cache,
 * the bytes cross the host's memory only once, when they are read. Copies should be large, because
 * each takes the driver's lock for some microseconds.
 */
public final class UploadRing implements AutoCloseable {
  private static final int INDEX_SLOT = 4 << 20;
  private static final int INDEX_SLOTS = 4;

  /** The source of an upload. */
  public interface Source {
    /**
     * Writes bytes to a slot, from its position to its limit. Called concurrently by several
     * threads for different bytes.
     *
     * @param at offset of the first of these bytes in the upload
     * @param to little-endian
     */
    void write(long at, ByteBuffer to);
  }

  private final int slots;
  private final int slotBytes;
  private final int chunkBytes;
  private final Team team;
  private final Closer closer = new Closer();
  private final PinnedBuffer pinned;
  private final Event[] copied;
  private final Stream stream;

  /**
   * Makes a ring for an index, filled by the caller's thread.
   *
   * @param owner its user, for errors
   */
  public UploadRing(Gpu gpu, String owner) {
    this(gpu, owner, new Team(1), INDEX_SLOTS, INDEX_SLOT, INDEX_SLOT);
  }

  /**
   * Makes a ring.
   *
   * @param owner its user, for errors
   * @param team whose threads write
   * @param slotBytes bytes copied at a time, a multiple of {@code chunkBytes}
   * @param chunkBytes bytes that a thread writes at a time
   */
  public UploadRing(Gpu gpu, String owner, Team team, int slots, int slotBytes, int chunkBytes) {
    if (slots < 1 || chunkBytes < 1 || slotBytes % chunkBytes != 0) {
      throw new IllegalArgumentException(
          slots + " slots of " + slotBytes + " bytes, written " + chunkBytes + " at a time");
    }
    this.team = team;
    this.slots = slots;
    this.slotBytes = slotBytes;
    this.chunkBytes = chunkBytes;
    this.copied = new Event[slots];
    try {
      this.pinned = closer.add(new PinnedBuffer(gpu, owner, Math.multiplyExact(slots, slotBytes)));
      for (int i = 0; i < slots; i++) {
        copied[i] = closer.add(new Event(gpu, owner));
      }
      this.stream = closer.add(new Stream(gpu, owner)); // closed first, to wait for its copies
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /** The stream of the copies. */
  public Stream stream() {
    return stream;
  }

  /** Bytes copied at a time. */
  public int slotBytes() {
    return slotBytes;
  }

  /**
   * Queues the upload of the bytes up to a buffer's limit; the buffer is no longer used when this
   * returns.
   */
  public void upload(ByteBuffer from, DeviceBuffer to) {
    upload(
        from.limit(), to, (at, slot) -> slot.put(from.slice((int) at, slot.remaining())), i -> {});
  }

  /** The same for pieces, one after the other. */
  public void upload(List<ByteBuffer> pieces, DeviceBuffer to) {
    long at = 0;
    for (ByteBuffer piece : pieces) {
      upload(piece, to.slice(at, piece.limit()));
      at += piece.limit();
    }
  }

  /** The same for 32-bit numbers. */
  public void upload(IntBuffer from, DeviceBuffer to) {
    upload(
        (long) Integer.BYTES * from.limit(),
        to,
        (at, slot) -> {
          IntBuffer ints = slot.asIntBuffer();
          ints.put(from.slice((int) (at / Integer.BYTES), ints.remaining()));
        },
        i -> {});
  }

  /** The same for 32-bit floating point numbers. */
  public void upload(FloatBuffer from, DeviceBuffer to) {
    upload(
        (long) Float.BYTES * from.limit(),
        to,
        (at, slot) -> {
          FloatBuffer floats = slot.asFloatBuffer();
          floats.put(from.slice((int) (at / Float.BYTES), floats.remaining()));
        },
        i -> {});
  }

  /**
   * Queues the upload of bytes to the start of a buffer; the source is no longer used when this
   * returns.
   *
   * @param queued receives the index of each copy, from 0, when it is queued: out of order, and
   *     from any thread
   */
  public void upload(long bytes, DeviceBuffer to, Source source, IntConsumer queued) {
    Upload upload = new Upload(bytes, to, source, queued);
    team.run(upload.chunks, upload::chunk);
  }

  /** Number of copies for a number of bytes. */
  public int copies(long bytes) {
    return pieces(bytes, slotBytes);
  }

  private static int pieces(long of, int size) {
    return Math.toIntExact((of + size - 1) / size);
  }

  /** An upload in progress. */
  private final class Upload {
    final int chunks;
    private final long bytes;
    private final DeviceBuffer to;
    private final Source source;
    private final IntConsumer whenQueued;
    private final AtomicIntegerArray queued = new AtomicIntegerArray(slots); // copies, by slot
    private final AtomicIntegerArray writable; // 1 if a copy's slot is free for it
    private final AtomicIntegerArray unwritten; // chunks of a copy not written to its slot yet
    private volatile boolean failed;

    Upload(long bytes, DeviceBuffer to, Source source, IntConsumer whenQueued) {
      this.bytes = bytes;
      this.to = to;
      this.source = source;
      this.whenQueued = whenQueued;
      this.chunks = pieces(bytes, chunkBytes);
      this.writable = new AtomicIntegerArray(copies(bytes));
      this.unwritten = new AtomicIntegerArray(writable.length());
      int each = slotBytes / chunkBytes;
      for (int i = 0; i < unwritten.length(); i++) {
        unwritten.set(i, Math.min(each, chunks - i * each));
      }
    }

    void chunk(int chunk) {
      try {
        long at = (long) chunk * chunkBytes;
        int copy = (int) (at / slotBytes);
        int slot = copy % slots;
        awaitSlot(slot, copy, at % slotBytes == 0);
        if (failed) {
          return;
        }
        int begin = slot * slotBytes + (int) (at % slotBytes);
        int length = (int) Math.min(chunkBytes, bytes - at);
        source.write(at, pinned.bytes().slice(begin, length).order(ByteOrder.LITTLE_ENDIAN));
        if (unwritten.decrementAndGet(copy) == 0) {
          long from = (long) copy * slotBytes;
          long size = Math.min(slotBytes, bytes - from);
          stream.copyIn(pinned, (long) slot * slotBytes, size, to.slice(from, size));
          stream.record(copied[slot]);
          queued.incrementAndGet(slot);
          whenQueued.accept(copy);
        }
      } catch (RuntimeException | Error e) {
        failed = true; // threads that wait for a slot need not wait any longer
        throw e;
      }
    }

    /** Waits until the slot's previous copy is done: one thread polls and notifies the others. */
    private void awaitSlot(int slot, int copy, boolean asks) {
      if (asks) {
        Spin.until(() -> failed || queued.get(slot) == copy / slots);
        if (!failed) {
          copied[slot].await();
          writable.set(copy, 1);
        }
      } else {
        Spin.until(() -> failed || writable.get(copy) == 1);
      }
    }
  }

  /** Waits for its copies and releases it. Closing twice is safe. */
  @Override
  public void close() {
    closer.close();
  }
}
