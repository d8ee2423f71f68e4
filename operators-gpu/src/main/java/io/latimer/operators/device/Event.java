package io.latimer.operators.device;

/** A point in a stream's work. */
public final class Event implements AutoCloseable {
  /** {@code CU_EVENT_BLOCKING_SYNC}. */
  private static final int BLOCKING = 1;

  /** {@code CU_EVENT_DISABLE_TIMING}. */
  private static final int UNTIMED = 2;

  /** A wait spins for about as long as it takes to wake a thread that sleeps. */
  private static final long SPIN_NANOS = 30_000;

  private final Gpu gpu;
  private final String owner;
  private final long handle;
  private boolean closed;

  /**
   * Makes an event that is already reached.
   *
   * @param owner its user, for errors
   */
  public Event(Gpu gpu, String owner) {
    this(gpu, owner, BLOCKING | UNTIMED);
  }

  private Event(Gpu gpu, String owner, int flags) {
    this.gpu = gpu;
    this.owner = owner;
    gpu.makeCurrent();
    long[] made = new long[1];
    gpu.check(gpu.driver().createEvent(made, flags), "cuEventCreate", owner);
    this.handle = made[0];
    gpu.opened(this, owner);
  }

  /** Makes an event whose time is known; see {@link #millisecondsSince}. */
  static Event timed(Gpu gpu, String owner) {
    return new Event(gpu, owner, BLOCKING);
  }

  long handle() {
    if (closed) {
      throw new IllegalStateException(owner + ": the event is closed");
    }
    return handle;
  }

  /** Whether it has been reached. */
  public boolean isReached() {
    gpu.makeCurrent();
    return gpu.ready(gpu.driver().queryEvent(handle()), "cuEventQuery", owner);
  }

  /** Waits until it is reached: spins for some microseconds, then leaves the core to others. */
  public void await() {
    await(SPIN_NANOS);
  }

  /**
   * Waits until it is reached.
   *
   * @param spinNanos for how long to spin before leaving the core to others; waking up costs as
   *     much as a few small kernels
   */
  public void await(long spinNanos) {
    ProfilerRange range = ProfilerRange.begin(owner, "waits");
    try {
      gpu.makeCurrent();
      long start = System.nanoTime();
      while (!gpu.ready(gpu.driver().queryEvent(handle()), "cuEventQuery", owner)) {
        if (System.nanoTime() - start >= spinNanos) {
          gpu.check(gpu.driver().synchronizeEvent(handle()), "cuEventSynchronize", owner);
          return;
        }
        Thread.onSpinWait();
      }
    } finally {
      range.end();
    }
  }

  /**
   * Device time in milliseconds from an earlier event to this one; both must be {@link #timed} and
   * must have been reached.
   */
  public double millisecondsSince(Event earlier) {
    gpu.makeCurrent();
    float[] milliseconds = new float[1];
    gpu.check(
        gpu.driver().elapsed(earlier.handle(), handle(), milliseconds),
        "cuEventElapsedTime",
        owner);
    return milliseconds[0];
  }

  /** Releases it. Closing twice is safe. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      gpu.release(this, "cuEventDestroy", owner, () -> gpu.driver().destroyEvent(handle));
    }
  }
}
