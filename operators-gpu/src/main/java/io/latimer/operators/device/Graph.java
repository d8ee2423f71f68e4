package io.latimer.operators.device;

/** Recorded work that is launched as one. Made by {@link Stream#capture}. */
public final class Graph implements AutoCloseable {
  private final Gpu gpu;
  private final String owner;
  private final long handle;
  private boolean closed;

  Graph(Gpu gpu, String owner, long handle) {
    this.gpu = gpu;
    this.owner = owner;
    this.handle = handle;
    gpu.opened(this, owner);
  }

  /** Queues the work once. Its buffers must still be valid. */
  public void launch(Stream stream) {
    if (closed) {
      throw new IllegalStateException(owner + ": the graph is closed");
    }
    gpu.makeCurrent();
    DeviceClock.queue(
        stream,
        DeviceClock.Kind.KERNEL,
        () ->
            gpu.checkQueued(
                gpu.driver().launchGraph(handle, stream.handle()), "cuGraphLaunch", owner));
  }

  /** Releases it. Closing twice is safe. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      gpu.release(this, "cuGraphExecDestroy", owner, () -> gpu.driver().destroyGraph(handle));
    }
  }
}
