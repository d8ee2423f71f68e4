package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.quality.QualityModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
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
    assertThat(FeatureWeights.read(file("")))
        .isEqualTo(FeatureWeights.DEFAULT.judgedBy(Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'lanuage-model: 1'|line 1: \"lanuage-model\" is no feature; did you mean"
            + " \"language-model\"?",
        "'words: 1\\ncolour: 1'|line 2: \"colour\" is no feature; expected one of"
            + " language-model, translation,",
        "'words: 1\\nwords: 2'|line 2: words is there twice; remove one",
        "'words: many'|line 1: words must be a finite number, found many",
        "'words: .inf'|line 1: words must be a finite number, found .inf",
        "'words: NaN'|line 1: words must be a finite number, found NaN",
        "'words: [1]'|line 1: words must be a finite number, found a list or a mapping",
        "'[words]'|line 1: expected a mapping of features to weights",
        "'{[a]: 1}'|line 1: expected a name as key",
        "'words: \"1'|line 1: not YAML: ",
      })
  void whatIsWrongIsSaidWithItsLine(String text, String message) throws IOException {
    Path file = file(text.replace("\\n", "\n"));
    assertThatThrownBy(() -> FeatureWeights.read(file))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith(file + ", " + message);
  }

  private static final String SECTION =
      """
      quality:
        right-from: 50
        sentences: 1000
        bias: -0.5
        terms:
          length: {mean: 2.5, deviation: 0.3, weight: 0.1}
          unknown: {mean: 0.02, deviation: 0.04, weight: -0.4}
      """;

  @Test
  void aJudgeIsGivenBackAsItWasWritten() throws IOException {
    Random random = new Random(4);
    List<QualityModel.Term<PhraseQualityFeature>> terms = new ArrayList<>();
    for (PhraseQualityFeature feature : PhraseQualityFeature.values()) {
      terms.add(
          new QualityModel.Term<>(
              feature, random.nextGaussian(), random.nextDouble(), 1e9 * random.nextGaussian()));
      QualityModel<PhraseQualityFeature> judge =
          new QualityModel<>(100 * random.nextDouble(), 1_000_000, random.nextGaussian(), terms);
      FeatureWeights written = FeatureWeights.DEFAULT.judgedBy(Optional.of(judge));
      assertThat(FeatureWeights.read(file(written.toYaml()))).isEqualTo(written);
    }
    FeatureWeights bare =
        FeatureWeights.DEFAULT.judgedBy(Optional.of(new QualityModel<>(50, 20, 1, List.of())));
    assertThat(FeatureWeights.read(file(bare.toYaml()))).isEqualTo(bare);
    assertThat(FeatureWeights.read(file(FeatureWeights.DEFAULT.toYaml())))
        .isEqualTo(FeatureWeights.DEFAULT);
  }

  @Test
  void aSectionMayBeAnywhereAndItsAbsenceMeansNoJudge() throws IOException {
    FeatureWeights read = FeatureWeights.read(file(SECTION + "words: 3\n"));
    assertThat(read.of(Feature.WORDS)).isEqualTo(3);
    QualityModel<PhraseQualityFeature> judge = read.judge().orElseThrow();
    assertThat(judge.bias()).isEqualTo(-0.5);
    assertThat(judge.terms()).hasSize(2);
    assertThat(FeatureWeights.read(file("words: 3\n")).judge()).isEmpty();
    assertThat(read.with(Feature.WORDS, 4).judge()).isEmpty();
    assertThat(read).isNotEqualTo(read.judgedBy(Optional.empty()));
    assertThat(read.toString()).isNotEqualTo(read.judgedBy(Optional.empty()).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "right-from: 50|right-from: 101|line 2: quality.right-from must be from 0 to 100, found"
            + " 101.0",
        "sentences: 1000|sentences: 2.5|line 3: quality.sentences must be a whole number, 0 or more,"
            + " found 2.5",
        "sentences: 1000|sentences: -1|line 3: quality.sentences must be a whole number, 0 or more",
        "sentences: 1000|sentences: 1e12|line 3: quality.sentences must be a whole number, 0 or more",
        "bias: -0.5|bias: much|line 4: quality.bias must be a finite number, found much",
        "bias: -0.5|bias: .nan|line 4: quality.bias must be a finite number, found .nan",
        "bias: -0.5|sentences: 3|line 4: quality.sentences is there twice; remove one",
        "bias: -0.5|bais: 3|line 4: \"quality.bais\" is no key; did you mean \"bias\"?",
        "bias: -0.5|#|line 1: quality.bias is missing; add it",
        "deviation: 0.3|deviation: 0|line 6: quality.terms.length.deviation must be above 0, found"
            + " 0.0",
        "'deviation: 0.3,'|''|line 6: quality.terms.length.deviation is missing; add it",
        "weight: 0.1|weight: []|line 6: quality.terms.length.weight must be a finite number, found a"
            + " list or a mapping",
        "length|lenght|line 6: \"quality.terms.lenght\" is no feature; did you mean \"length\"?",
        "length|unknown|line 7: quality.terms.unknown is there twice; remove one",
        "'unknown: {mean: 0.02, deviation: 0.04, weight: -0.4}'|unknown: 3|line 7:"
            + " quality.terms.unknown: expected a mapping of mean, deviation, weight",
      })
  void whatIsWrongInAJudgeIsSaidWithItsPath(String right, String wrong, String message)
      throws IOException {
    Path file = file(SECTION.replaceFirst(Pattern.quote(right), wrong));
    assertThatThrownBy(() -> FeatureWeights.read(file))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith(file + ", " + message);
  }

  @Test
  void aJudgeThatIsNoMappingIsRefused() throws IOException {
    Path file = file("words: 1\nquality: good\n");
    assertThatThrownBy(() -> FeatureWeights.read(file))
        .hasMessage(
            file + ", line 2: quality: expected a mapping of right-from, sentences, bias, terms");
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
