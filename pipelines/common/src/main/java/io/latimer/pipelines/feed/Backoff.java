package io.latimer.pipelines.feed;

import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Exponential backoff with jitter after errors. It waits a second at first, then doubles with each
 * further error up to a minute; each wait is shortened at random by up to a half, so that not all
 * readers reconnect at once. A server may ask for more, up to an hour.
 */
final class Backoff {
  static final Duration FIRST = Duration.ofSeconds(1);
  static final Duration LONGEST = Duration.ofMinutes(1);
  static final Duration LONGEST_ASKED = Duration.ofHours(1);

  private final String source;
  private final Duration giveUp;
  private final FeedContext context;
  private int failures;
  private long failingSince;

  /**
   * Creates a backoff.
   *
   * @param source what is read, for messages
   * @param giveUp maximum time for which errors may persist; zero for no limit
   */
  Backoff(String source, Duration giveUp, FeedContext context) {
    this.source = source;
    this.giveUp = giveUp;
    this.context = context;
  }

  /** Resets the backoff after a successful read. */
  void succeeded() {
    failures = 0;
  }

  /** Waits without an error, such as between two polls. */
  void pause(Duration time) throws InterruptedException {
    context.clock().sleep().sleep(time);
  }

  /**
   * Waits after an error.
   *
   * @throws FeedException if errors have persisted for too long
   */
  void failed(IOException error) throws FeedException, InterruptedException {
    failed(error, Duration.ZERO);
  }

  /**
   * Waits after an error, at least as long as an error of this kind takes to go away.
   *
   * @throws FeedException if errors have persisted for too long
   */
  void failed(IOException error, Duration least) throws FeedException, InterruptedException {
    long now = context.clock().nanos().getAsLong();
    if (failures++ == 0) {
      failingSince = now;
    }
    Duration failing = Duration.ofNanos(now - failingSince);
    String reason = FileErrors.reason(error);
    if (!giveUp.isZero() && failing.compareTo(giveUp) >= 0) {
      throw new FeedException(
          source
              + " could not be read for "
              + failing.toSeconds()
              + " s: "
              + reason
              + "; check the address, or raise give-up",
          error);
    }
    Duration delay = delay(error);
    delay = delay.compareTo(least) < 0 ? least : delay;
    context.meter().retry();
    Consumer<String> warnings = context.warnings();
    warnings.accept(
        source + ": " + reason + "; trying again in " + (delay.toMillis() + 999) / 1000 + " s");
    pause(delay);
  }

  private Duration delay(IOException error) {
    int doublings = Math.min(failures - 1, 10);
    Duration longest = FIRST.multipliedBy(1L << doublings);
    if (longest.compareTo(LONGEST) > 0) {
      longest = LONGEST;
    }
    double share = 1 - context.clock().random().getAsDouble() / 2;
    Duration delay = Duration.ofNanos((long) (longest.toNanos() * share));
    if (error instanceof RetryLaterException later && later.after().compareTo(delay) > 0) {
      delay = later.after().compareTo(LONGEST_ASKED) > 0 ? LONGEST_ASKED : later.after();
    }
    return delay;
  }
}
