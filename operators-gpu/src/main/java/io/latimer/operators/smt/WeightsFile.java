package io.latimer.operators.smt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.quality.QualityModel;
import io.latimer.operators.util.BoundedYaml;
import io.latimer.operators.util.BoundedYaml.InvalidYamlException;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Files of {@link FeatureWeights}: YAML, a line {@code key: weight} for each feature, then the
 * {@link QualitySection} of their judge, if they have one.
 */
final class WeightsFile {
  private static final int MAX_BYTES = 1 << 16;
  private static final BoundedYaml YAML = new BoundedYaml(MAX_BYTES, 1_000, 1_000);

  private WeightsFile() {}

  /** See {@link FeatureWeights#read}. */
  static FeatureWeights read(Path file) {
    try {
      return YAML.compose(text(file), file.toString())
          .map(document -> weights(file, document))
          .orElseGet(() -> FeatureWeights.DEFAULT.judgedBy(Optional.empty()));
    } catch (InvalidYamlException e) {
      throw new OperatorException(file + ", line " + e.line() + ": not YAML: " + e.getMessage(), e);
    }
  }

  private static String text(Path file) {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new OperatorException(
            file + " has more than " + MAX_BYTES + " bytes; is this a file of feature weights?");
      }
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new OperatorException(
          "the feature weights " + file + " cannot be read: " + FileErrors.reason(e), e);
    }
  }

  private static FeatureWeights weights(Path file, Node document) {
    double[] weights = FeatureWeights.DEFAULT.toArray();
    Map<String, YamlPart> entries = YamlPart.root(file, document).entries("features to weights");
    Optional<QualityModel<PhraseQualityFeature>> judge =
        Optional.ofNullable(entries.remove(QualitySection.KEY)).map(QualitySection::read);
    entries.forEach(
        (key, entry) -> {
          Feature feature = Feature.of(key).orElseThrow(() -> entry.unknown("feature", keys()));
          weights[feature.column] = entry.number();
        });
    return FeatureWeights.of(weights).judgedBy(judge);
  }

  private static List<String> keys() {
    List<String> keys = new ArrayList<>(Feature.keys());
    keys.add(QualitySection.KEY);
    return keys;
  }

  /** See {@link FeatureWeights#toYaml}. */
  static String write(FeatureWeights weights) {
    StringBuilder yaml = new StringBuilder();
    for (Feature feature : Feature.values()) {
      yaml.append(feature.key()).append(": ").append(weights.of(feature)).append('\n');
    }
    weights.judge().ifPresent(judge -> yaml.append(QualitySection.write(judge)));
    return yaml.toString();
  }
}
