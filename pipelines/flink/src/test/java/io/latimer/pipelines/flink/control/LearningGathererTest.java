package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.pipelines.flink.record.Records;
import io.latimer.schemas.Batch;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.Correction;
import io.latimer.schemas.CorrectionStatus;
import io.latimer.schemas.Envelope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.TwoInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/** What gatherers do with {@code append} commands. */
class LearningGathererTest extends LearningHarness {
  @Test
  void whatIsLearnedTakesEffectBetweenBatches() throws Exception {
    gather("x", "y");
    assertThat(carryOut(append("1", "one", "two"))).isEqualTo("in-use: learned pairs from 0 to 2");
    gather("p", "q", "r");
    Correction unaligned = correction("three");
    unaligned.setAlignment(null);
    assertThat(carryOut(append("2", unaligned))).isEqualTo("in-use: learned pairs from 0 to 3");
    gather("s", "t", "u");
    assertThat(output()).containsExactly("[x, y]a+0-0", "[p, q, r]a+0-2", "[s, t, u]a+0-3");
    assertThat(ids(stages.known)).containsExactly("one", "two", "three");
    assertThat(stages.known.get(2).alignment()).isEqualTo("0-0");
    assertThat(statuses()).contains("1 0 loading", "1 0 in-use: learned pairs from 0 to 2");
  }

