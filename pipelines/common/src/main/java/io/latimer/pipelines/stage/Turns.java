package io.latimer.pipelines.stage;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.IntSupplier;

/** Lets calls into a stage, as many at once as it takes, in the order in which they came. */
final class Turns {
  private final IntSupplier most;
  private final Queue<Object> waiting = new ArrayDeque<>();
  private int taken;
  private boolean ended;

  /**
   * Nothing has its turn yet.
   *
   * @param most how many calls the stage takes at once, which may change; 1 or more
   */
  Turns(IntSupplier most) {
    this.most = most;
  }

  /**
   * Waits for its turn. Interrupts do not end that: what is interrupted there would be taken for a
   * failure of the stage.
   *
   * @return how long it waited, in nanoseconds; 0 if it did not
   * @throws GroupEndedException if there are no more turns
   */
  synchronized long enter() {
    Object me = new Object();
    waiting.add(me);
    boolean interrupted = false;
    long start = taken < most.getAsInt() && waiting.peek() == me ? 0 : System.nanoTime();
    while (!ended && (taken >= most.getAsInt() || waiting.peek() != me)) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    waiting.remove(me);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (ended) {
      throw new GroupEndedException();
    }
    taken++;
    notifyAll();
    return start == 0 ? 0 : System.nanoTime() - start;
  }

  synchronized void leave() {
    taken--;
    notifyAll();
  }

  synchronized void end() {
    ended = true;
    notifyAll();
  }
}
