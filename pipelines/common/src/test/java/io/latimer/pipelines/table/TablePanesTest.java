package io.latimer.pipelines.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.record.Records;
import io.latimer.pipelines.stage.TableWindows;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.TablePart;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TablePanesTest {
  private final CountingStage stage = new CountingStage(new TableWindows(20, 10, 0, true));
  private final List<String> parts = new ArrayList<>();
  private final List<Envelope> refused = new ArrayList<>();
  private final List<Integer> counted = new ArrayList<>();
  private final TablePanes panes =
      new TablePanes(
          stage,
          new TablePanes.Output() {
            @Override
            public void counted(int records, long nanos) {
              assertThat(nanos).isNotNegative();
              counted.add(records);
            }

            @Override
            public void part(TablePart part, long nanos) {
              assertThat(nanos).isNotNegative();
              byte[] bytes = new byte[part.getCounts().remaining()];
              part.getCounts().duplicate().get(bytes);
              parts.add(
                  part.getGroup()
                      + "@"
                      + part.getPane()
                      + " n"
                      + part.getRecords()
                      + " "
                      + CountingStage.counts(bytes));
            }

            @Override
            public void refused(Envelope record) {
              refused.add(record);
            }
          });

  @AfterEach
  void everyAccumulatorIsClosed() {
    panes.close();
    panes.close();
    assertThat(stage.accumulators).isZero();
  }

  private void add(String text, long time) {
    panes.add(Records.envelope(0, text), time);
  }

  @Test
  void aPaneIsHandedOnOnceItIsOver() {
    add("a", 0);
    add("b", 12);
    add("a", 9);
    panes.take(8);
    assertThat(parts).isEmpty();
    assertThat(panes.size()).isEqualTo(2);
    panes.take(9);
    assertThat(parts).containsExactly("feed@0 n2 {a=2}");
    panes.takeAll();
    assertThat(parts).containsExactly("feed@0 n2 {a=2}", "feed@10 n1 {b=1}");
    assertThat(counted).containsExactly(2, 1);
    assertThat(panes.size()).isZero();
    panes.takeAll();
    assertThat(parts).hasSize(2);
  }

  @Test
  void timesBefore1970HaveTheirPanes() {
    add("a", -1);
    add("b", -10);
    add("c", -11);
    panes.takeAll();
    assertThat(parts).containsExactly("feed@-10 n2 {a=1, b=1}", "feed@-20 n1 {c=1}");
  }

  @Test
  void whatCannotBeCountedIsRefusedAndItsNeighboursAreCounted() {
    add("a", 0);
    add("bad", 1);
    add("b", 2);
    panes.takeAll();
    assertThat(parts).containsExactly("feed@0 n2 {a=1, b=1}");
    assertThat(counted).containsExactly(3);
    assertThat(refused).hasSize(1);
    assertThat(refused.get(0).getFailure().getStage()).isEqualTo("counting");
    assertThat(refused.get(0).getSentence().getText()).isEqualTo("bad");
  }

  @Test
  void aPaneOfWhichNothingCouldBeCountedIsNotHandedOn() {
    add("bad", 0);
    panes.takeAll();
    assertThat(parts).isEmpty();
    assertThat(refused).hasSize(1);
  }

  @Test
  void timesBeyondAllWindowsAreRefused() {
    add("a", Long.MAX_VALUE);
    add("b", Long.MIN_VALUE);
    add("c", TableWindows.MAX_TIME + 1);
    assertThat(refused).hasSize(3);
    assertThat(refused.get(0).getFailure().getErrorMessage()).contains("out of range");
    add("d", TableWindows.MAX_TIME);
    add("e", -TableWindows.MAX_TIME);
    panes.takeAll();
    assertThat(parts).hasSize(2);
  }

  @Test
  void manyPanesShareAFewAccumulators() {
    for (int i = 0; i < 100; i++) {
      add("a", 10L * i);
    }
    for (int i = 0; i < 12; i++) {
      add("b", 0);
    }
    // 16 bytes at a time were counted (see CountingStage); the counts of most panes had to be
    // emitted
    assertThat(stage.accumulators).isEqualTo(TablePanes.MAX_ACCUMULATORS);
    assertThat(parts).hasSizeBetween(100 - 4 - TablePanes.MAX_ACCUMULATORS, 112);
    panes.takeAll();
    long records =
        parts.stream().mapToLong(p -> Long.parseLong(p.replaceAll(".* n([0-9]+) .*", "$1"))).sum();
    assertThat(records).isEqualTo(112);
    assertThat(panes.size()).isZero();
  }

  @Test
  void recordsAreCountedTogetherUntilThereAreEnough() {
    add("12345678", 0);
    add("bad", 0);
    assertThat(refused).isEmpty();
    add("12345678", 0); // 16 bytes or more: see CountingStage
    assertThat(refused).hasSize(1);
    assertThat(parts).isEmpty();
  }
}
