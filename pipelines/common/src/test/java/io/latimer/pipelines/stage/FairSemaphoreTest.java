package io.latimer.pipelines.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FairSemaphoreTest {
  private final StageLoad load = new StageLoad();
  private final FairSemaphore semaphore = new FairSemaphore(() -> 2, load);
  private final List<Integer> entered = new CopyOnWriteArrayList<>();

  /** Enters in a thread of its own; returns once it waits. */
  private FutureTask<Long> waiting(int number) {
    int before = load.waiting();
    FutureTask<Long> task =
        new FutureTask<>(
            () -> {
              long waited = semaphore.enter();
              entered.add(number);
              return waited;
            });
    new Thread(task).start();
    while (load.waiting() == before) {
      Thread.onSpinWait();
    }
    return task;
  }

  @Test
  void whoFindsATurnFreeDoesNotWait() {
    assertThat(semaphore.enter()).isZero();
    assertThat(semaphore.enter()).isZero();
    assertThat(load.waiting()).isZero();
  }

  @Test
  void turnsAreGivenInTheOrderOfTheCallsAsSoonAsOneIsFree() throws Exception {
    semaphore.enter();
    semaphore.enter();
    FutureTask<Long> first = waiting(1);
    FutureTask<Long> second = waiting(2);
    assertThat(load.waiting()).isEqualTo(2);
    semaphore.leave();
    assertThat(load.waiting()).as("whether or not its thread has woken up").isOne();
    assertThat(first.get()).isPositive();
    assertThat(entered).containsExactly(1);
    semaphore.leave();
    assertThat(load.waiting()).isZero();
    assertThat(second.get()).isPositive();
    assertThat(entered).containsExactly(1, 2);
  }

  @Test
  void afterTheEndNobodyHasATurn() throws Exception {
    semaphore.enter();
    semaphore.enter();
    FutureTask<Long> waiting = waiting(1);
    semaphore.end();
    assertThatThrownBy(waiting::get).hasCauseInstanceOf(GroupEndedException.class);
    assertThat(load.waiting()).isZero();
    semaphore.leave();
    assertThatThrownBy(semaphore::enter).isInstanceOf(GroupEndedException.class);
    assertThat(load.waiting()).isZero();
  }
}
