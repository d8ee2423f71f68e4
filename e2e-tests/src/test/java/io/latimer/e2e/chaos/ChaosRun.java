package io.latimer.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.e2e.chaos.ChaosReport.Event;
import io.latimer.e2e.chaos.Ledger.Kind;
import io.latimer.schemas.NgramTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** One run: faults by a plan, and what must hold at the end. */
final class ChaosRun {
  private static final int SHOWN = 20;

  /** Pools of Flink grow a little; one thread left at each restart would be more by far. */
  private static final int SOME_THREADS = 15;

  private final Path folder;
  private final ChaosPlan plan;
  private final Random random;
  private final List<Event> events = new ArrayList<>();
  private final List<MemoryProbe> probes = new ArrayList<>();
  private final long start = System.nanoTime();

  ChaosRun(Path folder, ChaosPlan plan) {
    this.folder = folder;
    this.plan = plan;
    random = new Random(plan.seed());
  }

  /** Runs it, prints the report and writes it to a file, and checks everything. */
  void run(Path reportFile) throws Exception {
    say("seed " + plan.seed() + ": " + plan.faults());
    FlinkCluster cluster;
    ProcessHandle broker;
    Path brokerFolder;
    try (ChaosWorld world = new ChaosWorld(folder, plan)) {
      cluster = world.cluster();
      say("the job runs");
      Faults faults = new Faults(world, random);
      for (Fault fault : plan.faults()) {
        Thread.sleep(random.nextLong(plan.pause().toMillis()));
        cause(world, faults, fault);
        sample(world);
      }
      world.drain();
      say("the job has stopped");
      NgramTable running = world.lastRunningTable();
      ChaosReport report = report(world);
      System.out.println(report.table());
      Files.writeString(reportFile, report.table());
      checkRecords(world.ledger(), report);
      checkTables(world.ledger(), running);
      checkCommands(world.commands());
      checkMemory();
      assertThat(world.transactions().open()).as("open transactions").isEmpty();
      assertThat(report.killsOfOpenWork() * 2)
          .as("kills while a batch and a transaction were open, twice")
          .isGreaterThanOrEqualTo(report.kills().size());
      assertThat(cluster.end()).as("processes that did not end").isEmpty();
      assertThat(cluster.leftBehind()).as("temporary files").isEmpty();
      broker = ProcessHandle.of(world.broker().pid()).orElseThrow();
      brokerFolder = world.broker().directory();
    }
    assertThat(cluster.alive()).as("processes").isEmpty();
    assertThat(broker.isAlive()).as("the broker runs").isFalse();
    assertThat(brokerFolder).doesNotExist();
  }

  private void cause(ChaosWorld world, Faults faults, Fault fault) throws Exception {
    Event event = faults.cause(fault);
    events.add(event);
    boolean hurried = fault.isKill() && random.nextDouble() < plan.overlapping();
    if (!hurried) {
      world.awaitRecovery(event.since());
    }
    say(
        String.format(
            Locale.ROOT,
            "%d of %d: %s%s%s, %s, %d of %d records read",
            events.size(),
            plan.faults().size(),
            fault,
            event.batchOpen() ? ", batch open" : "",
            event.transactionOpen() ? ", transaction open" : "",
            hurried
                ? "not waited for"
                : String.format(
                    Locale.ROOT,
                    "recovered in %.1f s",
                    (world.ledger().firstSeenOfSentAfter(event.since()) - event.since()) / 1e9),
            world.ledger().seen(),
            world.ledger().sent()));
  }

  /** Of the task manager that is spared, after each fault that has been recovered from. */
  private void sample(ChaosWorld world) throws Exception {
    if (!plan.survivor()) {
      return;
    }
    ChildProcess survivor = world.cluster().taskManagers().get(0);
    MemoryProbe probe =
        probes.stream().filter(p -> p.pid() == survivor.pid()).findFirst().orElse(null);
    if (probe == null) {
      probe = new MemoryProbe(survivor.name(), survivor.pid());
      probes.add(probe);
    }
    probe.sample(world.tasksIn(survivor));
  }

