package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.IndexRef;
import io.latimer.pipelines.flink.state.IndexState;
import io.latimer.schemas.IndexReference;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.formats.avro.typeutils.AvroTypeInfo;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A job from a savepoint whose index references were union state. */
@Timeout(120)
class UnionStateTest {
  private static final IndexRef MODEL =
      new IndexRef("translation-model", URI.create("file:/models/m.lmx"), "a".repeat(64), "1");

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  private static CountDownLatch goOn;

  @TempDir Path folder;

  /** Flink takes none with union state, even if it is empty. */
  @Test
  void itTakesCheckpointsAfterASubtaskHasFinished() throws Exception {
    goOn = new CountDownLatch(1);
    String savepoint = savepointOfUnionState();
    // far more than the job reads until then, in one file for two subtasks
    List<String> lines = Jobs.numbered(50_000);
    Files.write(folder.resolve("in"), lines);
    String source = Jobs.from(folder.resolve("in"));
    JobClient job =
        restore(
            savepoint,
            source,
            new TestStage(
                "work", batch -> goOn.await(50, TimeUnit.MILLISECONDS), MODEL.sha256(), false));
    CLUSTER.awaitFinishedSubtask(job.getJobID());

    CLUSTER.checkpoint(job.getJobID());

    goOn.countDown();
    job.getJobExecutionResult().get();
    assertThat(Jobs.lines(folder.resolve("out"))).hasSameSizeAs(lines);
  }

  @Test
  void itsReferencesAreCompared() throws Exception {
    String savepoint = savepointOfUnionState();
    Files.writeString(folder.resolve("in"), "a line\n");
    String source = Jobs.from(folder.resolve("in"));
    String other = "b".repeat(64);

    JobClient job = restore(savepoint, source, new TestStage("work", batch -> {}, other, false));

    assertThat(CLUSTER.awaitFailure(job.getJobID(), 0))
        .hasStackTraceContaining("file:/models/m.lmx changed under the job")
        .hasStackTraceContaining("expected sha256 " + MODEL.sha256())
        .hasStackTraceContaining("found " + other);
  }

  private JobClient restore(String savepoint, String source, TestStage stage) throws Exception {
    StreamExecutionEnvironment env =
        CLUSTER.environment(
            Jobs.job(source, Jobs.text(folder.resolve("out")), Jobs.FAIL, 2), stage);
    env.configure(
        new Configuration()
            .set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint)
            .set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true));
    return env.executeAsync();
  }

  /** Of a job of two subtasks with nothing but that state, in the stage's operator. */
  private String savepointOfUnionState() throws Exception {
    StreamExecutionEnvironment env = CLUSTER.environment();
    env.setParallelism(2).setMaxParallelism(128);
    env.enableCheckpointing(Duration.ofMinutes(5).toMillis());
    env.fromSource(
            new DataGeneratorSource<>(
                number -> number, Long.MAX_VALUE, RateLimiterStrategy.perSecond(10), Types.LONG),
            WatermarkStrategy.noWatermarks(),
            "endless")
        .transform("old", Types.LONG, new UnionState())
        .uid("stage-work")
        .sinkTo(new DiscardingSink<>());
    JobClient job = env.executeAsync();
    CLUSTER.awaitRunning(job.getJobID());
    String savepoint =
        job.triggerSavepoint(
                folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
            .get();
    job.cancel().get();
    CLUSTER.awaitEnd(job.getJobID());
    return savepoint;
  }

  private static final class UnionState extends AbstractStreamOperator<Long>
      implements OneInputStreamOperator<Long, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      context
          .getOperatorStateStore()
          .getUnionListState(
              new ListStateDescriptor<>(
                  "index-references", new AvroTypeInfo<>(IndexReference.class)))
          .update(IndexState.toAvro(List.of(MODEL)));
    }

    @Override
    public void processElement(StreamRecord<Long> element) {}
  }
}
