package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Devices;
import io.latimer.operators.grammar.GrammarFiles;
import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.testing.TestDevices;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several GPUs in one task manager; skipped without. */
@Timeout(240)
class SeveralGpusTest {
  private static final int SUBTASKS = 4;

  @TempDir Path folder;

  @BeforeEach
  void requireTwo() {
    TestDevices.gpu();
    int shown = Devices.shown().size();
    Assumptions.assumeTrue(shown > 1, "skipped: the driver shows one GPU only");
  }

  @Test
  void subtasksAreSpreadOverThemWithOneCopyOfTheIndexOnEach() throws Exception {
    try (Flow flow = Flow.between(folder, SUBTASKS, 1)) {
      Path grammar = GrammarFiles.index(folder, "grammar", "start S", "v S", "t S rain");
      String stage = "grammar-check: {grammar: \"" + grammar + "\", device: gpu}";
      JobID job = flow.start(flow.job(stage, SUBTASKS));
      List<String> sentences = Flow.feed();
      flow.send(SUBTASKS, sentences);

      assertThat(flow.await("out", sentences.size())).hasSize(sentences.size());

      assertThat(flow.values(job, "^grammar-check$", "gpu")).containsExactly(0L, 0L, 1L, 1L);
      assertThat(ResidentIndexes.process().size()).isEqualTo(2);
      flow.stop(job);
      Received.assertExactlyOnce(sentences, flow.readAll("out"));
      assertThat(ResidentIndexes.process().size()).isZero();
    }
  }
}
