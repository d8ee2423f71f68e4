package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MonitorsTest {
  @Test
  void anInterruptDoesNotEndTheWaitAndIsKept() throws InterruptedException {
    Object monitor = new Object();
    AtomicBoolean ready = new AtomicBoolean();
    AtomicBoolean wasReady = new AtomicBoolean();
    AtomicBoolean wasInterrupted = new AtomicBoolean();
    AtomicInteger checks = new AtomicInteger();
    CountDownLatch waitedAgain = new CountDownLatch(2);
    Thread waiting =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              synchronized (monitor) {
                Monitors.awaitUninterruptibly(
                    monitor,
                    () -> {
                      checks.incrementAndGet();
                      waitedAgain.countDown();
                      return ready.get();
                    });
              }
              wasReady.set(ready.get());
              wasInterrupted.set(Thread.currentThread().isInterrupted());
            });
    waiting.start();
    waitedAgain.await();
    synchronized (monitor) {
      ready.set(true);
      monitor.notifyAll();
    }
    waiting.join();
    assertThat(wasReady).isTrue();
    assertThat(wasInterrupted).isTrue();
    assertThat(checks).hasValueGreaterThanOrEqualTo(3);
  }

  @Test
  void aConditionThatHoldsNeedsNoNotification() {
    Object monitor = new Object();
    synchronized (monitor) {
      Monitors.awaitUninterruptibly(monitor, () -> true);
    }
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
