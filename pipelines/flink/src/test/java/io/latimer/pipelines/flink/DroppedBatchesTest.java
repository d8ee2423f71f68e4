package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.client.program.ProgramAbortException;
import org.apache.flink.client.program.StreamPlanEnvironment;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DroppedBatchesTest {
  @TempDir Path folder;

  private static JobConfig job(String stage, String more) {
    return JobConfigReader.read(
        "name: news\nsource: {kafka: {topics: in}}\nstages: [identity: {name: "
            + stage
            + "}]\n"
            + more,
        "job.yaml",
        Path.of("/"));
  }

  /** A checkpoint with batches in flight in a stage of two subtasks. */
  private Path checkpoint(String stage, int... batches) throws IOException {
    return SavedStates.write(
        folder.resolve("news/00112233445566778899aabbccddeeff/chk-5"),
        "stage-" + stage,
        "_async_wait_operator_state_",
        batches);
  }

  private static void build(JobConfig config, Path state) {
    build(config, state, true);
  }

  /** Whether the state that the job does not have may stay behind. */
  private static boolean build(JobConfig config, Path state, boolean ignoreUnclaimed) {
    return build(config, state.toUri().toString(), ignoreUnclaimed);
  }

  private static boolean build(JobConfig config, String state, boolean ignoreUnclaimed) {
    Configuration settings =
        Configuration.fromMap(
            Map.of(
                "execution.state-recovery.path",
                state,
                "execution.state-recovery.ignore-unclaimed-state",
                Boolean.toString(ignoreUnclaimed)));
    StreamExecutionEnvironment env = new StreamExecutionEnvironment(settings);
    TranslationJob.build(env, config);
    return env.getConfiguration().get(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE);
  }

  @Test
  void batchesInFlightAreCountedByOperator() throws IOException {
    SavedState state = SavedState.read(checkpoint("old", 2, 1).toString());
    assertThat(state.id()).isEqualTo(5);
    assertThat(state.batchesInFlight()).containsExactly(Map.entry("stage-old", 3));
    assertThat(state.operators()).containsExactly("stage-old");
    assertThat(state.missingFiles()).isEmpty();
  }

  @Test
  void aRenamedStageMustNotDropItsBatches() throws IOException {
    Path checkpoint = checkpoint("old", 2, 1);
    assertThatThrownBy(() -> build(job("new", ""), checkpoint))
        .hasMessageContaining(
            "has 3 batches and watermarks in flight of stage-old, which the job no longer has")
        .hasMessageContaining(checkpoint.toString());
    build(job("old", ""), checkpoint);
  }

  @Test
  void aRenamedStageWithoutBatchesMayGo() throws IOException {
    build(job("new", ""), checkpoint("old", 0, 0));
  }

  /** Two stages, which share batches unless told not to. */
  private static JobConfig twoStages(String second, String more) {
    return job("first}, identity: {name: " + second, more);
  }

  @Test
  void batchesOfAStageThatIsInAGroupNowMustNotBeDropped() throws IOException {
    Path checkpoint = checkpoint("second", 2, 1);
    assertThatThrownBy(() -> build(twoStages("second", ""), checkpoint))
        .hasMessageContaining("has 3 batches and watermarks in flight of stage-second, which now")
        .hasMessageContaining("Start the job with batch.group: false");
    build(twoStages("second", "batch: {group: false}\n"), checkpoint);
  }

  @Test
  void theOtherStateOfAStageThatIsInAGroupNowMayStayBehind() throws IOException {
    Path checkpoint = checkpoint("second", 0);
    assertThat(build(twoStages("second", ""), checkpoint, false)).isTrue();
    assertThat(build(twoStages("second", "batch: {group: false}\n"), checkpoint, false)).isFalse();
    assertThat(build(twoStages("other", ""), checkpoint, false))
        .as("a stage that the job does not have")
        .isFalse();
  }

  @Test
  void aSubmissionThatForgetsItsStateIsWarned() throws IOException {
    checkpoint("old", 1);
    String directory = "checkpoints: {directory: '" + folder + "'}\n";
    assertThat(warned(job("old", directory), Map.of()))
        .contains("job news starts from committed offsets without a state, but has checkpoints in")
        .contains("flink run -s PATH");
    assertThat(warned(job("old", directory), Map.of("execution.state-recovery.path", "/x")))
        .isEmpty();
    assertThat(warned(job("old", "checkpoints: {directory: '/nowhere'}\n"), Map.of())).isEmpty();
    assertThat(warned(job("old", directory), Map.of("high-availability.type", "kubernetes")))
        .as("the cluster finds the newest checkpoint itself")
        .isEmpty();
  }

  /** Flink asks for it before a submission, and for its own sake. */
  @Test
  void aPlanIsNoStart() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"),
            """
            name: news
            source: {kafka: {topics: in}}
            stages: [identity]
            checkpoints: {directory: saved}
            """);
    StreamPlanEnvironment plan =
        new StreamPlanEnvironment(new Configuration(), getClass().getClassLoader(), 1);
    plan.setAsContext();
    try {
      assertThatThrownBy(() -> TranslationJob.main(new String[] {file.toString()}))
          .isInstanceOf(ProgramAbortException.class);
    } finally {
      plan.unsetAsContext();
    }
    assertThat(folder.resolve("saved/news/_started-without-state")).doesNotExist();
  }

  /** The client that submits a job needs no plugin for the cluster's file system. */
  @Test
  void aFolderThatTheClientCannotReadIsNoErrorOfTheJob() {
    assertThat(warned(job("old", "checkpoints: {directory: 's3://bucket/state'}\n"), Map.of()))
        .isEmpty();
  }

  @Test
  void aFileSystemWithoutCredentialsHereIsNoErrorOfTheJob() throws IOException {
    build(job("old", "checkpoints: {directory: 'locked:///state'}\n"), checkpoint("old", 1));
    build(job("old", ""), "locked:///state/chk-1", false);
  }

  private static String warned(JobConfig config, Map<String, String> settings) {
    PrintStream before = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      TranslationJob.warnOfForgottenState(Configuration.fromMap(settings), config);
    } finally {
      System.setErr(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
