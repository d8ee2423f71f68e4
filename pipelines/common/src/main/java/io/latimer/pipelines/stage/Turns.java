package io.latimer.pipelines.stage;

import java.util.ArrayDeque;
import java.util.Queue;

/** Lets calls into a stage, as many at once as it takes, in the order in which they came. */
final class Turns {
  private final Queue<Object> waiting = new ArrayDeque<>();
  private int free;
  private boolean ended;

  Turns(int most) {
    this.free = most;
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
    long start = free > 0 && waiting.peek() == me ? 0 : System.nanoTime();
    while (!ended && (free == 0 || waiting.peek() != me)) {
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
    free--;
    notifyAll();
    return start == 0 ? 0 : System.nanoTime() - start;
  }

  synchronized void leave() {
    free++;
    notifyAll();
  }

  synchronized void end() {
    ended = true;
    notifyAll();
  }
}
