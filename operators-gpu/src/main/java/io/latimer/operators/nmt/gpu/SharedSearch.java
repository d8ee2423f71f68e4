package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.util.Monitors;
import java.util.ArrayList;
import java.util.List;

/**
 * A search that concurrent calls share. It has no thread of its own: one of the waiting callers
 * drives it until its own results are there, then another takes over.
 */
final class SharedSearch implements AutoCloseable {
  private final ContinuousBatching batching;

  // guarded by this
  private final List<GpuCall> arrived = new ArrayList<>();
  private boolean driven;

  SharedSearch(GpuWeights model, DecodeOptions options, DecodeTuning tuning) {
    this.batching = new ContinuousBatching(model, options, tuning);
  }

  /** Decodes a call's sentences; returns once they have ended. */
  void decode(GpuCall call) {
    synchronized (this) {
      arrived.add(call);
    }
    while (becomesDriver(call)) {
      try {
        drive(call);
      } finally {
        leave();
      }
    }
  }

  /**
   * Waits until a call is done (false), or no thread drives the search (true). Not interruptible:
   * the device still writes to our buffers.
   */
  private synchronized boolean becomesDriver(GpuCall call) {
    Monitors.awaitUninterruptibly(this, () -> call.isDone() || !driven);
    if (call.isDone()) {
      return false;
    }
    driven = true;
    return true;
  }

  private synchronized void leave() {
    driven = false;
    notifyAll();
  }

  private void drive(GpuCall call) {
    try {
      while (!call.isDone()) {
        takeArrived();
        if (batching.turn()) {
          wakeOthers();
        }
      }
    } catch (RuntimeException | Error e) {
      takeArrived();
      batching.fail(e);
    }
  }

  private synchronized void takeArrived() {
    arrived.forEach(batching::add);
    arrived.clear();
  }

  private synchronized void wakeOthers() {
    notifyAll();
  }

  /** Its capacity, while no call is active; null if nothing was decoded yet. */
  SearchCapacity capacity() {
    return batching.capacity();
  }

  /** Releases its memory, while no call is active; a later call takes it again. */
  @Override
  public void close() {
    batching.close();
  }
}
