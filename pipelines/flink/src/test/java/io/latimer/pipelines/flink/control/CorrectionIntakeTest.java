package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.record.Records;
import io.latimer.pipelines.record.Corrections;
import io.latimer.pipelines.record.Taught;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.WordLink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CorrectionIntakeTest {
  private static final Instant TIME = Instant.ofEpochMilli(1_234);

  private OneInputStreamOperatorTestHarness<Tuple2<String, byte[]>, Tuple2<String, byte[]>> harness;

  private final GroupCommandsTest.Master master = new GroupCommandsTest.Master();

  private Taught taught = Taught.PAIRS;

  @BeforeEach
  void open() throws Exception {
    open(null);
  }

  private void open(OperatorSubtaskState state) throws Exception {
    CorrectionIntake intake =
        new CorrectionIntake("news", "phrases", taught, Duration.ofMillis(200)) {
          private static final long serialVersionUID = 1L;

          @Override
          GlobalAggregateManager master() {
            return master;
          }
        };
    harness = new OneInputStreamOperatorTestHarness<>(intake);
    harness.setup(ControlReader.TYPE.createSerializer(new SerializerConfigImpl()));
    if (state != null) {
      harness.initializeState(state);
    }
    harness.open();
    harness.setProcessingTime(1_000);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private static Correction correction(String id, String source, String target, WordLink... links) {
    return new Correction(id, TIME, source, target, links.length == 0 ? null : List.of(links));
  }

  private void send(Correction correction) throws Exception {
    send(RecordCodec.of(Correction.class).encode(correction));
  }

  private void send(byte[] value) throws Exception {
    harness.processElement(Tuple2.of("fixes, partition 0, offset 7", value), 0);
  }

  private List<ControlCommand> commands() throws Exception {
    List<ControlCommand> commands = new ArrayList<>();
    for (Tuple2<String, byte[]> one : harness.extractOutputValues()) {
      assertThat(one.f0).isEqualTo(ControlIntake.OWN);
      commands.add(RecordCodec.of(ControlCommand.class).decode(one.f1));
    }
    return commands;
  }

  private List<String> ids() throws Exception {
    return commands().stream()
        .map(one -> one.getAppend().stream().map(Correction::getId).toList().toString())
        .toList();
  }

  private List<String> refusals() {
    List<String> refusals = new ArrayList<>();
    if (harness.getSideOutput(Records.STATUSES) != null) {
      for (StreamRecord<ControlStatus> one : harness.getSideOutput(Records.STATUSES)) {
        ControlStatus status = one.getValue();
        assertThat(status.getState()).isEqualTo("refused");
        assertThat(status.getStage()).isEqualTo("phrases");
        assertThat(status.getSubtask()).isEqualTo(-1);
        refusals.add(status.getCommand() + ": " + status.getMessage());
      }
    }
    return refusals;
  }

  @Test
  void correctionsAreGatheredForAShortTime() throws Exception {
    send(correction("a", "das Haus", "the house", new WordLink(0, 0), new WordLink(1, 1)));
    send(correction("b", "ein Haus", "a house"));
    harness.setProcessingTime(1_000 + CorrectionIntake.MAX_WAIT - 1);
    assertThat(commands()).isEmpty();
    harness.setProcessingTime(1_000 + CorrectionIntake.MAX_WAIT);
    send(correction("c", "Haus", "house"));
    harness.setProcessingTime(1_000 + CorrectionIntake.INTERVAL);
    assertThat(ids()).containsExactly("[a, b]"); // not too many commands
    harness.setProcessingTime(1_000 + CorrectionIntake.MAX_WAIT + CorrectionIntake.INTERVAL);

    assertThat(ids()).containsExactly("[a, b]", "[c]");
    ControlCommand first = commands().get(0);
    assertThat(first.getJob()).isEqualTo("news");
    assertThat(first.getAppendTo()).isEqualTo("phrases");
    assertThat(first.getSwap()).isNull();
    assertThat(first.getAppend().get(0))
        .isEqualTo(
            correction("a", "das Haus", "the house", new WordLink(0, 0), new WordLink(1, 1)));
    assertThat(first.getId()).isNotBlank().isNotEqualTo(commands().get(1).getId());
    assertThat(refusals()).isEmpty();
  }

  @Test
  void aFullCommandDoesNotWait() throws Exception {
    for (int i = 0; i < Corrections.MOST + 1; i++) {
      send(correction("c" + i, "das Haus", "the house"));
    }
    assertThat(commands()).hasSize(1);
    assertThat(commands().get(0).getAppend()).hasSize(Corrections.MOST);
  }

  /** Small records that take much memory: they must not be gathered by their number alone. */
  @Test
  void linksAndIdsCountInTheSizeOfACommand() throws Exception {
    List<WordLink> links = new ArrayList<>();
    for (int i = 0; i < 30_000; i++) {
      links.add(new WordLink(i / 1_000, i % 1_000));
    }
    String words = "w ".repeat(1_000);
    for (int i = 0; i < 4; i++) {
      send(correction("c" + i, words, words, links.toArray(WordLink[]::new)));
    }
    assertThat(ids()).containsExactly("[c0, c1, c2]");
  }

  @Test
  void whatIsGatheredHasNoFurtherWhiteSpace() throws Exception {
    send(correction("a", " das \t Haus" + " ".repeat(100_000), "the  house", new WordLink(1, 0)));
    send(correction("b", "Haus", "house "));
    harness.endInput();
    assertThat(commands().get(0).getAppend())
        .containsExactly(
            correction("a", "das Haus", "the house", new WordLink(1, 0)),
            correction("b", "Haus", "house"));
  }

  @Test
  void ofTermsOnlyTheWrongOnesAreRefused() throws Exception {
    close();
    taught = Taught.TERMS;
    open(null);
    send(correction("a", "lift|lifts", "Aufzug\t\tany"));
    send(correction("b", "lift|", "Aufzug"));
    harness.endInput();
    assertThat(ids()).containsExactly("[a]");
    assertThat(commands().get(0).getAppend().get(0).getTarget()).isEqualTo("Aufzug\t\tany");
    assertThat(refusals())
        .containsExactly("b: fixes, partition 0, offset 7: correction b: a source form is empty");
  }

  @Test
  void whatIsHeldIsInTheState() throws Exception {
    send(correction("a", "das Haus", "the house"));
    OperatorSubtaskState state = harness.snapshot(1, 1);
    assertThat(ids()).isEmpty();
    close();
    open(state);
    harness.setProcessingTime(1_000 + CorrectionIntake.MAX_WAIT);
    assertThat(ids()).containsExactly("[a]");
  }

  @Test
  void nothingIsHeldAtTheEnd() throws Exception {
    send(correction("a", "das Haus", "the house"));
    harness.endInput();
    assertThat(ids()).containsExactly("[a]");
  }

  /** To align a pair takes time in proportion to the product of its numbers of words. */
  @Test
  void fewLongPairsAreSentAtATime() throws Exception {
    for (int i = 0; i < 5; i++) {
      send(correction("long " + i, "das ".repeat(1_000), "the ".repeat(1_000)));
    }
    for (int i = 0; i < 5; i++) {
      send(
          correction(
              "aligned " + i, "das ".repeat(1_000), "the ".repeat(1_000), new WordLink(0, 0)));
    }
    harness.endInput();
    assertThat(commands()).extracting(one -> one.getAppend().size()).containsExactly(4, 6);
  }

  /** They are in the state of all gatherers until they are carried out. */
  @Test
  void correctionsWaitWhileTooManyCommandsAreUnderWay() throws Exception {
    long now = 1_000;
    for (int i = 0; i < CorrectionIntake.MOST + 1; i++) {
      send(correction("c" + i, "das Haus", "the house"));
      now += CorrectionIntake.INTERVAL;
      harness.setProcessingTime(now);
    }
    assertThat(ids()).hasSize(CorrectionIntake.MOST);
    send(correction("next", "das Haus", "the house"));
    now += 10 * CorrectionIntake.INTERVAL;
    harness.setProcessingTime(now);
    assertThat(ids()).hasSize(CorrectionIntake.MOST);
    new EndedCommands(master).add(commands().get(3).getId());
    harness.setProcessingTime(now + CorrectionIntake.INTERVAL);
    assertThat(ids()).hasSize(CorrectionIntake.MOST + 1).endsWith("[c16, next]");
  }

  @Test
  void aCorrectionIsRefusedIfNoCommandEndsForALongTime() throws Exception {
    long now = 1_000;
    for (int i = 0; i < CorrectionIntake.MOST; i++) {
      send(correction("c" + i, "das Haus", "the house"));
      now += CorrectionIntake.INTERVAL;
      harness.setProcessingTime(now);
    }
    for (int i = 0; i < Corrections.MOST + 1; i++) {
      send(correction("more " + i, "das Haus", "the house"));
    }
    assertThat(ids()).hasSize(CorrectionIntake.MOST);
    assertThat(refusals())
        .singleElement()
        .satisfies(
            one -> assertThat(one).startsWith("more 256: ").contains("too many corrections wait"));
    new EndedCommands(master).add(commands().get(0).getId());
    send(correction("last", "das Haus", "the house"));
    assertThat(commands().get(CorrectionIntake.MOST).getAppend()).hasSize(Corrections.MOST);
    harness.endInput();
    assertThat(ids()).endsWith("[last]");
  }

  @Test
  void badCorrectionsAreRefusedByTheirIdsAndOthersPass() throws Exception {
    send("fix it".getBytes(StandardCharsets.UTF_8));
    send(correction("", "das Haus", "the house"));
    send(correction("x".repeat(201), "das Haus", "the house"));
    send(correction("empty", " \t", "the house"));
    send(correction("no target", "das Haus", ""));
    send(correction("outside", "das Haus", "the house", new WordLink(2, 0)));
    send(correction("negative", "das Haus", "the house", new WordLink(0, -1)));
    send(correction("columns", "das ||| Haus", "the house"));
    send(correction("long", "das ".repeat(Corrections.MAX_WORDS + 1), "the house"));
    WordLink[] many = Collections.nCopies(450_000, new WordLink(0, 0)).toArray(WordLink[]::new);
    send(correction("many", "das Haus", "the house", many));
    send(correction("twice", "das Haus", "the house", new WordLink(0, 1), new WordLink(0, 1)));
    WordLink[] all = new WordLink[50 * 50];
    Arrays.setAll(all, i -> new WordLink(i / 50, i % 50));
    send(correction("dense", "das ".repeat(50), "the ".repeat(50), all));
    send(correction("good", "das Haus", "the house"));
    harness.endInput();

    assertThat(ids()).containsExactly("[good]");
    List<String> refusals = refusals();
    assertThat(refusals).hasSize(12).allMatch(one -> one.contains("fixes, partition 0, offset 7"));
    assertThat(refusals.get(0)).startsWith(": ").contains("not a correction");
    assertThat(refusals.get(1)).startsWith(": ").contains("needs an id of 1 to 200 characters");
    assertThat(refusals.get(2)).startsWith(": ").contains("needs an id").hasSizeLessThan(400);
    assertThat(refusals.get(3)).startsWith("empty: ").contains("source sentence has no words");
    assertThat(refusals.get(4)).startsWith("no target: ").contains("target sentence has no words");
    assertThat(refusals.get(5)).startsWith("outside: ").contains("the alignment is wrong");
    assertThat(refusals.get(6)).startsWith("negative: ").contains("the alignment is wrong");
    assertThat(refusals.get(7)).startsWith("columns: ").contains("|||");
    assertThat(refusals.get(8)).startsWith("long: ").contains("has 1001 words");
    assertThat(refusals.get(9)).startsWith("many: ").contains("has 450000 links");
    assertThat(refusals.get(10)).startsWith("twice: ").contains("has point 0-1 more than once");
    assertThat(refusals.get(11))
        .startsWith("dense: ")
        .contains("2500 links, a pair of 100 words takes 1600");
  }
}
