package io.latimer.pipelines.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The stages are closed once, after the last thread has ended. */
class BatchThreadsTest {
  private final AtomicInteger closed = new AtomicInteger();
  private final BatchThreads threads = new BatchThreads(Thread::new, closed::incrementAndGet);

  @Test
  void theStagesAreClosedWhenTheLastCallHasReturned() throws Exception {
    CountDownLatch bothRun = new CountDownLatch(2);
    CountDownLatch goOn = new CountDownLatch(1);
    Runnable hangs =
        () -> {
          bothRun.countDown();
          await(goOn);
        };
    threads.grow(2);
    threads.execute(hangs);
    threads.execute(hangs);
    bothRun.await();
    Runnable waiting = () -> {};
    threads.execute(waiting);
    assertThat(threads.end()).containsExactly(waiting);
    assertThat(threads.end()).isEmpty();
    assertThat(threads.awaitClosed(50)).isFalse();
    assertThat(closed).hasValue(0);
    goOn.countDown();
    assertThat(threads.awaitClosed(60_000)).isTrue();
    assertThat(closed).hasValue(1);
    assertThatThrownBy(() -> threads.execute(waiting))
        .isInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void threadsThatNeverRanCloseTheStagesToo() throws Exception {
    assertThat(threads.end()).isEmpty();
    assertThat(threads.awaitClosed(60_000)).isTrue();
    assertThat(closed).hasValue(1);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
