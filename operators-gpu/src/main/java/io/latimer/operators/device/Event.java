package io.latimer.operators.device;

/** A point in a stream's work. */
public final class Event implements AutoCloseable {
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
    this.gpu = gpu;
    this.owner = owner;
    gpu.makeCurrent();
    long[] made = new long[1];
    gpu.check(gpu.driver().createEvent(made), "cuEventCreate", owner);
    this.handle = made[0];
    gpu.opened(this, owner);
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

  /** Waits until it is reached. */
  public void await() {
    gpu.makeCurrent();
    gpu.check(gpu.driver().synchronizeEvent(handle()), "cuEventSynchronize", owner);
  }

  /** Device time in milliseconds from an earlier event to this one; both must have been reached. */
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
