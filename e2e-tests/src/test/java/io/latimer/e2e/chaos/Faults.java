package io.latimer.e2e.chaos;

import io.latimer.e2e.chaos.ChaosReport.Event;
import io.latimer.e2e.chaos.Ledger.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes faults happen. */
final class Faults {
  private static final int STORM_RATE = 10_000;
  private static final int BIG_RECORDS = 5;
  private static final int TOO_FEW_BYTES = 100;

  private final ChaosWorld world;
  private final Random random;

  Faults(ChaosWorld world, Random random) {
    this.world = world;
    this.random = random;
  }

  /** Makes a fault happen; a kill is over when what was killed has been started again. */
  Event cause(Fault fault) throws Exception {
    boolean batch = fault.isKill() && world.isBatchOpen();
    boolean transaction = fault.isKill() && world.isTransactionOpen();
    long start = System.nanoTime();
    Duration trouble = world.plan().trouble();
    switch (fault) {
      case KILL_TASK_MANAGER -> {
        victim().kill();
        Thread.sleep(random.nextInt(1000));
        world.cluster().revive();
      }
      case KILL_JOB_MANAGER -> {
        world.cluster().jobManager().kill();
        Thread.sleep(random.nextInt(1000));
        world.cluster().revive();
      }
      case KILL_BROKER -> {
        world.broker().kill();
        world.broker().restart();
      }
      case KILL_CLUSTER -> {
        world.cluster().replace();
        world.resubmit();
      }
      case FREEZE_TASK_MANAGER -> freezeTaskManager();
      case FREEZE_JOB_MANAGER -> freeze(world.cluster().jobManager().pid());
      case FREEZE_BROKER -> freeze(world.broker().pid());
      case FULL_DISK -> {
        List<Long> pids = flinkPids();
        world.disk().fill(pids);
        Thread.sleep(trouble.toMillis());
        world.disk().free(pids);
      }
      case SINK_REFUSES -> {
        world.transactions().limit(ChaosWorld.OUT, TOO_FEW_BYTES);
        Thread.sleep(trouble.toMillis());
        world.transactions().limit(ChaosWorld.OUT, ChaosWorld.OUT_MOST_BYTES);
      }
      case SLOW_READER -> {
        world.reader().slow(Duration.ofSeconds(3));
        Thread.sleep(trouble.toMillis());
        world.reader().slow(Duration.ZERO);
      }
      case HUNG_OPERATOR -> world.awaitRecord(world.feeder().send(Kind.HANGS_ONCE));
      case POISON_SENTENCE -> world.awaitRecord(world.feeder().send(Kind.HANGS_ALWAYS));
      case DEAD_LETTER_STORM -> world.feeder().flood(Kind.UNREADABLE, STORM_RATE, trouble);
      case CLOCK_STEP -> stepClock(trouble);
      case BIG_RECORDS -> {
        for (int i = 0; i < BIG_RECORDS; i++) {
          world.feeder().send(Kind.BIG);
        }
      }
    }
    long since = fault.isInstant() ? start : System.nanoTime();
    return new Event(fault, start, since, batch, transaction);
  }

  private ChildProcess victim() {
    List<ChildProcess> all = world.cluster().taskManagers();
    int spared = world.plan().survivor() ? 1 : 0;
    return all.get(spared + random.nextInt(all.size() - spared));
  }

  private List<Long> flinkPids() {
    List<Long> pids = new ArrayList<>(world.cluster().taskManagerPids());
    pids.add(world.cluster().jobManager().pid());
    return pids;
  }

  private void freeze(long pid) throws Exception {
    Duration time = world.plan().freeze();
    Signals.freeze(pid, time);
    Thread.sleep(time.toMillis());
  }

  /** When the stopped one goes on, the job runs elsewhere, and its tasks must change nothing. */
  private void freezeTaskManager() throws Exception {
    ChildProcess victim = victim();
    Duration time = world.plan().freeze();
    long start = System.nanoTime();
    Signals.freeze(victim.pid(), time);
    world.cluster().addTaskManager();
    Thread.sleep(time.toMillis());
    world.awaitRecovery(start);
    long resumed = System.nanoTime();
    Thread.sleep(Duration.ofSeconds(3).toMillis());
    world.cluster().remove(victim);
    world.awaitRecovery(resumed);
  }

  private void stepClock(Duration time) throws Exception {
    SteppedClock clock =
        world.clock().orElseThrow(() -> new IllegalStateException("the clock cannot be stepped"));
    int seconds = 60 + random.nextInt(600);
    clock.set(random.nextBoolean() ? seconds : -seconds);
    Thread.sleep(time.toMillis());
    clock.set(0);
  }
}
