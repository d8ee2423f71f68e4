package io.latimer.e2e.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What a run does; everything random follows from the seed.
 *
 * @param seed of all random choices
 * @param faults what happens, in order
 * @param rate sentences a second
 * @param freeze how long a process is stopped
 * @param trouble how long other faults last
 * @param pause most time between the recovery from a fault and the next one
 * @param overlapping share of the kills that do not wait for the recovery from the one before
 * @param steppedClock whether the clock of Flink's processes can be stepped
 * @param survivor whether the first task manager is spared, for its memory to be watched
 */
record ChaosPlan(
    long seed,
    List<Fault> faults,
    int rate,
    Duration freeze,
    Duration trouble,
    Duration pause,
    double overlapping,
    boolean steppedClock,
    boolean survivor) {

  /** Shares of the kills, in tenths. */
  private static final Map<Fault, Integer> KILLS =
      new EnumMap<>(
          Map.of(Fault.KILL_TASK_MANAGER, 4, Fault.KILL_JOB_MANAGER, 3, Fault.KILL_BROKER, 3));

  /** The short form: one kill of each kind, in any order. */
  static ChaosPlan brief(long seed) {
    List<Fault> faults = new ArrayList<>(KILLS.keySet());
    Collections.shuffle(faults, new Random(seed));
    return new ChaosPlan(
        seed,
        faults,
        200,
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        Duration.ofSeconds(1),
        0,
        false,
        false);
  }

  /**
   * The long form: kills in these shares, the other faults between them, each at least once.
   *
   * @param kills number of kills
   * @param others what happens besides
   */
  static ChaosPlan full(long seed, int kills, int rate, List<Fault> others) {
    Random random = new Random(seed);
    List<Fault> faults = new ArrayList<>();
    while (faults.size() < kills - 1) {
      KILLS.forEach((fault, share) -> faults.addAll(Collections.nCopies(share, fault)));
    }
    Collections.shuffle(faults, random);
    faults.subList(kills - 1, faults.size()).clear();
    faults.addAll(others);
    Collections.shuffle(faults, random);
    // early, because the memory of processes that live on after it is watched
    faults.add(1 + random.nextInt(Math.max(1, faults.size() / 10)), Fault.KILL_CLUSTER);
    return of(seed, rate, faults);
  }

  /** The long form with given faults. */
  static ChaosPlan of(long seed, int rate, List<Fault> faults) {
    return new ChaosPlan(
        seed,
        faults,
        rate,
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        Duration.ofSeconds(4),
        0.2,
        faults.contains(Fault.CLOCK_STEP),
        true);
  }
}
