package io.latimer.pipelines.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.stage.TableWindows;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.TablePart;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableAssemblerTest {
  private TableState state = new TableState();
  private final TreeSet<Long> times = new TreeSet<>();
  private final TableAssembler.Timers timers =
      new TableAssembler.Timers() {
        @Override
        public void register(long time) {
          times.add(time);
        }

        @Override
        public void delete(long time) {
          times.remove(time);
        }
      };
  private final List<NgramTable> tables = new ArrayList<>();
  private CountingStage stage;
  private TableAssembler assembler;
  private long watermark = Long.MIN_VALUE;

  private void windows(long size, long slide, long lateness, boolean running) {
    stage = new CountingStage(new TableWindows(size, slide, lateness, running));
    assembler = new TableAssembler(stage);
  }

  private boolean add(long pane, String... words) {
    Map<String, Long> counts = new TreeMap<>();
    for (String word : words) {
      counts.merge(word, 1L, Long::sum);
    }
    byte[] bytes = CountingStage.bytes(counts);
    TablePart part = new TablePart("f", pane, (long) words.length, ByteBuffer.wrap(bytes));
    return assembler.add(state, part, watermark, timers);
  }

  /** Advances as an engine does: only at timers. */
  private void watermark(long to) {
    watermark = to;
    boolean due = false;
    while (!times.isEmpty() && times.first() <= to) {
      times.pollFirst();
      due = true;
    }
    if (due) {
      assembler.advance(
          state, "f", to, timers, (scope, counts) -> tables.add(stage.table(scope, counts)));
    }
  }

  private List<String> taken() {
    List<String> lines =
        tables.stream()
            .map(
                t ->
                    (t.getRunning() ? "run " : "win ")
                        + t.getStart().toEpochMilli()
                        + "-"
                        + t.getEnd().toEpochMilli()
                        + (t.getRevision() > 0 ? " rev " + t.getRevision() : "")
                        + " n"
                        + t.getSentences()
                        + (t.getLate() > 0 ? " late " + t.getLate() : "")
                        + " "
                        + CountingStage.counts(t))
            .toList();
    tables.clear();
    return lines;
  }

  @Test
  void tumblingWindowsAreWrittenWhenTheyAreOver() {
    windows(10, 10, 0, true);
    add(0, "a", "b");
    add(0, "a");
    add(10, "c");
    watermark(8);
    assertThat(taken()).isEmpty();
    watermark(9);
    assertThat(taken()).containsExactly("win 0-10 n3 {a=2, b=1}", "run 0-10 n3 {a=2, b=1}");
    watermark(30);
    assertThat(taken()).containsExactly("win 10-20 n1 {c=1}", "run 0-20 n4 {a=2, b=1, c=1}");
    assertThat(state.holdsNoWindows()).isTrue();
    watermark(Long.MAX_VALUE);
    assertThat(taken()).isEmpty();
  }

  @Test
  void slidingWindowsArePutTogetherOfPanes() {
    windows(20, 10, 0, false);
    add(0, "a");
    add(10, "b");
    add(30, "c");
    watermark(Long.MAX_VALUE);
    assertThat(taken())
        .containsExactly(
            "win -10-10 n1 {a=1}",
            "win 0-20 n2 {a=1, b=1}",
            "win 10-30 n1 {b=1}",
            "win 20-40 n1 {c=1}",
            "win 30-50 n1 {c=1}");
    assertThat(state.holdsNoWindows()).isTrue();
  }

  @Test
  void whatComesWithinTheAllowedLatenessMakesAnotherRevision() {
    windows(10, 10, 5, true);
    add(0, "a");
    watermark(9);
    taken();
    assertThat(add(0, "b")).isFalse();
    watermark(10);
    assertThat(taken()).containsExactly("win 0-10 rev 1 n2 {a=1, b=1}", "run 0-10 n2 {a=1, b=1}");
    watermark(13);
    assertThat(taken()).isEmpty();
    add(0, "c");
    watermark(14);
    assertThat(taken())
        .containsExactly("win 0-10 rev 2 n3 {a=1, b=1, c=1}", "run 0-10 n3 {a=1, b=1, c=1}");
    assertThat(state.holdsNoWindows()).isTrue();
  }

  @Test
  void whatComesTooLateIsCountedAsLateAndInTheTotalsAlone() {
    windows(10, 10, 0, true);
    add(0, "a");
    watermark(12);
    taken();
    assertThat(add(0, "b", "b")).isTrue();
    assertThat(add(10, "c")).isFalse();
    watermark(19);
    assertThat(taken())
        .containsExactly("win 10-20 n1 late 2 {c=1}", "run 0-20 n4 late 2 {a=1, b=2, c=1}");
    assertThat(add(0, "d")).isTrue();
    assertThat(taken()).isEmpty();
    // no more input: its end still emits the table
    watermark(Long.MAX_VALUE);
    assertThat(taken()).containsExactly("run 0-20 n5 late 3 {a=1, b=2, c=1, d=1}");
  }

  @Test
  void aGroupOfWhichEverythingIsLateHasItsTotals() {
    windows(10, 10, 0, true);
    watermark(100);
    assertThat(add(20, "a")).isTrue();
    assertThat(add(10, "b")).isTrue();
    watermark(Long.MAX_VALUE);
    assertThat(taken()).containsExactly("run 10-30 n2 late 2 {a=1, b=1}");
  }

  @Test
  void aRecordMayBeTooLateForSomeOfItsWindows() {
    windows(20, 10, 0, true);
    add(0, "a");
    watermark(9);
    assertThat(taken()).containsExactly("win -10-10 n1 {a=1}", "run 0-10 n1 {a=1}");
    assertThat(add(0, "b")).isTrue();
    watermark(19);
    assertThat(taken())
        .containsExactly("win 0-20 n2 late 1 {a=1, b=1}", "run 0-20 n2 late 1 {a=1, b=1}");
  }

  /** Watermarks start again after a restart: a closed window must not be written again. */
  @Test
  void aWindowThatWasClosedStaysClosedAfterARestart() {
    windows(10, 10, 0, true);
    add(0, "a");
    watermark(15);
    taken();
    watermark = Long.MIN_VALUE;
    assertThat(add(0, "b")).isTrue();
    assertThat(add(10, "c")).isFalse();
    watermark(19);
    assertThat(taken())
        .containsExactly("win 10-20 n1 late 1 {c=1}", "run 0-20 n3 late 1 {a=1, b=1, c=1}");
  }

  @Test
  void withoutRunningTablesNoCountsAreKept() {
    windows(10, 10, 0, false);
    add(0, "a");
    watermark(Long.MAX_VALUE);
    assertThat(taken()).containsExactly("win 0-10 n1 {a=1}");
    assertThat(state.segments()).isEmpty();
  }

  private void expiring(boolean running, long expiry) {
    stage = new CountingStage(new TableWindows(10, 10, 5, running, expiry));
    assembler = new TableAssembler(stage);
  }

  @Test
  void totalsExpireWithTheirTimersAndAGroupThatReturnsStartsAgain() {
    expiring(true, 97);
    add(0, "a");
    watermark(14); // closed
    assertThat(taken()).containsExactly("win 0-10 n1 {a=1}", "run 0-10 n1 {a=1}");
    assertThat(times).containsExactly(111L);
    watermark(100);
    assertThat(add(0, "late")).isTrue();
    add(100, "b");
    assertThat(times).doesNotContain(111L);
    watermark(119);
    assertThat(taken())
        .containsExactly("win 100-110 n1 late 1 {b=1}", "run 0-110 n3 late 1 {a=1, b=1, late=1}");
    assertThat(add(0, "later")).isTrue();
    assertThat(times).containsExactly(211L);
    watermark(210);
    assertThat(state.totals()).isNotNull();
    watermark(211);
    // nothing is dropped that was not written
    assertThat(taken()).containsExactly("run 0-110 n4 late 2 {a=1, b=1, late=1, later=1}");
    assertThat(state.totals()).isNull();
    assertThat(state.segments()).isEmpty();
    assertThat(times).isEmpty();
    add(210, "c");
    watermark(Long.MAX_VALUE);
    assertThat(taken()).containsExactly("win 210-220 n1 {c=1}", "run 210-220 n1 {c=1}");
  }

  @Test
  void totalsOfADrainedJobExpire() {
    expiring(true, 100);
    add(0, "a");
    watermark(Long.MAX_VALUE);
    assertThat(taken()).containsExactly("win 0-10 n1 {a=1}", "run 0-10 n1 {a=1}");
    assertThat(times).containsExactly(114L);
    expiring(true, TableWindows.NEVER);
    times.clear();
    add(20, "a");
    watermark(Long.MAX_VALUE);
    assertThat(times).isEmpty();
  }

  @Test
  void totalsThatDidNotExpireLeaveNoTimerOnceTheyDo() {
    expiring(true, TableWindows.NEVER);
    add(0, "a");
    watermark(14);
    assertThat(times).containsExactly(TableWindows.NEVER);
    expiring(true, 100);
    add(20, "b");
    watermark(34);
    watermark(200);
    assertThat(state.totals()).isNull();
    assertThat(times).isEmpty();
  }

  @Test
  void aGroupOfWhichEverythingIsLateExpires() {
    expiring(true, 100);
    watermark = 50;
    assertThat(add(0, "a")).isTrue();
    assertThat(times).containsExactly(114L);
    watermark(114);
    assertThat(taken()).containsExactly("run 0-10 n1 late 1 {a=1}");
    assertThat(state.totals()).isNull();
    assertThat(times).isEmpty();
  }

  @Test
  void withoutRunningTablesNothingIsKeptOnceTheWindowsAreClosed() {
    expiring(false, TableWindows.NEVER);
    add(0, "a");
    add(10, "b");
    watermark(14);
    assertThat(add(0, "late")).isTrue();
    assertThat(state.totals().getLate()).isEqualTo(1);
    watermark(24);
    assertThat(taken()).containsExactly("win 0-10 n1 {a=1}", "win 10-20 n1 late 1 {b=1}");
    assertThat(state.holdsNoWindows()).isTrue();
    assertThat(state.totals()).isNull();
    assertThat(times).isEmpty();
    assertThat(add(0, "late")).isTrue();
    assertThat(state.totals()).isNull();
    assertThat(times).isEmpty();
  }

  /** Records in any order within the watermark's lag, compared with a count record by record. */
  @ParameterizedTest
  @CsvSource({"10,10,0", "10,5,0", "12,8,3", "7,1,0", "30,6,20"})
  void tablesEqualACountOfTheRecords(long size, long slide, long lateness) {
    windows(size, slide, lateness, true);
    TableWindows w = new TableWindows(size, slide, lateness, true);
    java.util.Random random = new java.util.Random(size * 31 + slide);
    Map<Long, Map<String, Long>> expected = new TreeMap<>();
    TreeMap<Long, List<String>> byPane = new TreeMap<>();
    long newest = -50;
    for (int i = 0; i < 2_000; i++) {
      long time = newest - random.nextInt(15) + random.nextInt(17);
      newest = Math.max(newest, time);
      String word = "w" + random.nextInt(20);
      byPane.computeIfAbsent(w.paneOf(time), p -> new ArrayList<>()).add(word);
      for (long end = Math.floorDiv(time, slide) * slide + size; end > time; end -= slide) {
        expected.computeIfAbsent(end, e -> new TreeMap<>()).merge(word, 1L, Long::sum);
      }
      if (random.nextInt(10) == 0) { // a barrier, or a watermark
        byPane.forEach(
            (pane, words) -> assertThat(add(pane, words.toArray(String[]::new))).isFalse());
        byPane.clear();
        watermark(Math.max(watermark, newest - 16));
      }
    }
    byPane.forEach((pane, words) -> add(pane, words.toArray(String[]::new)));
    watermark(Long.MAX_VALUE);

    Map<Long, Map<String, Long>> found = new TreeMap<>();
    Map<String, Long> total = new TreeMap<>();
    NgramTable last = null;
    for (NgramTable table : tables) {
      if (table.getRunning()) {
        last = table;
      } else {
        assertThat(table.getRevision()).isZero();
        found.put(table.getEnd().toEpochMilli(), CountingStage.counts(table));
      }
    }
    assertThat(found).isEqualTo(expected);
    long panes = size / slide;
    if (size % slide == 0) {
      expected.values().forEach(c -> c.forEach((word, n) -> total.merge(word, n, Long::sum)));
      total.replaceAll((word, n) -> n / panes);
      assertThat(CountingStage.counts(last)).isEqualTo(total);
    }
    assertThat(last.getSentences()).isEqualTo(2_000);
    assertThat(state.holdsNoWindows()).isTrue();
  }
}
