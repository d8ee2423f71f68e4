package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FeatureWeightsTest {
  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("weights.yaml"), text);
  }

  @Test
  void aFileGivesBackTheWeightsThatWereWritten() throws IOException {
    Random random = new Random(3);
    double[] weights = random.doubles(Feature.COUNT, -1e3, 1e3).toArray();
    weights[0] = Double.MIN_VALUE;
    FeatureWeights written = FeatureWeights.of(weights);
    assertThat(FeatureWeights.read(file(written.toYaml()))).isEqualTo(written);
    assertThat(written.toYaml()).startsWith("language-model: 4.9E-324\ntranslation: ");
  }

  @Test
  void featuresThatAFileDoesNotNameHaveTheirDefaults() throws IOException {
    assertThat(FeatureWeights.read(file("# tuned\nwords: -2\n")))
        .isEqualTo(FeatureWeights.DEFAULT.with(Feature.WORDS, -2));
    assertThat(FeatureWeights.read(file(""))).isEqualTo(FeatureWeights.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'lanuage-model: 1'|line 1: \"lanuage-model\" is no feature; did you mean"
            + " \"language-model\"?",
        "'words: 1\\ncolour: 1'|line 2: \"colour\" is no feature; the features are"
            + " language-model, translation,",
        "'words: 1\\nwords: 2'|line 2: words has a weight already; remove one",
        "'words: many'|line 1: the weight of words must be a finite number, found many",
        "'words: .inf'|line 1: the weight of words must be a finite number, found .inf",
        "'words: NaN'|line 1: the weight of words must be a finite number, found NaN",
        "'words: [1]'|line 1: the weight of words must be a finite number, found a list or a mapping",
        "'[words]'|line 1: expected a mapping of features to weights",
        "'{[a]: 1}'|line 1: expected the name of a feature",
        "'words: \"1'|line 1: not YAML: ",
      })
  void whatIsWrongIsSaidWithItsLine(String text, String message) throws IOException {
    Path file = file(text.replace("\\n", "\n"));
    assertThatThrownBy(() -> FeatureWeights.read(file))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith(file + ", " + message);
  }

  @Test
  void aFileThatCannotBeReadIsNamed() throws IOException {
    Path missing = folder.resolve("missing.yaml");
    assertThatThrownBy(() -> FeatureWeights.read(missing))
        .isInstanceOf(OperatorException.class)
        .hasMessage("the feature weights " + missing + " cannot be read: no such file");
    Path large = file("#".repeat(1 << 17));
    assertThatThrownBy(() -> FeatureWeights.read(large))
        .isInstanceOf(OperatorException.class)
        .hasMessageContaining("is this a file of feature weights?");
  }
}
