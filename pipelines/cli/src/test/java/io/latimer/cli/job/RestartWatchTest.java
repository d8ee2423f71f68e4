package io.latimer.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RestartWatchTest {
  private static final JobConfig.Restarts RESTARTS =
      new JobConfig.Restarts(2, Duration.ofSeconds(5), Duration.ofMinutes(10));

  private static List<RestartWatch.Failure> at(long... millis) {
    return java.util.Arrays.stream(millis)
        .mapToObj(time -> new RestartWatch.Failure(time, "no topic " + time))
        .toList();
  }

  @Test
  void eachFailureIsReportedOnceButNotTheLast() {
    RestartWatch watch = new RestartWatch(RESTARTS, true);
    assertThat(watch.report(at())).isEmpty();
    assertThat(watch.report(at(10))).containsExactly("restart 1 of 2 in 5 s: no topic 10");
    assertThat(watch.report(at(10))).isEmpty();
    assertThat(watch.report(at(10, 20, 30))).containsExactly("restart 2 of 2 in 5 s: no topic 20");
  }

  @Test
  void afterAQuietTimeTheJobHasAllItsAttemptsAgain() {
    RestartWatch watch = new RestartWatch(RESTARTS, true);
    watch.report(at(10, 20));
    long later = 20 + RESTARTS.quiet().plus(RESTARTS.delay()).toMillis() + 1;
    assertThat(watch.report(at(later))).containsExactly("restart 1 of 2 in 5 s: no topic " + later);
  }

  @Test
  void delaysHaveFractionsOfSeconds() {
    JobConfig.Restarts soon =
        new JobConfig.Restarts(1, Duration.ofMillis(200), Duration.ofMinutes(1));
    assertThat(new RestartWatch(soon, true).report(at(1)))
        .containsExactly("restart 1 of 1 in 0.2 s: no topic 1");
  }

  @Test
  void aStrategyOfTheEngineHasNoKnownNumberOfAttempts() {
    assertThat(new RestartWatch(RESTARTS, false).report(at(1, 2, 3)))
        .containsExactly("restart 1: no topic 1", "restart 2: no topic 2", "restart 3: no topic 3");
  }
}
