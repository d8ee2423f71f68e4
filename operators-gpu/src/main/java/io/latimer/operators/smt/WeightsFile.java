package io.latimer.operators.smt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.BoundedYaml;
import io.latimer.operators.util.BoundedYaml.InvalidYamlException;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.NearestName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Files of {@link FeatureWeights}: YAML, a line {@code key: weight} for each feature. */
final class WeightsFile {
  private static final int MAX_BYTES = 1 << 16;
  private static final BoundedYaml YAML = new BoundedYaml(MAX_BYTES, 1_000, 1_000);

  private final Path file;
  private final double[] weights = FeatureWeights.DEFAULT.toArray();
  private final Set<Feature> seen = EnumSet.noneOf(Feature.class);

  private WeightsFile(Path file) {
    this.file = file;
  }

  /** See {@link FeatureWeights#read}. */
  static FeatureWeights read(Path file) {
    WeightsFile read = new WeightsFile(file);
    try {
      YAML.compose(text(file), file.toString()).ifPresent(read::add);
    } catch (InvalidYamlException e) {
      throw new OperatorException(file + ", line " + e.line() + ": not YAML: " + e.getMessage(), e);
    }
    return FeatureWeights.of(read.weights);
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

  private void add(Node document) {
    if (!(document instanceof MappingNode mapping)) {
      throw wrong(document, "expected a mapping of features to weights");
    }
    for (NodeTuple entry : mapping.getValue()) {
      if (!(entry.getKeyNode() instanceof ScalarNode key)) {
        throw wrong(entry.getKeyNode(), "expected the name of a feature");
      }
      Feature feature = Feature.of(key.getValue()).orElseThrow(() -> unknown(key));
      if (!seen.add(feature)) {
        throw wrong(key, feature.key() + " has a weight already; remove one");
      }
      weights[feature.column] = weight(feature, entry.getValueNode());
    }
  }

  private double weight(Feature feature, Node node) {
    String text = node instanceof ScalarNode scalar ? scalar.getValue() : "a list or a mapping";
    try {
      double weight = Double.parseDouble(text);
      if (Double.isFinite(weight)) {
        return weight;
      }
    } catch (NumberFormatException e) {
      // the same as a number that is not finite
    }
    throw wrong(
        node,
        "the weight of "
            + feature.key()
            + " must be a finite number, found "
            + BoundedYaml.brief(text));
  }

  private OperatorException unknown(ScalarNode key) {
    String name = BoundedYaml.brief(key.getValue());
    Optional<String> meant = NearestName.of(name, Feature.keys());
    return wrong(
        key,
        '"'
            + name
            + "\" is no feature; "
            + meant
                .map(near -> "did you mean \"" + near + "\"?")
                .orElse("the features are " + String.join(", ", Feature.keys())));
  }

  private OperatorException wrong(Node node, String what) {
    int line = node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    return new OperatorException(file + ", line " + line + ": " + what);
  }

  /** See {@link FeatureWeights#toYaml}. */
  static String write(FeatureWeights weights) {
    StringBuilder yaml = new StringBuilder();
    for (Feature feature : Feature.values()) {
      yaml.append(feature.key()).append(": ").append(weights.of(feature)).append('\n');
    }
    return yaml.toString();
  }
}
