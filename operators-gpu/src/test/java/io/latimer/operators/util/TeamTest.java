package io.latimer.operators.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TeamTest {

  @ParameterizedTest
  @CsvSource({"1, 5", "2, 0", "2, 1", "2, 2", "3, 2", "3, 1000", "16, 15", "16, 16", "16, 17"})
  void everyPartRunsOnceBeforeTheCallReturns(int size, int parts) {
    Team team = new Team(size);
    for (int round = 0; round < 200; round++) {
      AtomicIntegerArray runs = new AtomicIntegerArray(parts);
      team.run(parts, runs::incrementAndGet);
      for (int i = 0; i < parts; i++) {
        assertThat(runs.get(i)).isEqualTo(1);
      }
    }
  }

  @Test
  void theCallerTakesTheFirstPart() {
    Team team = new Team(4);
    for (int round = 0; round < 200; round++) {
      Thread[] threads = new Thread[8];
      team.run(threads.length, part -> threads[part] = Thread.currentThread());
      assertThat(threads[0]).isEqualTo(Thread.currentThread());
    }
  }

  @Test
  void allThreadsWorkSideBySide() {
    int size = 7;
    CountDownLatch all = new CountDownLatch(size);
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    Team team = new Team(size);
    team.run(
        size,
        part -> {
          threads.add(Thread.currentThread());
          all.countDown();
          await(all); // for ever, if a part had to wait for another to end
        });
    assertThat(threads).hasSize(size).contains(Thread.currentThread());
  }

  @Test
  void whatAPartThrowsIsThrownWhenNoneRunsAnyMore() {
    Team team = new Team(4);
    for (int round = 0; round < 200; round++) {
      AtomicInteger running = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  team.run(
                      100,
                      part -> {
                        running.incrementAndGet();
                        try {
                          if (part % 10 == 3) {
                            throw new IllegalStateException("part");
                          }
                        } finally {
                          running.decrementAndGet();
                        }
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("part");
      assertThat(running).hasValue(0);
    }
    assertThatThrownBy(
            () ->
                team.run(
                    2,
                    part -> {
                      throw new StackOverflowError();
                    }))
        .isInstanceOf(StackOverflowError.class);
    AtomicInteger after = new AtomicInteger();
    team.run(10, part -> after.incrementAndGet());
    assertThat(after).hasValue(10);
  }

  @Test
  void anInterruptIsKeptAndDisturbsNoPart() {
    Team team = new Team(3);
    AtomicInteger done = new AtomicInteger();
    Thread.currentThread().interrupt();
    team.run(1000, part -> done.incrementAndGet());
    assertThat(Thread.interrupted()).isTrue();
    assertThat(done).hasValue(1000);
  }

  @Test
  void callsOfSeveralThreadsDoNotMix() throws InterruptedException {
    Team team = new Team(3);
    List<Thread> callers = new ArrayList<>();
    AtomicInteger wrong = new AtomicInteger();
    for (int caller = 0; caller < 4; caller++) {
      Thread thread =
          new Thread(
              () -> {
                for (int round = 0; round < 300; round++) {
                  AtomicInteger sum = new AtomicInteger();
                  team.run(20, sum::addAndGet);
                  wrong.addAndGet(sum.get() == 190 ? 0 : 1);
                }
              });
      callers.add(thread);
      thread.start();
    }
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(wrong).hasValue(0);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
