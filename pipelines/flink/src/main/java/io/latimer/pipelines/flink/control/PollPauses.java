package io.latimer.pipelines.flink.control;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Exponential backoff with jitter between requests to the job master while an answer is awaited.
 * Pauses are short at first, so that quick commands stay quick, then double each time, because many
 * subtasks ask; jitter of up to a half keeps them from all asking at once.
 */
final class PollPauses {
  /** Maximum length of the first pause. */
  private static final long FIRST_MILLIS = 50;

  /** Maximum length of any pause. */
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

  /** Waits before the next request. */
  void pause() throws InterruptedException {
    sleep.sleep(most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1));
    most = Math.min(MOST_MILLIS, 2 * most);
  }
}
