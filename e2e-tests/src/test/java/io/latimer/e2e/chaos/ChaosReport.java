package io.latimer.e2e.chaos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a run has shown: the figures for {@code benchmarks/results}. */
final class ChaosReport {
  private static final double SECOND = 1e9;

  /**
   * A fault that has happened.
   *
   * @param nanos when, as {@link System#nanoTime}
   * @param since when the recovery could begin: at a kill; at the end of a fault that lasts
   * @param batchOpen whether an operator worked on a batch then; for kills
   * @param transactionOpen whether a transaction was open then; for kills
   */
  record Event(Fault fault, long nanos, long since, boolean batchOpen, boolean transactionOpen) {}

  private final ChaosPlan plan;
  private final Ledger ledger;
  private final CommandLedger commands;
  private final List<Event> events;
  private final List<MemoryProbe> probes;
  private final List<String> notes;
  private final long start;

  ChaosReport(
      ChaosPlan plan,
      Ledger ledger,
      CommandLedger commands,
      List<Event> events,
      List<MemoryProbe> probes,
      List<String> notes,
      long start) {
    this.plan = plan;
    this.ledger = ledger;
    this.commands = commands;
    this.events = List.copyOf(events);
    this.probes = List.copyOf(probes);
    this.notes = List.copyOf(notes);
    this.start = start;
  }

  /** The kills. */
  List<Event> kills() {
    return events.stream().filter(event -> event.fault().isKill()).toList();
  }

  /** The kills at which a batch and a transaction were open. */
  long killsOfOpenWork() {
    return kills().stream().filter(kill -> kill.batchOpen() && kill.transactionOpen()).count();
  }

  /** What is lost, with the fault before it was sent: for a message. */
  List<String> losses(int most) {
    List<String> losses = new ArrayList<>();
    List<Integer> lost = ledger.lost();
    for (int id : lost.subList(0, Math.min(most, lost.size()))) {
      long sent = ledger.sentAt(id);
      String after = "the start";
      String before = "the end";
      for (int i = 0; i < events.size(); i++) {
        Event event = events.get(i);
        String name = event.fault() + " (number " + (i + 1) + ")";
        if (event.nanos() - sent <= 0) {
          after = name;
        } else {
          before = name;
          break;
        }
      }
      losses.add("id " + id + ", sent between " + after + " and " + before);
    }
    return losses;
  }

  /** Markdown. */
  String table() {
    long[] latencies = ledger.latencies();
    Ledger.Gap gap = ledger.longestGap();
    StringBuilder text = new StringBuilder();
    line(
        text,
        "Seed %d, %d kills and %d other faults in %.0f s, %d sentences a second, %d records sent.",
        plan.seed(),
        kills().size(),
        events.size() - kills().size(),
        (System.nanoTime() - start) / SECOND,
        plan.rate(),
        ledger.sent());
    line(text, "");
    line(text, "| fault | times | recovery: median | worst |");
    line(text, "|---|---|---|---|");
    for (Fault fault : Fault.values()) {
      row(text, fault.meaning(), events.stream().filter(e -> e.fault() == fault).toList());
    }
    row(text, "all kills", kills());
    line(text, "");
    line(text, "| | |");
    line(text, "|---|---|");
    line(
        text,
        "| records sent, read, lost, read twice | %d, %d, %d, %d |",
        ledger.sent(),
        ledger.seen(),
        ledger.lost().size(),
        ledger.duplicates().size());
    long letters =
        Arrays.stream(Ledger.Kind.values())
            .filter(Ledger.Kind::isDeadLetter)
            .mapToLong(ledger::count)
            .sum();
    line(text, "| of them dead letters | %d |", letters);
    for (CommandLedger.Kind kind : CommandLedger.Kind.values()) {
      line(
          text,
          "| commands: %s, carried out, refused | %d, %d |",
          kind,
          commands.carriedOut(kind),
          commands.refused(kind));
    }
    line(
        text,
        "| kills at which a batch and a transaction were open | %d of %d |",
        killsOfOpenWork(),
        kills().size());
    line(
        text,
        "| readers' longest wait for a committed record | %.1f s (%s) |",
        gap.nanos() / SECOND,
        during(gap));
    line(
        text,
        "| from sending to reading: median, 99th percentile, longest | %.1f s, %.1f s, %.1f s |",
        at(latencies, 0.5),
        at(latencies, 0.99),
        at(latencies, 1));
    for (MemoryProbe probe : probes) {
      line(
          text,
          "| %s, %d samples while it ran %d tasks, of %d: heap after a collection, resident (MiB),"
              + " threads, loaded classes, first and last tenth"
              + " | %d and %d, %d and %d, %d and %d, %d and %d |",
          probe.name(),
          probe.comparable().size(),
          probe.first().tasks(),
          probe.samples().size(),
          probe.first().heapMib(),
          probe.last().heapMib(),
          probe.first().residentMib(),
          probe.last().residentMib(),
          probe.first().threads(),
          probe.last().threads(),
          probe.first().classes(),
          probe.last().classes());
    }
    notes.forEach(note -> line(text, "\n%s", note));
    return text.toString();
  }

  /** The fault before a wait, and those that began in it. */
  private String during(Ledger.Gap gap) {
    List<String> names = new ArrayList<>();
    String last = "";
    for (Event event : events) {
      if (event.nanos() - gap.from() < 0) {
        last = event.fault().name();
      } else if (gap.to() - event.nanos() >= 0) {
        names.add(event.fault().name());
      }
    }
    return (names.isEmpty() ? "" : "at " + String.join(", ", names) + ", ")
        + (last.isEmpty() ? "before the first fault" : "after " + last);
  }

  /** Times from faults to the first committed record that was sent after them, ascending. */
  private long[] recoveries(List<Event> of) {
    return of.stream()
        .mapToLong(event -> ledger.firstSeenOfSentAfter(event.since()) - event.since())
        .sorted()
        .toArray();
  }

  private void row(StringBuilder text, String name, List<Event> of) {
    if (of.isEmpty()) {
      return;
    }
    long[] nanos = recoveries(of);
    line(text, "| %s | %d | %.1f s | %.1f s |", name, nanos.length, at(nanos, 0.5), at(nanos, 1));
  }

  private static double at(long[] ascending, double share) {
    return ascending[(int) Math.round((ascending.length - 1) * share)] / SECOND;
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
