package io.latimer.pipelines.stage;

import io.latimer.operators.util.Monitors;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.IntSupplier;

/** A fair semaphore: admits as many calls to a stage as it takes at once, in order of arrival. */
final class FairSemaphore {
  private final IntSupplier most;
  private final StageLoad load;
  private final Queue<Call> waiting = new ArrayDeque<>();
  private int taken;
  private boolean ended;

  /** A call that waits for its turn or has it. */
  private static final class Call {
    private boolean waits;
    private boolean turn;
  }

  /**
   * Creates a semaphore without calls.
   *
   * @param most how many calls the stage takes at once, which may change; 1 or more
   * @param load counts the calls that wait
   */
  FairSemaphore(IntSupplier most, StageLoad load) {
    this.most = most;
    this.load = load;
  }

  /**
   * Waits for a turn. Not interruptible, because an interrupt would look like a failure of the
   * stage.
   *
   * @return how long it waited, in nanoseconds; 0 if it did not
   * @throws GroupEndedException if there are no more turns
   */
  synchronized long enter() {
    Call me = new Call();
    waiting.add(me);
    give();
    long start = System.nanoTime();
    if (!me.turn && !ended) {
      me.waits = true;
      load.arrived();
      Monitors.awaitUninterruptibly(this, () -> me.turn || ended);
    }
    if (ended) {
      end(me);
      throw new GroupEndedException();
    }
    return me.waits ? System.nanoTime() - start : 0;
  }

  /**
   * Assigns free turns at once instead of when threads wake up, because others ask how many calls
   * wait.
   */
  private void give() {
    while (!waiting.isEmpty() && taken < most.getAsInt()) {
      Call next = waiting.remove();
      next.turn = true;
      taken++;
      if (next.waits) {
        load.waited();
      }
    }
    notifyAll();
  }

  /** Releases a call's turn, or removes it from the queue. */
  private void end(Call me) {
    if (me.turn) {
      taken--;
    } else if (waiting.remove(me) && me.waits) {
      load.waited();
    }
  }

  synchronized void leave() {
    taken--;
    give();
  }

  synchronized void end() {
    ended = true;
    notifyAll();
  }
}
