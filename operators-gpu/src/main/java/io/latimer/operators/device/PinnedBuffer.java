package io.latimer.operators.device;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Page-locked host memory, so that copies to and from the device run concurrently with other work.
 */
public final class PinnedBuffer implements AutoCloseable {
  private final Gpu gpu;
  private final String owner;
  private final long address;
  private final ByteBuffer view;
  private boolean closed;

  /**
   * Allocates it.
   *
   * @param bytes 1 to 2^31-1
   * @param owner its user, for errors
   * @throws DeviceMemoryException if the host has too little memory
   */
  public PinnedBuffer(Gpu gpu, String owner, int bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("a pinned buffer of " + bytes + " bytes");
    }
    this.gpu = gpu;
    this.owner = owner;
    gpu.makeCurrent();
    long[] allocated = new long[1];
    ByteBuffer[] made = new ByteBuffer[1];
    gpu.check(
        gpu.driver().allocateHost(bytes, allocated, made),
        "cuMemHostAlloc of " + bytes + " bytes",
        owner);
    this.address = allocated[0];
    this.view = made[0];
    gpu.opened(this, owner);
  }

  /** All of it, little-endian, from position 0; a new view on each call. */
  public ByteBuffer bytes() {
    requireOpen();
    return view.duplicate().clear().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Its size in bytes. */
  public int size() {
    return view.capacity();
  }

  /**
   * Its address, which is the same on the host and on the device: kernels may read and write it.
   */
  public long address() {
    requireOpen();
    return address;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException(owner + ": the pinned buffer is closed");
    }
  }

  /** Frees it; its views must no longer be used. Closing twice is safe. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      gpu.release(this, "cuMemFreeHost", owner, () -> gpu.driver().freeHost(address));
    }
  }
}