  @Test
  void aCorrectionThatIsDeliveredAgainChangesNothing() throws Exception {
    carryOut(append("1", "one", "two"));
    assertThat(carryOut(append("2", "two", "one"))).isEqualTo("in-use: learned pairs from 0 to 2");
    assertThat(carryOut(append("3", "two", "three", "three")))
        .isEqualTo("in-use: learned pairs from 0 to 3");
    reopen(harness.snapshot(1, 1));
    assertThat(carryOut(append("4", "one", "three")))
        .isEqualTo("in-use: learned pairs from 0 to 3");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]a+0-3");
  }

  @Test
  void moreThanThereIsRoomForIsRefused() throws Exception {
    carryOut(append("1", "1", "2", "3", "4", "5"));
    String full = "stage work has no room for more: it has 6 learned pairs with ";
    String part = carryOut(append("2nd", "5", "6", "7", "8", "7"));
    assertThat(part)
        .startsWith("refused: learned 2 of 4 corrections; " + full)
        .contains("max-pairs is 6")
        .contains("set compact.directory");
    assertThat(statuses())
        .contains("7 -1 " + part, "8 -1 " + part, "2nd 0 in-use: learned pairs from 0 to 6")
        .noneMatch(status -> status.startsWith("5 ") || status.startsWith("6 "));
    assertThat(ids(stages.known)).containsExactly("1", "2", "3", "4", "5", "6");
    assertThat(carryOut(append("3rd", "9", "6"))).startsWith("refused: " + full);
    assertThat(statuses())
        .contains("9 -1 " + carryOut(append("4th", "9")))
        .noneMatch(status -> status.startsWith("6 "));

    reopen(null);
    Correction large = correction("large");
    large.setSource("haus ".repeat(900));
    large.setTarget("house ".repeat(900));
    assertThat(carryOut(append("4", large))).startsWith("in-use");
    large.setId("larger");
    assertThat(carryOut(append("5", large))).contains("learned pairs with 99", "max-size 10000");
    assertThat(carryOut(append("6", large, correction("small")))).contains("learned 1 of 2");
    assertThat(ids(stages.known)).containsExactly("large", "small");
  }

  @Test
  void pairsThatWereRefusedLeaveTheirNumbersToOthers() throws Exception {
    carryOut(append("1", "one"));
    stages.full = true;
    assertThat(carryOut(append("2", "refused"))).isEqualTo("refused: too little memory");
    assertThat(ids(stages.known)).containsExactly("one");
    Correction bad = correction("bad");
    bad.setTarget("");
    assertThat(carryOut(append("3", bad)))
        .isEqualTo("refused: correction bad: the target sentence has no words");
    stages.full = false;
    assertThat(carryOut(append("4", "two"))).isEqualTo("in-use: learned pairs from 0 to 2");
    assertThat(ids(stages.known)).containsExactly("one", "two");
    // what is not decided starts no batch that waits for these numbers
    assertThat(ids(stages.knownBefore)).containsExactly("one");
  }

  private static Correction ofTexts(String id, String source) {
    Correction correction = correction(id);
    correction.setAlignment(null);
    correction.setSource(source);
    return correction;
  }

  @Test
  void aStatusSaysHowTheStageTranslatedBefore() throws Exception {
    Correction words = correction("two");
    words.setSource("die tür");
    carryOut(append("1", ofTexts("one", "das haus"), words));
    assertThat(corrections("1"))
        .extracting(CorrectionStatus::getBefore)
        .containsExactly("das haus with []", "");
    carryOut(append("2", ofTexts("three", "der baum")));
    assertThat(corrections("2"))
        .extracting(CorrectionStatus::getBefore)
        .containsExactly("der baum with [one, two]");
    stages.untranslatable = true;
    assertThat(carryOut(append("3", ofTexts("four", "das tor")))).startsWith("in-use");
    assertThat(corrections("3"))
        .extracting(CorrectionStatus::getBefore, CorrectionStatus::getState)
        .containsExactly(tuple("", "learned"));
    assertThat(ids(stages.known)).endsWith("four");
  }

  /** A text that has made the job restart would make it restart again. */
  @Test
  void ofARestoredCommandNothingIsTranslated() throws Exception {
    harness.processElement2(
        new StreamRecord<>(Tuple2.of("round", List.of(append("1", ofTexts("one", "das haus"))))));
    reopen(harness.snapshot(1, 1));
    harness.processElement2(new StreamRecord<>(Tuple2.of("next round", List.of())));
    assertThat(end("1")).isEqualTo("in-use: learned pairs from 0 to 1");
    assertThat(corrections("1")).extracting(CorrectionStatus::getBefore).containsExactly("");
  }

  @Test
  void aRestoredSubtaskGoesOnWithWhatWasLearned() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(append("2", "three"));
    LearnedPairs before = stages.known;
    OperatorSubtaskState state = harness.snapshot(1, 1);
    stages.known = LearnedPairs.none();
    reopen(state);
    assertThat(stages.known).isEqualTo(before);
    assertThat(stages.events).endsWith("open a+0-3");
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]a+0-3");
    assertThat(carryOut(append("3", "four"))).isEqualTo("in-use: learned pairs from 0 to 4");
  }

  @Test
  void whatIsNotDecidedIsLearnedAfterARestore() throws Exception {
    assertThat(stages.allLearned).isTrue();
    carryOut(append("1", "one"));
    ControlCommand refused = append("3", "bad");
    refused.getAppend().get(0).setTarget("");
    harness.processElement2(
        new StreamRecord<>(Tuple2.of("round", List.of(append("2", "two", "three"), refused))));
    OperatorSubtaskState state = harness.snapshot(1, 1); // its mails have not run
    reopen(state);
    assertThat(stages.events).endsWith("open a+0-1");
    harness.processElement2(new StreamRecord<>(Tuple2.of("next round", List.of())));
    assertThat(stages.allLearned).isFalse(); // restored batches may use what is pending
    assertThat(end("2")).isEqualTo("in-use: learned pairs from 0 to 3");
    assertThat(end("3")).startsWith("refused");
    assertThat(stages.allLearned).isTrue();
    assertThat(ids(stages.known)).containsExactly("one", "two", "three");
  }

  /** Where a batch waits for room, no command can be carried out. */
  @Test
  void nothingIsGatheredAsLongAsRestoredBatchesWaitForPairs() throws Exception {
    carryOut(append("1", "one"));
    harness.processElement2(new StreamRecord<>(Tuple2.of("round", List.of(append("2", "two")))));
    OperatorSubtaskState state = harness.snapshot(1, 1); // its mails have not run
    stages.awaited = 2;
    reopen(state);
    gather("u", "v", "w"); // the commands can be after it
    harness.processElement2(new StreamRecord<>(Tuple2.of("next round", List.of())));
    gather("x");
    assertThat(ids(stages.known)).containsExactly("one", "two");
    gather("y", "z");
    assertThat(output()).containsExactly("[u, v, w]a+0-1", "[x, y, z]a+0-2");
  }

  @Test
  void nothingIsGatheredAsLongAsTooManyRestoredBatchesAreInFlight() throws Exception {
    stages.inFlight = IN_FLIGHT + 2;
    mailbox.execute(() -> stages.inFlight--, "emitted");
    mailbox.execute(() -> stages.inFlight--, "emitted");
    gather("x");
    assertThat(stages.inFlight).isEqualTo(IN_FLIGHT);
  }

  /** A subtask of several. */
  private record Subtask(
      Stages stages,
      MailboxExecutor mailbox,
      TwoInputStreamOperatorTestHarness<Envelope, Tuple2<String, List<ControlCommand>>, Batch>
          harness) {
    /** Runs mails; returns whether the subtask has carried out a command. */
    boolean uses(String command) throws Exception {
      while (mailbox.tryYield()) {
        // runs one mail
      }
      return harness.getSideOutput(Records.STATUSES) != null
          && harness.getSideOutput(Records.STATUSES).stream()
              .map(StreamRecord::getValue)
              .anyMatch(one -> one.getCommand().equals(command) && one.getState().equals("in-use"));
    }
  }

  private List<Subtask> openTwo(List<OperatorSubtaskState> states) throws Exception {
    List<Subtask> two = new ArrayList<>();
    for (int subtask = 0; subtask < 2; subtask++) {
      stages = new Stages();
      open(states.isEmpty() ? null : states.get(subtask), 2, subtask);
      two.add(new Subtask(stages, mailbox, harness));
    }
    return two;
  }

  private static void pass(List<Subtask> subtasks, String round, ControlCommand... commands)
      throws Exception {
    for (Subtask one : subtasks) {
      one.harness.processElement2(new StreamRecord<>(Tuple2.of(round, List.of(commands))));
    }
  }

  private static void awaitUse(List<Subtask> subtasks, String command) throws Exception {
    boolean used = false;
    while (!used) {
      TimeUnit.MILLISECONDS.sleep(5);
      used = true;
      for (Subtask one : subtasks) {
        used &= one.uses(command);
      }
    }
  }

  /** The barrier reaches one of them some commands later than the other. */
  @Test
  void aSubtaskThatLagsBehindLearnsTheSamePairsUnderTheSameNumbers() throws Exception {
    close();
    shared = new GroupCommandsTest.Master();
    List<Subtask> two = openTwo(List.of());
    pass(two, "round", append("1", "one"));
    awaitUse(two, "1");
    pass(two, "round", append("2", "two", "three"), append("3", "one"), append("4", "four"));
    OperatorSubtaskState behind = two.get(1).harness.snapshot(1, 1);
    awaitUse(two, "4");
    OperatorSubtaskState ahead = two.get(0).harness.snapshot(1, 1);
    for (Subtask one : two) {
      one.harness.close();
    }

    two = openTwo(List.of(ahead, behind));
    assertThat(ids(two.get(0).stages.known)).containsExactly("one", "two", "three", "four");
    assertThat(ids(two.get(1).stages.known)).containsExactly("one");
    pass(two, "next round", append("5", "five"));
    awaitUse(two, "5");
    assertThat(ids(two.get(1).stages.known)).endsWith("four", "five").hasSize(5);
    assertThat(two.get(1).stages.known).isEqualTo(two.get(0).stages.known);
    two.get(0).harness.close(); // the other one is closed after the test
  }

  @Test
  void allSubtasksHaveTheSamePairsAfterRescaling() throws Exception {
    carryOut(append("1", "one", "two"));
    carryOut(append("2", "three"));
    LearnedPairs before = stages.known;
    OperatorSubtaskState state = harness.snapshot(1, 1);
    close();
    List<OperatorSubtaskState> of3 = new ArrayList<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      of3.add(rescaled(List.of(state), 1, 3, subtask, before));
    }
    for (int subtask = 0; subtask < 2; subtask++) {
      rescaled(of3, 3, 2, subtask, before);
    }
    open(null, 1, 0);
  }

  /** Opens a subtask of a rescaled job, and returns its state. */
  private OperatorSubtaskState rescaled(
      List<OperatorSubtaskState> states, int from, int to, int subtask, LearnedPairs expected)
      throws Exception {
    OperatorSubtaskState all =
        AbstractStreamOperatorTestHarness.repackageState(
            states.toArray(OperatorSubtaskState[]::new));
    stages.known = LearnedPairs.none();
    open(
        AbstractStreamOperatorTestHarness.repartitionOperatorState(all, 4, from, to, subtask),
        to,
        subtask);
    assertThat(stages.known).isEqualTo(expected);
    gather("x", "y", "z");
    assertThat(output()).containsExactly("[x, y, z]a+0-3");
    OperatorSubtaskState state = harness.snapshot(2, 2);
    close();
    return state;
  }

  @Test
  void whatAStageHasLearnedIsForgottenWhenItIsGone() throws Exception {
    carryOut(append("1", "one", "two"));
    OperatorSubtaskState state = harness.snapshot(1, 1);
    name = "other";
    reopen(state);
    assertThat(stages.events).endsWith("open a+0-0");
    state = harness.snapshot(2, 2);
    name = "work";
    reopen(state);
    assertThat(stages.events).endsWith("open a+0-0");
    assertThat(carryOut(append("2", "one"))).isEqualTo("in-use: learned pairs from 0 to 1");
  }
}
