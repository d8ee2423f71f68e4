package io.latimer.operators.device;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntSupplier;

/** A queue of work on a device, executed in order, concurrently with other streams. */
public final class Stream implements AutoCloseable {
  private final Gpu gpu;
  private final String owner;
  private final long handle;
  private final Event idle;
  private boolean closed;

  /**
   * Makes a stream.
   *
   * @param owner its user, for errors
   */
  public Stream(Gpu gpu, String owner) {
    this.gpu = gpu;
    this.owner = owner;
    this.idle = new Event(gpu, owner);
    long[] made = new long[1];
    try {
      gpu.check(gpu.driver().createStream(made), "cuStreamCreate", owner);
    } catch (RuntimeException e) {
      idle.close();
      throw e;
    }
    this.handle = made[0];
    gpu.opened(this, owner);
  }

  public Gpu gpu() {
    return gpu;
  }

  /** Its native address, for calls to kernels. */
  public long handle() {
    if (closed) {
      throw new IllegalStateException(owner + ": the stream is closed");
    }
    return handle;
  }

  /** Queues a copy of bytes [offset, offset+length) of host memory to the beginning of a buffer. */
  public void copyIn(PinnedBuffer from, long offset, long length, DeviceBuffer to) {
    requireWithin(offset, length, from.size());
    requireWithin(0, length, to.bytes());
    if (length > 0) {
      queue(
          DeviceClock.Kind.TRANSFER,
          "cuMemcpyHtoDAsync",
          () -> gpu.driver().copyIn(to.address(), from.address() + offset, length, handle()));
    }
  }

  /** Queues a copy of the first length bytes of a buffer to host memory from an offset on. */
  public void copyOut(DeviceBuffer from, long length, PinnedBuffer to, long offset) {
    requireWithin(offset, length, to.size());
    requireWithin(0, length, from.bytes());
    if (length > 0) {
      queue(
          DeviceClock.Kind.TRANSFER,
          "cuMemcpyDtoHAsync",
          () -> gpu.driver().copyOut(to.address() + offset, from.address(), length, handle()));
    }
  }

  /** Queues a copy of the first length bytes of a buffer to the beginning of another. */
  public void copy(DeviceBuffer from, DeviceBuffer to, long length) {
    requireWithin(0, length, from.bytes());
    requireWithin(0, length, to.bytes());
    if (length > 0) {
      queue(
          DeviceClock.Kind.KERNEL,
          "cuMemcpyDtoDAsync",
          () -> gpu.driver().copy(to.address(), from.address(), length, handle()));
    }
  }

  /** Queues the filling of a buffer with a byte. */
  public void fill(DeviceBuffer buffer, int value) {
    if (buffer.bytes() > 0) {
      queue(
          DeviceClock.Kind.KERNEL,
          "cuMemsetD8Async",
          () -> gpu.driver().fill(buffer.address(), (byte) value, buffer.bytes(), handle()));
    }
  }

  /** Queues a call of the driver, which returns its CUresult. */
  private void queue(DeviceClock.Kind kind, String name, IntSupplier call) {
    gpu.makeCurrent();
    DeviceClock.queue(this, kind, () -> gpu.checkQueued(call.getAsInt(), name, owner));
  }

  /**
   * Queues a function of the kernel library that takes the stream as its last argument.
   *
   * @param function its name in latimer_kernels.h
   * @param arguments all but the stream, as {@link Gpu#call} takes them
   */
  public void call(String function, Object... arguments) {
    Object[] all = with(arguments, handle());
    ProfilerRange range = ProfilerRange.begin(function);
    try {
      DeviceClock.queue(this, DeviceClock.Kind.KERNEL, () -> gpu.call(owner, function, all));
    } finally {
      range.end();
    }
  }

  /**
   * The bytes of scratch memory that a function of the kernel library asks for.
   *
   * @param function its name in latimer_kernels.h: its last arguments are the scratch memory, the
   *     size of that and the stream
   * @param arguments all but these three
   */
  public long scratchBytes(String function, Object... arguments) {
    long[] bytes = new long[1];
    call(function, with(arguments, 0L, bytes));
    return bytes[0];
  }

  /**
   * Queues a function of the kernel library with existing scratch memory.
   *
   * @param scratch {@link #scratchBytes} or more
   * @param arguments all but scratch memory, its size and the stream
   */
  public void callWithin(DeviceBuffer scratch, String function, Object... arguments) {
    call(function, with(arguments, scratch.address(), new long[] {scratch.bytes()}));
  }

  /**
   * Queues a function of the kernel library with as much scratch memory as it asks for.
   *
   * @param arena whose memory it takes
   * @param arguments all but scratch memory, its size and the stream
   */
  public void callWithScratch(Arena arena, String function, Object... arguments) {
    callWithin(arena.allocate(scratchBytes(function, arguments)), function, arguments);
  }

  private static Object[] with(Object[] arguments, Object... more) {
    Object[] all = Arrays.copyOf(arguments, arguments.length + more.length);
    System.arraycopy(more, 0, all, arguments.length, more.length);
    return all;
  }

  /** Records an event. */
  public void record(Event event) {
    gpu.makeCurrent();
    gpu.check(gpu.driver().recordEvent(event.handle(), handle()), "cuEventRecord", owner);
  }

  /** Queues a wait: later work starts when the event is reached. */
  public void waitFor(Event event) {
    gpu.makeCurrent();
    gpu.check(gpu.driver().streamWaits(handle(), event.handle()), "cuStreamWaitEvent", owner);
  }

  /** Waits until all queued work is done. */
  public void synchronize() {
    record(idle);
    idle.await();
  }

  /**
   * Captures queued work instead of executing it.
   *
   * @param work queues on this stream only; must not wait, nor allocate memory that its arenas do
   *     not have yet
   */
  public Graph capture(Runnable work) {
    gpu.makeCurrent();
    gpu.check(gpu.driver().beginCapture(handle()), "cuStreamBeginCapture", owner);
    gpu.captureBegins();
    long[] graph = new long[1];
    boolean queued = false;
    try {
      work.run();
      queued = true;
    } finally {
      int result = gpu.driver().endCapture(handle, graph);
      gpu.captureEnds();
      if (queued) {
        gpu.check(result, "cuStreamEndCapture", owner);
      } else if (result == 0) {
        gpu.driver().destroyGraph(graph[0]);
      }
    }
    return new Graph(gpu, owner, graph[0]);
  }

  private static void requireWithin(long offset, long bytes, long of) {
    Objects.checkFromIndexSize(offset, bytes, of);
  }

  /** Waits for its work and releases it. Closing twice is safe. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    int waited = 0;
    if (!gpu.isLost()) {
      gpu.makeCurrent();
      waited = gpu.driver().synchronizeStream(handle);
    }
    gpu.release(this, "cuStreamDestroy", owner, () -> gpu.driver().destroyStream(handle));
    idle.close();
    gpu.check(waited, "cuStreamSynchronize", owner);
  }
}
