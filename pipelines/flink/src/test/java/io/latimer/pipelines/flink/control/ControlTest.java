package io.latimer.pipelines.flink.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.ControlConfig;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a job does for its commands. */
class ControlTest {
  @TempDir Path folder;

  private JobConfig job(String source) throws IOException {
    String yaml =
        """
        name: learning
        source: {%s}
        stages:
          - phrases: {index: phrases.lpx}
        sinks:
          - print: {}
        control:
          bootstrap-servers: "localhost:9092"
          topic: commands
          learn:
            - {stage: phrases, max-pairs: 7, compact: {pairs: 5, directory: indexes}}
        """
            .formatted(source);
    return JobConfigReader.read(yaml, "job.yaml", folder);
  }

  @Test
  void aJobWithoutEndWritesLearnedPairsToNewIndexFiles() throws Exception {
    JobConfig job = job("socket: {host: localhost, port: 9999}");
    assertThat(Control.learn(job)).isEqualTo(job.control().learn());
    assertThat(Control.learn(job).get(0).isCompacted()).isTrue();
  }

  /** It would wait for a swap that it does not read. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "files: {path: text}",
        "kafka: {bootstrap-servers: 'localhost:9092', topics: [text], bounded: true}"
      })
  void aJobWithAnEndWritesNone(String source) throws Exception {
    ControlConfig.Learn learn = Control.learn(job(source)).get(0);
    assertThat(learn.isCompacted()).isFalse();
    assertThat(learn.maxPairs()).isEqualTo(7);
  }
}
