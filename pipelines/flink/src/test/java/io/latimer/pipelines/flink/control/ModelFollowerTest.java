package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.job.ControlConfig;
import io.latimer.schemas.ControlCommand;
import io.latimer.schemas.PublishedModel;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.StageIndexVersion;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ModelFollowerTest {
  private static final IndexRef SEED =
      new IndexRef("language-model", URI.create("file:/seed"), sha256("seed"), "");
  private static final RecordCodec<PublishedModel> MODELS = RecordCodec.of(PublishedModel.class);
  private static final RecordCodec<ControlCommand> COMMANDS = RecordCodec.of(ControlCommand.class);

  private OneInputStreamOperatorTestHarness<Tuple2<String, byte[]>, Tuple2<String, byte[]>> harness;
  private long now = 1;

  private void open(OperatorSubtaskState state, String feed, boolean running) throws Exception {
    ControlConfig.Follow follow = new ControlConfig.Follow("score", "models", feed, running);
    harness =
        new OneInputStreamOperatorTestHarness<>(
            new ModelFollower("news", follow, SEED, Duration.ofDays(1)));
    harness.setup(ControlReader.TYPE.createSerializer(new SerializerConfigImpl()));
    if (state != null) {
      harness.initializeState(state);
    }
    harness.open();
    harness.setProcessingTime(now);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private static String sha256(String name) {
    return String.format("%064x", name.hashCode());
  }

  private static PublishedModel.Builder model(String name, long end) {
    return PublishedModel.newBuilder()
        .setJob("any")
        .setStage("estimate")
        .setRunning(false)
        .setStart(Instant.ofEpochSecond(end - 1))
        .setEnd(Instant.ofEpochSecond(end))
        .setSentences(1)
        .setWords(1)
        .setOrder(3)
        .setKind("language-model")
        .setUri("file:/models/" + name)
        .setSha256(sha256(name))
        .setVersion(name);
  }

  private void send(PublishedModel.Builder model) throws Exception {
    send(MODELS.encode(model.build()));
  }

  private void send(byte[] value) throws Exception {
    harness.processElement(Tuple2.of("models, partition 0, offset 7", value), 0);
  }

  private void pause() throws Exception {
    now += ModelFollower.WAIT_MILLIS;
    harness.setProcessingTime(now);
  }

  private List<ControlCommand> commands() throws Exception {
    List<ControlCommand> commands = new ArrayList<>();
    for (Tuple2<String, byte[]> one : harness.extractOutputValues()) {
      commands.add(COMMANDS.decode(one.f1));
    }
    return commands;
  }

  private List<String> used() throws Exception {
    return commands().stream().map(one -> one.getSwap().getReference().getVersion()).toList();
  }

  @Test
  void aModelBecomesASwap() throws Exception {
    open(null, "", false);
    send(model("a", 10));
    assertThat(commands()).isEmpty();
    pause();
    ControlCommand command = commands().get(0);
    assertThat(command.getJob()).isEqualTo("news");
    assertThat(command.getId()).startsWith("follow score 1970-01-01T00:00:10Z 0 ");
    StageIndexVersion swap = command.getSwap();
    assertThat(swap.getStage()).isEqualTo("score");
    assertThat(swap.getReference().getKind()).isEqualTo("language-model");
    assertThat(swap.getReference().getUri()).isEqualTo("file:/models/a");
    assertThat(swap.getReference().getSha256()).isEqualTo(sha256("a"));
    assertThat(harness.extractOutputValues().get(0).f0).isEqualTo(ControlIntake.FOLLOWED);
  }

  @Test
  void theNewestOfThoseThatComeTogetherIsUsed() throws Exception {
    open(null, "", false);
    send(model("a", 10));
    send(model("c", 30));
    send(model("b", 20));
    pause();
    send(model("late", 20).setRevision(5));
    pause();
    send(model("revised", 30).setRevision(1));
    pause();
    assertThat(used()).containsExactly("c", "revised");
  }

  @Test
  void modelsThatDoNotFitAreIgnored() throws Exception {
    open(null, "", false);
    send(model("feed", 10).setFeed("sports"));
    send(model("running", 10).setRunning(true));
    send(model("none", 10).setUri("").setKind("").setSha256("").setProblem("too little text"));
    send("no model".getBytes(StandardCharsets.UTF_8));
    send(new byte[0]);
    send(model("seed", 10)); // that of the job file
    pause();
    assertThat(used()).isEmpty();
    send(model("a", 20));
    pause();
    send(model("seed", 40));
    pause();
    assertThat(used()).containsExactly("a", "seed");
  }

  /** The swap to the same content may have been refused, or another swap may have come between. */
  @Test
  void aModelWithTheContentOfTheLastOneIsSentUnderAnIdOfItsOwn() throws Exception {
    open(null, "", false);
    send(model("a", 20));
    pause();
    send(model("a", 30));
    pause();
    assertThat(used()).containsExactly("a", "a");
    assertThat(commands().get(0).getId()).isNotEqualTo(commands().get(1).getId());
  }

  /** Each would be the newest, and keep the others from being used. */
  @Test
  void modelsThatCannotBeUsedDoNotSilenceTheTopic() throws Exception {
    open(null, "", false);
    send(model("future", Duration.ofDays(2).toSeconds()));
    send(model("kind", 30).setKind("translation-model"));
    send(model("uri", 30).setUri("no uri"));
    send(model("relative", 30).setUri("models/relative"));
    send(model("user", 30).setUri("https://me:secret@host/m"));
    send(model("sha256", 30).setSha256("abc"));
    pause();
    send(model("a", 20));
    pause();
    send(model("ahead", Duration.ofHours(23).toSeconds()));
    pause();
    assertThat(used()).containsExactly("a", "ahead");
  }

  @Test
  void aModelOfTheFutureInTheStateIsForgotten() throws Exception {
    now = Duration.ofDays(100).toMillis();
    open(null, "", false);
    send(model("future", Duration.ofDays(100).toSeconds()));
    pause();
    OperatorSubtaskState state = harness.snapshot(1, 1);
    close();
    now = 1;
    open(state, "", false);
    send(model("a", 20));
    pause();
    assertThat(used()).containsExactly("a");
  }

  /** The stage does not have it: another one was sent before. */
  @Test
  void theModelOfTheJobFileIsSentAfterAFailureIfAnotherOneWasSentBefore() throws Exception {
    open(null, "", false);
    send(model("a", 10));
    pause();
    send(model("seed", 20));
    OperatorSubtaskState state = harness.snapshot(1, 1);
    close();
    open(state, "", false);
    pause();
    assertThat(used()).containsExactly("seed");
  }

  @Test
  void runningModelsOfAFeedAreFollowedIfTheJobFileSaysSo() throws Exception {
    open(null, "sports", true);
    send(model("window", 10).setFeed("sports"));
    send(model("all", 10).setRunning(true));
    send(model("a", 10).setFeed("sports").setRunning(true));
    pause();
    assertThat(used()).containsExactly("a");
  }

  /** The same command again: it is carried out once. */
  @Test
  void aRestoredOneGoesOnWithTheNewest() throws Exception {
    open(null, "", false);
    send(model("b", 20));
    OperatorSubtaskState state = harness.snapshot(1, 1);
    pause();
    String id = commands().get(0).getId();
    close();
    open(state, "", false);
    send(model("a", 10));
    pause();
    assertThat(commands()).singleElement().satisfies(one -> assertThat(one.getId()).isEqualTo(id));
  }

  @Test
  void theEndOfTheModelsDoesNotLoseOne() throws Exception {
    open(null, "", false);
    send(model("a", 10));
    harness.endInput();
    assertThat(used()).containsExactly("a");
  }
}
