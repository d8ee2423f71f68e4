package io.latimer.pipelines.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.index.ResidentIndexes;
import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.pipelines.index.IndexFiles;
import io.latimer.pipelines.job.StageOptions;
import io.latimer.pipelines.record.Records;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedConfigTest {
  @TempDir Path folder;

  private SharedConfig byPhrases() {
    Map<String, String> options =
        Map.of(
            "phrases", "index.lpx",
            "language-model", "model.llm",
            "weights", "weights.yaml",
            "device", "cpu");
    return SharedConfig.of(
        StageOptions.read("translate", options, "test", folder), IndexFiles.none());
  }

  private static double score(StageClient client) throws Exception {
    var result = client.submit(Records.envelope(0, "the house"));
    client.flush();
    return result.get().getTranslation().getScore();
  }

  /** The settings have only the path of the weights. */
  @Test
  void aChangedFileOfWeightsIsAnotherConfiguration() throws Exception {
    ParallelText.of("the house ||| das haus ||| 0-0 1-1").index(folder, "index.lpx");
    LanguageModels.estimate(List.of("das haus"), folder.resolve("model.llm"));
    Path weights = Files.writeString(folder.resolve("weights.yaml"), "language-model: 0.5\n");
    SharedConfig before = byPhrases();
    SharedConfig same = byPhrases();
    Files.writeString(weights, "language-model: 0.125\n");
    SharedConfig after = byPhrases();

    SharedStages register = new SharedStages(new ResidentIndexes(), List::of);
    try (StageClient first = register.open(before, ClientMetrics.NONE);
        StageClient second = register.open(same, ClientMetrics.NONE)) {
      assertThat(register.size()).isEqualTo(1);
      try (StageClient third = register.open(after, ClientMetrics.NONE)) {
        assertThat(register.size()).isEqualTo(2);
        assertThat(score(second)).isEqualTo(score(first));
        assertThat(score(third)).isNotEqualTo(score(first));
      }
    }
  }
}
