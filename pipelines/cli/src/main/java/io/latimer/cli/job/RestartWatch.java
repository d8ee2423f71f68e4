package io.latimer.cli.job;

import io.latimer.pipelines.job.JobConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reports the reason for each restart of a job in one sentence.
 *
 * <p>Counts like the job's restart strategy, which resets its attempts after a quiet time.
 */
final class RestartWatch {
  /**
   * A failure of the job.
   *
   * @param millis its time, since 1970
   * @param reason a sentence without its full stop
   */
  record Failure(long millis, String reason) {}

  private final JobConfig.Restarts restarts;
  private final boolean ownStrategy;
  private long last = Long.MIN_VALUE;
  private int attempt;

  /**
   * Creates a watch without failures.
   *
   * @param ownStrategy whether these restarts apply instead of a strategy in the engine's settings
   */
  RestartWatch(JobConfig.Restarts restarts, boolean ownStrategy) {
    this.restarts = restarts;
    this.ownStrategy = ownStrategy;
  }

  /** Whether a failure at this time, in milliseconds since 1970, was not reported yet. */
  boolean isNew(long millis) {
    return millis > last;
  }

  /**
   * The lines to print now.
   *
   * @param failures all or the latest failures of the job, in the order of their times
   * @return a sentence for each restart that was not reported; none for the failure that ends the
   *     job, which has a message of its own
   */
  List<String> report(List<Failure> failures) {
    List<String> lines = new ArrayList<>();
    for (Failure failure : failures) {
      if (!isNew(failure.millis())) {
        continue;
      }
      Duration since =
          last == Long.MIN_VALUE ? Duration.ZERO : Duration.ofMillis(failure.millis() - last);
      attempt = since.compareTo(restarts.quiet().plus(restarts.delay())) > 0 ? 1 : attempt + 1;
      last = failure.millis();
      if (!ownStrategy) {
        lines.add("restart " + attempt + ": " + failure.reason());
      } else if (attempt <= restarts.attempts()) {
        lines.add(
            "restart "
                + attempt
                + " of "
                + restarts.attempts()
                + (restarts.delay().isZero() ? "" : " in " + seconds(restarts.delay()))
                + ": "
                + failure.reason());
      }
    }
    return lines;
  }

  private static String seconds(Duration delay) {
    return delay.toMillis() % 1000 == 0
        ? delay.toSeconds() + " s"
        : delay.toMillis() / 1000.0 + " s";
  }
}