  /** The probes of processes that lived through most of the run. */
  private List<MemoryProbe> longLived() {
    int most = plan.faults().size();
    return probes.stream()
        .filter(probe -> probe.samples().size() > Math.max(10, most / 2))
        .toList();
  }

  private ChaosReport report(ChaosWorld world) {
    List<String> notes = new ArrayList<>();
    if (plan.faults().contains(Fault.FULL_DISK)) {
      notes.add("The full disk was " + world.disk().method() + ".");
    }
    if (!world.endedByThemselves().isEmpty()) {
      notes.add(
          "Processes that ended by themselves, and were started again: "
              + String.join(", ", world.endedByThemselves())
              + ".");
    }
    return new ChaosReport(
        plan, world.ledger(), world.commands(), events, longLived(), notes, start);
  }

  private static void checkRecords(Ledger ledger, ChaosReport report) {
    assertThat(report.losses(SHOWN)).as("lost, the first of %d", ledger.lost().size()).isEmpty();
    assertThat(ledger.duplicates()).as("read twice").isEmpty();
    assertThat(ledger.misplaced())
        .as("translations and dead letters in each other's topic")
        .isEmpty();
    assertThat(ledger.seen()).isEqualTo(ledger.sent());
  }

  /** The counts in Flink's keyed state saw each sentence once, too. */
  private static void checkTables(Ledger ledger, NgramTable running) {
    long sentences =
        Arrays.stream(Kind.values())
            .filter(kind -> !kind.isDeadLetter())
            .mapToLong(ledger::count)
            .sum();
    assertThat(running.getSentences()).as("sentences in the running table").isEqualTo(sentences);
    assertThat(running.getTotal()).as("words in the running table").isEqualTo(ledger.words());
  }

  private static void checkCommands(CommandLedger commands) {
    assertThat(commands.underWay()).as("commands that have not ended").isEmpty();
    assertThat(commands.repeated()).as("commands that have ended twice").isEmpty();
    assertThat(commands.hasAllKinds()).as("commands of each kind were carried out").isTrue();
  }

  private void checkMemory() {
    for (MemoryProbe probe : longLived()) {
      assertThat(probe.comparable())
          .as("samples of %s with as many tasks, of %s", probe.name(), probe.samples())
          .hasSizeGreaterThanOrEqualTo(probe.samples().size() / 3);
      assertThat(probe.last().heapMib())
          .as("heap of %s after a collection, MiB: %s", probe.name(), probe.samples())
          .isLessThanOrEqualTo(probe.first().heapMib() * 3 / 2 + 16);
      assertThat(probe.last().residentMib())
          .as("resident memory of %s, MiB: %s", probe.name(), probe.samples())
          .isLessThanOrEqualTo(probe.first().residentMib() * 5 / 4 + 32);
      assertThat(probe.last().threads())
          .as("threads of %s: %s", probe.name(), probe.samples())
          .isLessThanOrEqualTo(probe.first().threads() + SOME_THREADS);
      // A leak grows with every restart. The JDK keeps a few class loaders, but no more and more:
      // each of the handles of which it makes the methods of records holds the last one it met.
      assertThat(probe.last().classes())
          .as("loaded classes of %s, which grow: %s", probe.name(), probe.samples())
          .isLessThanOrEqualTo(probe.settled().classes() * 21 / 20);
      assertThat(probe.last().classes())
          .as("loaded classes of %s: %s", probe.name(), probe.samples())
          .isLessThanOrEqualTo(probe.first().classes() * 2);
    }
  }

  private void say(String what) {
    System.out.printf(Locale.ROOT, "[chaos %6.1f s] %s%n", (System.nanoTime() - start) / 1e9, what);
  }
}
