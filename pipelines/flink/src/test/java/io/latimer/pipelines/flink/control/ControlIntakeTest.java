package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.record.Records;
import io.latimer.schemas.BatchLimits;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.ControlStatus;
import io.latimer.schemas.Correction;
import io.latimer.schemas.IndexReference;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.StageIndexVersion;
import io.latimer.schemas.WordLink;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.taskexecutor.GlobalAggregateManager;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ControlIntakeTest {
  private static final String SHA256 = "a".repeat(64);

  private final GroupCommandsTest.Master master = new GroupCommandsTest.Master();
  private OneInputStreamOperatorTestHarness<
          Tuple2<String, byte[]>, Tuple2<String, List<ControlCommand>>>
      harness;

  private void open(OperatorSubtaskState state) throws Exception {
    harness =
        new OneInputStreamOperatorTestHarness<>(
            new ControlIntake(
                "news",
                Map.of("score", "language-model", "translate.glossary", "glossary"),
                true,
                List.of("phrases", "translate.glossary")) {
              private static final long serialVersionUID = 1L;

              @Override
              GlobalAggregateManager master() {
                return master;
              }
            });
    harness.setup(Records.COMMANDS.createSerializer(new SerializerConfigImpl()));
    if (state != null) {
      harness.initializeState(state);
    }
    harness.open();
    harness.setProcessingTime(1);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private static ControlCommand swap(String id, String uri, String kind, String sha256) {
    StageIndexVersion swap =
        new StageIndexVersion("score", new IndexReference(kind, uri, sha256, ""), 0L, 0L);
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("news")
        .setTime(Instant.EPOCH)
        .setSwap(swap)
        .build();
  }

  private static ControlCommand good(String id) {
    return swap(id, "file:/m.llm", "language-model", SHA256);
  }

  private void send(ControlCommand command) throws Exception {
    send(RecordCodec.of(ControlCommand.class).encode(command));
  }

  private void send(byte[] value) throws Exception {
    harness.processElement(Tuple2.of("control, partition 0, offset 7", value), 0);
  }

  /** The ids of what was passed on; an empty one announces the round. */
  private List<String> passed() {
    List<String> ids = new ArrayList<>();
    for (Tuple2<String, List<ControlCommand>> one : harness.extractOutputValues()) {
      ids.add(one.f1.isEmpty() ? "" : one.f1.get(0).getId());
    }
    return ids;
  }

  private List<String> statuses() {
    List<String> statuses = new ArrayList<>();
    if (harness.getSideOutput(Records.STATUSES) != null) {
      for (StreamRecord<ControlStatus> one : harness.getSideOutput(Records.STATUSES)) {
        ControlStatus status = one.getValue();
        statuses.add(status.getCommand() + " " + status.getState() + " " + status.getMessage());
      }
    }
    return statuses;
  }

  @Test
  void aGoodCommandIsPassedOnInTheRoundOfTheTask() throws Exception {
    open(null);
    send(good("a"));
    assertThat(passed()).containsExactly("", "a");
    assertThat(statuses()).containsExactly("a received ");
    assertThat(harness.extractOutputValues().stream().map(one -> one.f0).distinct()).hasSize(1);
    String round = harness.extractOutputValues().get(0).f0;
    close();
    open(null);
    assertThat(harness.extractOutputValues().get(0).f0).isNotEqualTo(round);
  }

  private static ControlCommand set(String id, BatchLimits limits) {
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("news")
        .setTime(Instant.EPOCH)
        .setSet(limits)
        .build();
  }

  @Test
  void limitsAreOfTheRangesOfTheJobFile() throws Exception {
    open(null);
    send(set("good", new BatchLimits(1, 1 << 30, 0L)));
    send(set("none", new BatchLimits(null, null, null)));
    send(set("records", new BatchLimits(0, null, null)));
    send(set("tokens", new BatchLimits(null, (1 << 30) + 1, null)));
    send(set("wait", new BatchLimits(5, null, -1L)));
    send(set("years", new BatchLimits(null, null, Long.MAX_VALUE)));
    ControlCommand both = set("both", new BatchLimits(1, null, null));
    both.setSwap(good("").getSwap());
    send(both);
    assertThat(passed()).containsExactly("", "good");
    assertThat(statuses()).hasSize(7).filteredOn(one -> one.contains(" refused ")).hasSize(6);
    assertThat(statuses().get(2))
        .isEqualTo(
            "records refused batch.max-records: expected a whole number from 1 to 1048576, found"
                + " \"0\"");
    assertThat(statuses().get(4)).contains("batch.max-wait: expected a duration", "found \"-1ms\"");
  }

  @Test
  void aCommandThatIsDeliveredAgainChangesNothingAlsoAfterARestore() throws Exception {
    open(null);
    send(good("a"));
    send(good("a"));
    OperatorSubtaskState state = harness.snapshot(1, 1);
    close();
    open(state);
    send(good("a"));
    send(good("b"));
    assertThat(passed()).containsExactly("", "b");
    assertThat(statuses()).containsExactly("b received ");
  }

  @Test
  void idsAreForgottenInTheirOrder() throws Exception {
    open(null);
    for (int i = 0; i <= ControlIntake.REMEMBERED; i++) {
      send(good("c" + i));
      new EndedCommands(master).add("c" + i);
    }
    int before = passed().size();
    send(good("c1"));
    assertThat(passed()).hasSize(before);
    send(good("c0"));
    assertThat(passed()).hasSize(before + 1);
  }

  /** They are in the state of all gatherers. */
  @Test
  void moreCommandsThanCanBeUnderWayAreRefused() throws Exception {
    open(null);
    for (int i = 0; i <= ControlIntake.MOST; i++) {
      send(good("c" + i));
    }
    assertThat(passed()).hasSize(1 + ControlIntake.MOST);
    assertThat(statuses().get(ControlIntake.MOST))
        .startsWith(
            "c" + ControlIntake.MOST + " refused 128 commands are under way; send it again");
    new EndedCommands(master).add("c7");
    send(good("again"));
    send(good("too soon"));
    assertThat(passed()).endsWith("again").hasSize(2 + ControlIntake.MOST);
    byte[] followed = RecordCodec.of(ControlCommand.class).encode(good("followed"));
    harness.processElement(Tuple2.of(ControlIntake.FOLLOWED, followed), 0);
    assertThat(passed()).endsWith("followed"); // nobody would send it again
  }

  @Test
  void commandsOfOtherJobsAreIgnored() throws Exception {
    open(null);
    ControlCommand other = good("a");
    other.setJob("sports");
    send(other);
    assertThat(passed()).containsExactly("");
    assertThat(statuses()).isEmpty();
  }

  @Test
  void whatNoJobLikeThisCanDoIsRefused() throws Exception {
    open(null);
    send("swap!".getBytes(StandardCharsets.UTF_8));
    send(new byte[0]);
    send(ControlCommand.newBuilder().setId("none").setJob("news").setTime(Instant.EPOCH).build());
    send(good(""));
    send(good("x".repeat(201)));
    ControlCommand unknown = good("stage");
    unknown.getSwap().setStage("translate");
    send(unknown);
    send(swap("kind", "file:/m.lmx", "translation-model", SHA256));
    send(swap("sha", "file:/m.llm", "language-model", "abc"));
    send(swap("uri", "file:/m m.llm", "language-model", SHA256));
    send(swap("relative", "m.llm", "language-model", SHA256));
    send(swap("user", "https://me:secret@host/m.llm", "language-model", SHA256));
    assertThat(passed()).containsExactly("");
    assertThat(statuses())
        .hasSize(11)
        .allMatch(status -> status.contains(" refused "))
        .noneMatch(status -> status.contains("secret"));
    assertThat(statuses().get(0)).contains("control, partition 0, offset 7: not a command");
    assertThat(statuses().get(5))
        .contains("the job has no stage translate that can be swapped; it has ")
        .contains("score", "translate.glossary");
    assertThat(statuses().get(6)).contains("expects an index of kind language-model, found tra");
    assertThat(statuses().get(10)).contains("https://host/m.llm has a user name");
    for (StreamRecord<ControlStatus> one : harness.getSideOutput(Records.STATUSES)) {
      assertThat(one.getValue().getReference()).isNull();
    }
  }

  private static Correction correction(String id) {
    return new Correction(id, Instant.EPOCH, "das haus", "the house", null);
  }

  private static ControlCommand append(String id, String stage, List<Correction> pairs) {
    return ControlCommand.newBuilder()
        .setId(id)
        .setJob("news")
        .setTime(Instant.EPOCH)
        .setAppendTo(stage)
        .setAppend(pairs)
        .build();
  }

  @Test
  void pairsArePassedToAStageThatLearns() throws Exception {
    open(null);
    send(append("a", "phrases", List.of(correction("c1"), correction("c2"))));
    send(append("a", "phrases", List.of(correction("c3")))); // delivered again
    assertThat(passed()).containsExactly("", "a");
    assertThat(statuses()).containsExactly("a received ");
    assertThat(harness.getSideOutput(Records.STATUSES).peek().getValue().getStage())
        .isEqualTo("phrases");
  }

  @Test
  void onlyTermsArePassedToAGlossary() throws Exception {
    open(null);
    List<Correction> terms = new ArrayList<>();
    for (String target : List.of("Aufzug|Fahrstuhl", "-", "Lift\tyes\tgiven")) {
      terms.add(new Correction("t" + terms.size(), Instant.EPOCH, "lift|lifts", target, null));
    }
    send(append("good", "translate.glossary", terms));
    Map<String, Correction> bad = new LinkedHashMap<>();
    bad.put("empty", new Correction("t", Instant.EPOCH, "lift|", "Aufzug", null));
    bad.put("rule", new Correction("t", Instant.EPOCH, "lift", "Aufzug\t\tsome", null));
    bad.put("columns", new Correction("t", Instant.EPOCH, "lift", "a\t\t\tb", null));
    bad.put("long", new Correction("t", Instant.EPOCH, "a ".repeat(40), "b", null));
    for (Map.Entry<String, Correction> one : bad.entrySet()) {
      send(append(one.getKey(), "translate.glossary", List.of(terms.get(0), one.getValue())));
    }
    assertThat(passed()).containsExactly("", "good");
    assertThat(statuses()).hasSize(5).first().isEqualTo("good received ");
    assertThat(statuses().subList(1, 5))
        .satisfiesExactly(
            empty ->
                assertThat(empty).isEqualTo("empty refused correction t: a source form is empty"),
            rule ->
                assertThat(rule)
                    .isEqualTo(
                        "rule refused correction t: rule must be given or any, found \"some\""),
            columns -> assertThat(columns).contains("found 4 columns"),
            words -> assertThat(words).contains("1 to 32 words, found 40"));
  }

  /** They are many, and would take the place of the ids of others. */
  @Test
  void theIdsOfTheJobsOwnCommandsAreNotRemembered() throws Exception {
    open(null);
    send(good("first"));
    byte[] own =
        RecordCodec.of(ControlCommand.class)
            .encode(append("own", "phrases", List.of(correction("c"))));
    for (int i = 0; i <= ControlIntake.REMEMBERED; i++) {
      harness.processElement(Tuple2.of(ControlIntake.OWN, own), 0);
    }
    int before = passed().size();
    assertThat(before).isEqualTo(ControlIntake.REMEMBERED + 3);
    send(good("first"));
    assertThat(passed()).hasSize(before);
  }

  @Test
  void pairsThatNoStageCanLearnAreRefused() throws Exception {
    open(null);
    send(append("stage", "score", List.of(correction("c"))));
    send(append("none", "phrases", List.of()));
    send(append("many", "phrases", Collections.nCopies(257, correction("c"))));
    Correction empty = correction("empty");
    empty.setTarget(" ");
    send(append("bad", "phrases", List.of(correction("c"), empty)));
    Correction repeated = correction("repeated");
    repeated.setAlignment(Collections.nCopies(3, new WordLink(0, 0)));
    send(append("links", "phrases", List.of(repeated)));
    ControlCommand both = append("both", "phrases", List.of(correction("c")));
    both.setSwap(good("x").getSwap());
    send(both);
    ControlCommand covers = append("covers", "phrases", List.of(correction("c")));
    covers.setCovers(3);
    send(covers);
    ControlCommand negative = good("negative");
    negative.setCovers(-1);
    send(negative);
    ControlCommand three = append("three", "phrases", List.of(correction("c")));
    three.setSwap(good("x").getSwap());
    three.setSet(new BatchLimits(1, null, null));
    send(three);
    ControlCommand learned = good("learned");
    learned.getSwap().setLearnedTo(7L);
    send(learned);
    Correction slow =
        new Correction("c", Instant.EPOCH, "das ".repeat(1_000), "the ".repeat(1_000), null);
    send(append("slow", "phrases", Collections.nCopies(5, slow)));
    assertThat(passed()).containsExactly("");
    assertThat(statuses())
        .containsExactly(
            "stage refused the job has no stage score that learns; control.learn has"
                + " phrases, translate.glossary",
            "none refused a command appends 1 to 256 pairs, found 0",
            "many refused a command appends 1 to 256 pairs, found 257",
            "bad refused correction empty: the target sentence has no words",
            "links refused correction repeated: the alignment is wrong: it has point 0-0 more than"
                + " once",
            "both refused the command has swap and append; send a command for each",
            "covers refused the command has covers, which belongs to a swap, but no swap",
            "negative refused covers is the number of learned pairs or terms that the index of a"
                + " swap has in it, 0 or more, found -1",
            "three refused the command has swap and set and append; send a command for each",
            "learned refused the swap has learnedFrom or learnedTo, which are for records; covers"
                + " says which learned pairs or terms the new index has in it",
            "slow refused it would take too long to align the pairs: a command appends pairs without"
                + " alignment with at most 4194304 cells, source words times target words, found"
                + " 5000000; send fewer at a time");
  }
}
