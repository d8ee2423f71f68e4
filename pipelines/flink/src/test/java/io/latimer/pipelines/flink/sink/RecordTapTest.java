package io.latimer.pipelines.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.flink.Cluster;
import io.latimer.pipelines.flink.Jobs;
import io.latimer.pipelines.flink.TranslationJob;
import io.latimer.pipelines.flink.state.SavedState;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.Envelope;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RecordTapTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  private final BlockingQueue<Envelope> seen = new LinkedBlockingQueue<>();
  private Path in;
  private JobConfig config;

  @BeforeEach
  void layOut() throws Exception {
    in = Files.createDirectory(folder.resolve("in"));
    config = Jobs.job(Jobs.from(in, "50ms"), Jobs.text(folder.resolve("out")), "print: {}");
  }

  private void add(String name, byte[] content) throws Exception {
    Files.write(folder.resolve(name), content);
    Files.move(folder.resolve(name), in.resolve(name));
  }

  private Envelope next() throws InterruptedException {
    Envelope envelope = seen.poll(60, TimeUnit.SECONDS);
    assertThat(envelope).isNotNull();
    return envelope;
  }

  @Test
  void itsConsumerSeesRecordsAndDeadLettersUntilItIsClosed() throws Exception {
    StreamExecutionEnvironment env = CLUSTER.environment();
    JobClient job;
    try (RecordTap tap = RecordTap.open(seen::add)) {
      TranslationJob.build(env, config, tap);
      job = env.executeAsync();
      add("one.txt", "hello\n".getBytes(StandardCharsets.UTF_8));
      assertThat(next().getTranslation().getText()).isEqualTo("hello");
      add("two.txt", new byte[] {(byte) 0xff, '\n'});
      assertThat(next().getFailure().getStage()).isEqualTo("read");
    }
    add("three.txt", "unseen\n".getBytes(StandardCharsets.UTF_8));
    while (Jobs.lines(folder.resolve("out")).size() < 2) { // the job goes on without it
      TimeUnit.MILLISECONDS.sleep(50);
    }
    job.cancel().get();
    assertThat(seen).isEmpty();
  }

  @Test
  void itHasNoPartInTheState() throws Exception {
    StreamExecutionEnvironment env = CLUSTER.environment();
    String savepoint;
    try (RecordTap tap = RecordTap.open(seen::add)) {
      TranslationJob.build(env, config, tap);
      JobClient job = env.executeAsync();
      add("one.txt", "hello\n".getBytes(StandardCharsets.UTF_8));
      next();
      savepoint =
          job.stopWithSavepoint(false, folder.toUri().toString(), SavepointFormatType.CANONICAL)
              .get();
    }
    assertThat(SavedState.read(savepoint).operators())
        .contains("source")
        .noneMatch(uid -> uid.startsWith("tap"));
    JobClient restored = CLUSTER.restore(savepoint, config);
    CLUSTER.awaitRunning(restored.getJobID());
    restored.cancel().get();
  }
}
