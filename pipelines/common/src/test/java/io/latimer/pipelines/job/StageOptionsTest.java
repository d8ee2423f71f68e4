package io.latimer.pipelines.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.batch.BatchPolicy;
import io.latimer.pipelines.batch.MicroBatcher;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.config.ConfigTypes;
import io.latimer.pipelines.stages.TranslateStage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StageOptionsTest {
  private static final Path BASE = Path.of("/base");

  private static StageOptions read(String kind, String... options) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < options.length; i += 2) {
      map.put(options[i], options[i + 1]);
    }
    return StageOptions.read(kind, map, "model m", BASE);
  }

  @Test
  void omittedOptionsHaveTheDefaultsOfAJobFile() {
    StageOptions read = read("translate", "model", "en-de.lmx");
    assertThat(read.stage().settings().get(TranslateStage.MODEL)).isEqualTo("/base/en-de.lmx");
    assertThat(read.stage().name()).isEqualTo("translate");
    assertThat(read.batches().limits()).isEqualTo(new MicroBatcher.Limits(64, 4096, 20));
    assertThat(read.timeout()).isEqualTo(Duration.ofMinutes(5));
    assertThat(read.maxPending()).isEqualTo(1 << 14);
    assertThat(read.batches()).isEqualTo(BatchPolicy.of(read.batches().limits()));
  }

  @Test
  void optionsAreThoseOfTheStageAndOfItsBatches() {
    StageOptions read =
        read(
            "score",
            "model",
            "a b: 'c' \"d\" \\ #.llm",
            "device",
            "gpu:1",
            "batch.max-records",
            "7",
            "batch.max-wait",
            "3s",
            "batch.timeout",
            "0",
            "batch.max-pending",
            "9",
            "indexes.max-size",
            "2GiB");
    assertThat(read.stage().settings().toYaml())
        .containsEntry("model", "/base/a b: 'c' \"d\" \\ #.llm")
        .containsEntry("device", "gpu:1");
    assertThat(read.batches().limits()).isEqualTo(new MicroBatcher.Limits(7, 4096, 3_000));
    assertThat(read.timeout()).isZero();
    assertThat(read.maxPending()).isEqualTo(9);
    assertThat(read.indexes().maxBytes()).isEqualTo(2L << 30);
  }

  @Test
  void batchesHaveALeastSizeAndBucketsOfLengths() {
    BatchPolicy batches =
        read(
                "score",
                "model",
                "m",
                "batch.max-records",
                "9",
                "batch.min-records",
                "3",
                "batch.length-buckets",
                "8, 16,32")
            .batches();
    assertThat(batches.minRecords()).isEqualTo(3);
    assertThat(batches.lengthBuckets()).containsExactly(8, 16, 32);
    assertThat(batches.bucket(1)).isZero();
    assertThat(batches.bucket(8)).isZero();
    assertThat(batches.bucket(9)).isEqualTo(1);
    assertThat(batches.bucket(32)).isEqualTo(2);
    assertThat(batches.bucket(33)).isEqualTo(3);
    assertThat(read("score", "model", "m", "batch.max-records", "9").batches().minRecords())
        .isEqualTo(9);
  }

  @Test
  void batchesThatCannotBeFormedAreRefused() {
    assertThatThrownBy(() -> read("score", "model", "m", "batch.min-records", "65"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("batch.min-records: 65 is more than batch.max-records, 64; lower it");
    assertThatThrownBy(() -> read("score", "model", "m", "batch.length-buckets", "16,8"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("batch.length-buckets: expected ascending numbers of tokens");
    assertThatThrownBy(() -> read("score", "model", "m", "batch.length-buckets", "short"))
        .hasMessageContaining(
            "batch.length-buckets: expected numbers of tokens separated by commas, such as 16,64");
  }

  @Test
  void callersAddKeys() {
    ConfigKey<Integer> mine = ConfigKey.of("mine", ConfigTypes.integer(1, 9), 3, "A key.");
    Map<String, String> options = new LinkedHashMap<>(Map.of("model", "m", "mine", "4"));
    assertThat(StageOptions.read("score", options, "m", BASE, mine).others().get(mine))
        .isEqualTo(4);
    options.remove("mine");
    assertThat(StageOptions.read("score", options, "m", BASE, mine).others().get(mine))
        .isEqualTo(3);
    options.put("mien", "4");
    assertThatThrownBy(() -> StageOptions.read("score", options, "m", BASE, mine))
        .hasMessageContaining("did you mean \"mine\"?");
  }

  @Test
  void settingsWithTheSameValuesAreEqual() {
    assertThat(read("translate", "model", "m", "beam", "5").stage().settings())
        .isEqualTo(read("translate", "beam", "5", "model", "/base/m").stage().settings());
  }

  @Test
  void problemsNameTheirOptions() {
    assertThatThrownBy(
            () -> read("translate", "modle", "m", "beam", "many", "batch.max-recrods", "1"))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("model m: 3 problems")
        .hasMessageContaining("modle: \"modle\" is not a valid name here; did you mean \"model\"?")
        .hasMessageContaining("beam: expected a whole number from 0 to 64, found \"many\"")
        .hasMessageContaining("batch.max-recrods: \"max-recrods\" is not a valid name");
    assertThatThrownBy(() -> read("score", "modle", "m"))
        .hasMessageContaining("model: required: expected a path or a URI");
  }

  @Test
  void optionsThatDoNotGoTogetherAreRefused() {
    assertThatThrownBy(() -> read("translate", "model", "m", "nbest", "70"))
        .hasMessage("model m, nbest: expected a whole number from 1 to 64, found \"70\"");
    assertThatThrownBy(() -> read("translate", "model", "https://host/m.lmx"))
        .hasMessageContaining("needs sha256");
    assertThatThrownBy(() -> read("score", "model", "m", "of", "alternatives"))
        .hasMessageContaining("reads alternatives");
    assertThatThrownBy(() -> read("translate", "model", "m", "batch", "1"))
        .hasMessageContaining("batch: expected a mapping");
    assertThatThrownBy(() -> read("translate", "model", "m", "model.x", "1"))
        .hasMessageContaining("model.x");
  }
}
