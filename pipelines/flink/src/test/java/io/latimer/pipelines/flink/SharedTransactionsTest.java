package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.job.JobConfigReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A state with the writers of two subtasks, one of which has finished, in a job with another. */
class SharedTransactionsTest {
  @TempDir Path folder;

  @Test
  void aSinkThatWritesInTransactionsMustKeepItsParallelism() throws IOException {
    refuses("sink-kafka", kafka("exactly-once"), "");
    refuses("dead-letters", "print: {}", "dead-letters: {" + kafka("exactly-once") + "}\n");
    refuses(
        "tables-ngrams/kafka", "print: {}", "", "ngrams: {sinks: [" + kafka("exactly-once") + "]}");
  }

  @Test
  void aSinkThatAbortsNothingMayChangeIt() throws IOException {
    accepts("sink-kafka", kafka("at-least-once"));
    accepts("sink-files", "files: {path: out, format: text}");
  }

  @Test
  void aSinkThatIsNoLongerInTheJobIsNotAskedFor() throws IOException {
    accepts("sink-old", kafka("exactly-once"));
  }

  private void refuses(String sink, String sinks, String more, String... stages)
      throws IOException {
    assertThatThrownBy(() -> build(sink, sinks, more, stages))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("some subtasks of " + sink + " have finished")
        .hasMessageContaining("Set parallelism: 2");
  }

  private void accepts(String sink, String sinks) throws IOException {
    assertThatCode(() -> build(sink, sinks, "")).doesNotThrowAnyException();
  }

  private static String kafka(String delivery) {
    return "kafka: {bootstrap-servers: localhost, topic: out, delivery: " + delivery + "}";
  }

  private void build(String sink, String sinks, String more, String... stages) throws IOException {
    Path state = SavedStates.write(folder.resolve(sink), sink, "writer_raw_states", 1, 0);
    String yaml =
        "name: news\nsource: {kafka: {topics: in}}\nstages: [identity"
            + (stages.length == 0 ? "" : ", " + String.join(", ", stages))
            + "]\nsinks: ["
            + sinks
            + "]\nparallelism: 1\n"
            + more;
    TranslationJob.build(
        new StreamExecutionEnvironment(
            Configuration.fromMap(
                Map.of(StateRecoveryOptions.SAVEPOINT_PATH.key(), state.toUri().toString()))),
        JobConfigReader.read(yaml, "job.yaml", folder));
  }
}
