package io.latimer.pipelines.flink;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Pauses between questions to the job master while one answer is awaited: short at first, so that
 * commands that are quick stay quick, then twice as long each time, because each of many subtasks
 * asks. They are random within a half, so that subtasks do not all ask at once.
 */
final class PollPauses {
  /** Of the first pause, at most. */
  private static final long FIRST_MILLIS = 50;

  /** Of the longest pause, at most. */
  static final long MOST_MILLIS = 3_200;

  /** Waits. */
  interface Sleep {
    void sleep(long millis) throws InterruptedException;
  }

  private final Sleep sleep;
  private long most = FIRST_MILLIS;

  PollPauses(Sleep sleep) {
    this.sleep = sleep;
  }

  /** Waits before the next question. */
  void pause() throws InterruptedException {
    sleep.sleep(most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1));
    most = Math.min(MOST_MILLIS, 2 * most);
  }
}
