package io.latimer.pipelines.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StageLoadTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final StageLoad load = new StageLoad();
  private final long now = System.nanoTime();

  @Test
  void aBatchASecondIsMeasured() {
    assertThat(load.isMeasured(now)).isTrue();
    assertThat(load.isMeasured(now)).isFalse();
    assertThat(load.isMeasured(now + SECOND - 1)).isFalse();
    assertThat(load.isMeasured(now + SECOND)).isTrue();
  }

  @Test
  void afterABatchOfWhichNothingWasMeasuredTheNextOneIs() {
    assertThat(load.isMeasured(now)).isTrue();
    load.notMeasured(now);
    assertThat(load.isMeasured(now + 1)).isTrue();
    assertThat(load.isMeasured(now + 2)).isFalse();
  }

  @Test
  void aBatchThatEndsLateDoesNotFreeTheSampleOfALaterOne() {
    assertThat(load.isMeasured(now)).isTrue();
    assertThat(load.isMeasured(now + SECOND)).isTrue();
    load.notMeasured(now);
    assertThat(load.isMeasured(now + SECOND + 1)).isFalse();
  }
}
