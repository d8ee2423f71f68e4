package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.ControlConfig;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.Correction;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;

/** What gatherers do with swaps of stages that learn, and with new index files. */
class LearnedSwapsTest extends LearningHarness {
  @Test
  void aSwapKeepsThePairsThatTheNewIndexDoesNotHave() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(append("2", "three"));
    assertThat(carryOut(swap("3", "b", SECOND, 4)))
        .startsWith("refused: the swap says that the new index has the first 4 learned pairs");
    assertThat(carryOut(swap("4", "b", SECOND, 2))).startsWith("in-use");
    gather("x", "y", "z");
    assertThat(stages.known.from()).isZero(); // for batches in flight
    carryOut(append("5", "four"));
    gather("p", "q", "r");
    assertThat(carryOut(swap("6", "c", "c".repeat(64), 4))).startsWith("in-use");
    gather("s", "t", "u");
    harness.snapshot(1, 1);
    harness.notifyOfCompletedCheckpoint(1);
    reopen(harness.snapshot(2, 2));
    assertThat(ids(stages.known)).containsExactly("three", "four");
    gather("v", "w", "x");
    assertThat(output()).containsExactly("[v, w, x]c+4-4");
    // back: what is known of its pairs is used again
    assertThat(carryOut(swap("7", "b", SECOND, 2))).startsWith("in-use");
    assertThat(stages.events).endsWith("prepare b+2-4");
    assertThat(carryOut(append("8", "five"))).isEqualTo("in-use: learned pairs from 2 to 5");
  }

  @Test
  void enoughPairsAreWrittenToANewIndexToWhichTheStageIsSwapped() throws Exception {
    learn = LEARN;
    reopen(null);
    carryOut(append("1", "one", "two", "three"));
    carryOut(append("2", "four"));
    ControlCommand swap = sent.take();
    assertThat(stages.events).contains("compact a+0-4 into /compacted");
    assertThat(swap.getId()).startsWith("compact-");
    assertThat(swap.getJob()).isEqualTo("job");
    assertThat(swap.getCovers()).isEqualTo(4);
    assertThat(swap.getSwap().getStage()).isEqualTo("work");
    assertThat(swap.getSwap().getReference().getSha256()).isEqualTo(SECOND);

    // a failure before the command was carried out: another one is sent, which then changes nothing
    reopen(harness.snapshot(1, 1));
    ControlCommand again = sent.take();
    assertThat(again.getId()).isNotEqualTo(swap.getId());
    carryOut(append("3", "five"));
    assertThat(carryOut(swap)).startsWith("in-use");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]b+4-5");
    assertThat(carryOut(again)).startsWith("refused: the new index was made of another one");
    carryOut(append("4", "six"));
    assertThat(sent).isEmpty();
  }

  /** Numbers of pairs that were learned after the checkpoint are given to others. */
  @Test
  void aNewIndexWithOtherPairsThanTheStageHasIsRefused() throws Exception {
    learn = LEARN;
    reopen(null);
    carryOut(append("1", "one", "two"));
    OperatorSubtaskState state = harness.snapshot(1, 1);
    carryOut(append("2", "three", "four"));
    ControlCommand swap = sent.take();
    reopen(state);
    assertThat(carryOut(swap)).startsWith("refused: the swap says").contains("first 4");
    carryOut(append("3", "other", "another"));
    swap.setId("again");
    assertThat(carryOut(swap))
        .startsWith("refused: the new index has other learned pairs in it than stage work");
    carryOut(append("4", "three", "four"));
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]a+0-6");
    assertThat(ids(stages.known))
        .containsExactly("one", "two", "other", "another", "three", "four");
  }

  @Test
  void aCompactionDoesNotTakeBackASwapThatIsStillLoading() throws Exception {
    learn = LEARN;
    reopen(null);
    stages.written = new CountDownLatch(1);
    carryOut(append("1", "1", "2", "3", "4"));
    String third = "c".repeat(64);
    stages.slow = third;
    stages.opened = new CountDownLatch(1);
    ControlCommand byHand = swap("by hand", "c", third, 0);
    harness.processElement2(new StreamRecord<>(Tuple2.of("round", List.of(byHand))));
    stages.written.countDown();
    ControlCommand compaction = sent.take();
    stages.opened.countDown();
    assertThat(end("by hand")).startsWith("in-use");
    assertThat(carryOut(compaction)).startsWith("refused: the new index was made of another one");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]c+0-4");
  }

  @Test
  void pairsThatBatchesInFlightMayNeedStayInTheStateForACheckpoint() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(swap("2", "b", SECOND, 2));
    carryOut(append("3", "three"));
    harness.snapshot(1, 1);
    carryOut(swap("4", "c", "c".repeat(64), 3));
    harness.notifyOfCompletedCheckpoint(1); // it began before
    reopen(harness.snapshot(2, 2));
    assertThat(ids(stages.known)).containsExactly("one", "two", "three");
    // whether they are still there must make no difference between subtasks
    assertThat(carryOut(swap("5", "d", "d".repeat(64), 1))).contains("those before number 2");
    assertThat(carryOut(append("6", "one", "three")))
        .isEqualTo("in-use: learned pairs from 3 to 4");
    carryOut(append("7", "five"));
    carryOut(swap("8", "e", "e".repeat(64), 5));
    harness.snapshot(3, 3);
    harness.notifyOfCompletedCheckpoint(4);
    reopen(harness.snapshot(5, 5));
    assertThat(ids(stages.known)).containsExactly("one", "five");
    assertThat(stages.known.from()).isEqualTo(3);
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]e+5-5");
  }

  @Test
  void aSwapWaitsForBatchesFromBeforeTheLastOne() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(swap("2", "b", SECOND, 2));
    carryOut(append("3", "three"));
    stages.firstInFlight = 0;
    ControlCommand swap = swap("4", "c", "c".repeat(64), 3);
    harness.processElement2(new StreamRecord<>(Tuple2.of("round", List.of(swap))));
    while (!statuses().contains("4 0 loading")) {
      mailbox.tryYield();
      TimeUnit.MILLISECONDS.sleep(1);
    }
    TimeUnit.MILLISECONDS.sleep(100);
    assertThat(stages.events).doesNotContain("prepare c+3-3");
    stages.firstInFlight = 2;
    assertThat(end("4")).startsWith("in-use");
  }

  /** Others may have dropped pairs that they need when the next checkpoint is complete. */
  @Test
  void aRestoredSubtaskWithBatchesFromBeforeTheLastSwapCarriesOutNothingYet() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(swap("2", "b", SECOND, 2));
    carryOut(swap("3", "c", "c".repeat(64), 2));
    stages.firstInFlight = 1;
    reopen(harness.snapshot(1, 1));
    harness.processElement2(
        new StreamRecord<>(Tuple2.of("next round", List.of(append("4", "three")))));
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(mailbox.tryYield()).isFalse();
    stages.firstInFlight = 2;
    assertThat(end("4")).startsWith("in-use");
  }

  @Test
  void aSwapSaysWhichPairsAreBesideTheNewIndexAndLosesNone() throws Exception {
    assertThat(carryOut(swap("first", "b", SECOND, 0))).isEqualTo("in-use");
    carryOut(append("1", "one", "two"));
    assertThat(carryOut(swap("2", "c", "c".repeat(64), 1)))
        .isEqualTo("in-use: learned pairs from 1 to 2 beside it");
    carryOut(append("3", "three"));
    assertThat(carryOut(swap("4", "d", "d".repeat(64), 3)))
        .isEqualTo("in-use: learned pairs from 3 to 3 beside it");
    carryOut(swap("5", "e", "e".repeat(64), 3));
    assertThat(carryOut(swap("6", "f", "f".repeat(64), 0)))
        .startsWith("refused: the swap says that the new index has the first 0 learned pairs in it")
        .contains("those before number 3 are only in index files")
        .endsWith("give --covers 3 or more");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]e+3-3");
  }

  @Test
  void aSwapThatWouldLeaveMorePairsThanThereIsRoomForIsRefused() throws Exception {
    carryOut(append("1", "1", "2", "3", "4", "5", "6"));
    carryOut(swap("2", "b", SECOND, 6));
    carryOut(append("3", "7", "8"));
    assertThat(carryOut(swap("4", "c", "c".repeat(64), 0)))
        .startsWith("refused: stage work would have 8 learned pairs with ")
        .contains("max-pairs is 6")
        .contains("--covers");
    assertThat(carryOut(swap("5", "c", "c".repeat(64), 2))).startsWith("in-use");

    Correction large = correction("large");
    large.setSource("haus ".repeat(900));
    large.setTarget("house ".repeat(700));
    reopen(null);
    carryOut(append("6", large));
    carryOut(swap("7", "b", SECOND, 1));
    large.setId("larger");
    carryOut(append("8", large));
    assertThat(carryOut(swap("9", "c", "c".repeat(64), 0)))
        .startsWith("refused: stage work would have 2 learned pairs with ")
        .contains("max-size 10000");
  }

  @Test
  void aSwapThatLeavesManyPairsIsFollowedByACompaction() throws Exception {
    learn = LEARN;
    reopen(null);
    carryOut(append("1", "1", "2"));
    carryOut(swap("2", "c", "c".repeat(64), 2));
    carryOut(append("3", "3", "4"));
    assertThat(sent).isEmpty();
    carryOut(swap("4", "d", "d".repeat(64), 0));
    assertThat(sent.take().getReplaces()).isEqualTo("d".repeat(64));
  }

  /** It would take the swap back. */
  @Test
  void aNewIndexThatWasMadeOfAnotherThanTheOneInUseIsNotUsed() throws Exception {
    learn = new ControlConfig.Learn("work", "", 1_000, 1_000_000, 4, "/compacted");
    reopen(null);
    stages.written = new CountDownLatch(1);
    carryOut(append("1", "1", "2", "3", "4"));
    carryOut(swap("2", "c", "c".repeat(64), 0));
    stages.written.countDown();
    int next = 5;
    while (sent.isEmpty() && next < 1_000) { // until the first attempt has ended
      carryOut(append("append " + next, "" + next));
      next++;
    }
    ControlCommand swap = sent.take();
    assertThat(swap.getCovers()).isGreaterThan(4);
    assertThat(stages.events).contains("compact c+0-" + swap.getCovers() + " into /compacted");
  }

  @Test
  void aCompactionIsTriedAgainAfterSomeTimeUntilItSucceeds() throws Exception {
    learn = LEARN;
    stages.unwritable = true;
    reopen(null);
    carryOut(append("1", "1", "2", "3", "4", "5", "6"));
    assertThat(carryOut(append("2", "7"))).contains("has no room for more");
    compactions(2); // a new attempt, although nothing can be learned
    stages.unwritable = false;
    ControlCommand first = compaction();
    stages.full = true;
    assertThat(carryOut(first)).isEqualTo("refused: too little memory");
    assertThat(sent).isEmpty(); // not at once
    stages.full = false;
    ControlCommand second = compaction();
    assertThat(second.getId()).isNotEqualTo(first.getId());
    assertThat(carryOut(second)).startsWith("in-use");
    assertThat(carryOut(append("3", "7"))).isEqualTo("in-use: learned pairs from 6 to 7");
  }

  @Test
  void aCompactionEndsWithItsTaskAndAnotherOneBeginsThen() throws Exception {
    learn = LEARN;
    reopen(null);
    CountDownLatch written = new CountDownLatch(1);
    stages.written = written;
    carryOut(append("1", "1", "2", "3", "4"));
    compactions(1);
    reopen(harness.snapshot(1, 1));
    stages.written = new CountDownLatch(0);
    harness.setProcessingTime(harness.getProcessingTime() + 60_000);
    TimeUnit.MILLISECONDS.sleep(100); // another one would have begun
    assertThat(stages.events.stream().filter(event -> event.startsWith("compact"))).hasSize(1);
    written.countDown();
    assertThat(carryOut(compaction())).startsWith("in-use");
    assertThat(stages.events.stream().filter(event -> event.startsWith("compact"))).hasSize(2);
    assertThat(stages.events).containsOnlyOnce("write");
    assertThat(sent).isEmpty();
  }

  /** What is left would keep the task's batches, and the classes of the job. */
  @Test
  void noThreadOfACommandOutlivesItsTask() throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    learn = LEARN;
    reopen(null);
    brokers = new CountDownLatch(1);
    carryOut(append("1", "1", "2", "3", "4"));
    sent.take(); // and no broker takes it
    carryOut(swap("2", "b", SECOND, 4));
    carryOut(append("3", "5"));
    stages.firstInFlight = 0; // of a batch that never ends now
    harness.processElement2(
        new StreamRecord<>(Tuple2.of("round", List.of(swap("4", "c", "c".repeat(64), 5)))));
    while (threads(before).size() < 3) { // a compaction, the loader, and what it has started
      mailbox.tryYield();
      TimeUnit.MILLISECONDS.sleep(1);
    }
    List<Thread> ours = threads(before);
    close();
    for (Thread thread : ours) {
      thread.join();
    }
    reopen(null);
  }

  /** The threads of commands that were not there before. */
  private static List<Thread> threads(Set<Thread> before) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread))
        .filter(thread -> thread.getName().matches("(loader|compaction) of .*"))
        .toList();
  }

  /** Lets time pass until this many index files were begun. */
  private void compactions(long count) throws Exception {
    while (stages.events.stream().filter(event -> event.startsWith("compact")).count() < count) {
      harness.setProcessingTime(harness.getProcessingTime() + 1_000);
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  /** Lets time pass until a compaction sends a command. */
  private ControlCommand compaction() throws Exception {
    while (sent.isEmpty()) {
      harness.setProcessingTime(harness.getProcessingTime() + 1_000);
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return sent.take();
  }
}
