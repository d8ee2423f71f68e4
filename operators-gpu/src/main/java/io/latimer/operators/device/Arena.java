package io.latimer.operators.device;

import java.util.ArrayList;
import java.util.List;

/**
 * The owner and only allocator of device memory. An arena lives as long as an index ({@link
 * #exact}: filled once, closed with it) or serves batches: it is reset after each, grows to the
 * largest, and frees nothing until it is closed. Not thread-safe.
 */
public final class Arena implements AutoCloseable {
  /** Alignment of buffers in bytes. */
  public static final long ALIGNMENT = 256;

  private static final long SMALLEST_BLOCK = 1L << 20;

  private final Gpu gpu;
  private final String owner;
  private final long limit;
  private final List<Block> blocks = new ArrayList<>();
  private long generation;
  private boolean closed;

  private static final class Block {
    final long address;
    final long bytes;
    long used;

    Block(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
    }
  }

  /**
   * Makes an arena without memory.
   *
   * @param owner the user of its memory, for errors and leak reports
   */
  public Arena(Gpu gpu, String owner) {
    this(gpu, owner, Long.MAX_VALUE);
  }

  /**
   * Makes an arena without memory.
   *
   * @param limit maximum bytes; beyond that it throws {@link DeviceMemoryException}, as when the
   *     device has no memory
   */
  public Arena(Gpu gpu, String owner, long limit) {
    this.gpu = gpu;
    this.owner = owner;
    this.limit = limit;
    gpu.opened(this, owner);
  }

  /**
   * Makes an arena for buffers of known sizes, such as the sections of an index: allocates all of
   * their memory now, and none later.
   *
   * @param sizes of the buffers in bytes, each 0 or more
   * @throws DeviceMemoryException if it does not fit
   */
  public static Arena exact(Gpu gpu, String owner, long... sizes) {
    return exactWithin(gpu, owner, Long.MAX_VALUE, sizes);
  }

  /**
   * The same, within a limit.
   *
   * @param limit maximum bytes
   * @param sizes of the buffers in bytes, each 0 or more
   * @throws DeviceMemoryException if it does not fit
   */
  public static Arena exactWithin(Gpu gpu, String owner, long limit, long... sizes) {
    long bytes = bytesFor(sizes);
    Arena arena = new Arena(gpu, owner, Math.min(limit, bytes));
    try {
      arena.grow(bytes);
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
    return arena;
  }

  /** Total bytes of buffers of these sizes, each rounded up to the alignment. */
  static long bytesFor(long... sizes) {
    long bytes = 0;
    for (long size : sizes) {
      if (size < 0 || size > Long.MAX_VALUE - ALIGNMENT - bytes) {
        throw new IllegalArgumentException("a buffer of " + size + " bytes");
      }
      bytes += rounded(size);
    }
    return bytes;
  }

  private static long rounded(long bytes) {
    return Math.max(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  }

  public Gpu gpu() {
    return gpu;
  }

  /** Bytes allocated on the device. */
  public long capacity() {
    return blocks.stream().mapToLong(b -> b.bytes).sum();
  }

  /** Bytes of the largest buffer that {@link #allocate} could provide within this arena's limit. */
  public long room() {
    long most = limit - capacity();
    for (Block block : blocks) {
      most = Math.max(most, block.bytes - block.used);
    }
    return most / ALIGNMENT * ALIGNMENT;
  }

  /**
   * Allocates a buffer, valid until {@link #reset} or {@link #close}. Its content is undefined.
   *
   * @param bytes 0 or more
   * @throws DeviceMemoryException if there is too little memory; the arena is unchanged
   */
  public DeviceBuffer allocate(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a buffer of " + bytes + " bytes");
    }
    requireOpen();
    if (bytes > Long.MAX_VALUE - ALIGNMENT) {
      throw tooMuch(bytes); // rounding it up would overflow
    }
    long rounded = rounded(bytes);
    for (Block block : blocks) {
      if (block.bytes - block.used >= rounded) {
        return cut(block, bytes, rounded);
      }
    }
    return cut(grow(rounded), bytes, rounded);
  }

  private DeviceBuffer cut(Block block, long bytes, long rounded) {
    DeviceBuffer buffer = new DeviceBuffer(this, generation, block.address + block.used, bytes);
    block.used += rounded;
    return buffer;
  }

  private Block grow(long bytes) {
    long held = capacity();
    if (bytes > limit - held) {
      throw tooMuch(bytes);
    }
    gpu.makeCurrent();
    // Double the size, so that growth takes few steps; if that is too much, only what is needed.
    long wanted = Math.min(limit - held, Math.max(bytes, Math.max(SMALLEST_BLOCK, held)));
    long[] address = new long[1];
    int result = gpu.driver().allocate(wanted, address);
    if (result != 0 && wanted > bytes) {
      wanted = bytes;
      result = gpu.driver().allocate(wanted, address);
    }
    gpu.check(result, "cuMemAlloc of " + wanted + " bytes", owner);
    Block block = new Block(address[0], wanted);
    blocks.add(block);
    return block;
  }

  private DeviceMemoryException tooMuch(long bytes) {
    return new DeviceMemoryException(
        "allocate",
        "limit",
        owner
            + ": "
            + bytes
            + " more bytes of "
            + gpu
            + " do not fit its limit of "
            + limit
            + ", of which it holds "
            + capacity());
  }

  /** Invalidates all buffers, and keeps their memory for the next batch. */
  public void reset() {
    requireOpen();
    generation++;
    blocks.forEach(block -> block.used = 0);
  }

  void requireLive(long bufferGeneration) {
    requireOpen();
    if (bufferGeneration != generation) {
      throw new IllegalStateException(owner + ": a buffer is used after its arena was reset");
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException(owner + ": the arena is closed");
    }
  }

  /** Frees all memory. Closing twice is safe. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (Block block : blocks) {
      gpu.release(this, "cuMemFree", owner, () -> gpu.driver().free(block.address));
    }
    gpu.release(this, "close", owner, () -> 0);
    blocks.clear();
  }
}
