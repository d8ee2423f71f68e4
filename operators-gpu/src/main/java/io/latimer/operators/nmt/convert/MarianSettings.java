package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.util.BoundedYaml;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The typed settings in {@code special:model.yml}; keys may be absent.
 *
 * @param origin names the entry in messages
 */
record MarianSettings(String origin, Map<?, ?> values) {
  static final String ENTRY = "special:model.yml";

  /** Far more than the settings and paths of a model. */
  private static final BoundedYaml YAML = new BoundedYaml(1 << 20, 20_000, 1 << 14);

  private static final Set<String> RECURRENT = Set.of("amun", "nematus", "s2s");

  /** Parses the entry's text. */
  static MarianSettings parse(String file, String yaml) {
    String origin = file + ", " + ENTRY;
    Object root = yaml(yaml, origin);
    if (root instanceof Map<?, ?> map) {
      return new MarianSettings(origin, map);
    }
    throw new ModelFormatException(origin + ": expected a YAML mapping of Marian's settings");
  }

  /**
   * The values in the YAML of a model.
   *
   * @throws ModelFormatException naming the origin and the line of an error
   */
  static Object yaml(String text, String origin) {
    try {
      return YAML.load(text, origin);
    } catch (BoundedYaml.InvalidYamlException e) {
      throw new ModelFormatException(
          origin + " is not YAML: line " + e.line() + ": " + e.getMessage(), e);
    }
  }

  Optional<String> string(String key) {
    return Optional.ofNullable(values.get(key)).map(BoundedYaml::brief);
  }

  Optional<Integer> integer(String key) {
    return value(key, Integer.class, "a whole number");
  }

  Optional<Boolean> flag(String key) {
    return value(key, Boolean.class, "true or false");
  }

  private <T> Optional<T> value(String key, Class<T> type, String expected) {
    Object value = values.get(key);
    if (value != null && !type.isInstance(value)) {
      throw wrong(key, expected, value);
    }
    return Optional.ofNullable(value).map(type::cast);
  }

  boolean isSet(String key) {
    return flag(key).orElse(false);
  }

  /** Rejects vocabulary sizes that contradict the tensors. */
  void requireVocabularies(int source, int target) {
    vocabularies()
        .ifPresent(
            sizes -> {
              requireAgreement("dim-vocabs (source)", Optional.of(sizes[0]), source);
              requireAgreement("dim-vocabs (target)", Optional.of(sizes[1]), target);
            });
  }

  /** The two vocabulary sizes, if there are two. */
  private Optional<int[]> vocabularies() {
    Object value = values.get("dim-vocabs");
    if (value instanceof List<?> list
        && list.size() == 2
        && list.get(0) instanceof Integer source
        && list.get(1) instanceof Integer target) {
      return Optional.of(new int[] {source, target});
    }
    if (value == null) {
      return Optional.empty();
    }
    throw wrong("dim-vocabs", "two whole numbers (one source, one target vocabulary)", value);
  }

  private ModelFormatException wrong(String key, String expected, Object found) {
    return new ModelFormatException(
        origin + ": " + key + ": expected " + expected + ", found " + BoundedYaml.brief(found));
  }

  /** A list of whole numbers; empty if the key is absent. */
  List<Integer> integers(String key) {
    Object value = values.get(key);
    if (value == null) {
      return List.of();
    }
    if (value instanceof List<?> list && list.stream().allMatch(Integer.class::isInstance)) {
      return list.stream().map(Integer.class::cast).toList();
    }
    throw wrong(key, "a list of whole numbers", value);
  }

  /**
   * Rejects, with a clear message, what no recurrent decoder here supports. The type is not that of
   * a transformer: {@link NetworkReader} has selected by it.
   */
  void requireRecurrent() {
    String type = string("type").orElse("amun");
    if (!RECURRENT.contains(type)) {
      throw refuse(
          "the model type is \"" + type + "\", but only amun, nematus, s2s and transformer");
    }
    if (integer("enc-depth").orElse(1) != 1 || integer("dec-depth").orElse(1) != 1) {
      throw refuse("the model has stacked layers (enc-depth or dec-depth above 1), but only one");
    }
    if (type.equals("s2s")
        && (integer("enc-cell-depth").orElse(1) != 1
            || integer("dec-cell-base-depth").orElse(2) != 2)) {
      throw refuse(
          "the s2s model has deep transition (enc-cell-depth, dec-cell-base-depth), which only"
              + " nematus models");
    }
    if (isSet("skip")) {
      throw refuse("the model has skip connections (skip), but only models without");
    }
    requirePlain();
    String encoder = string("enc-type").orElse("bidirectional");
    if (!encoder.equals("bidirectional")
        && !encoder.equals("bi-unidirectional")
        && !encoder.equals("alternating")) {
      throw refuse("the encoder is \"" + encoder + "\", but only bidirectional ones");
    }
  }

  /** Rejects what no decoder here supports, whatever the model's kind. */
  void requirePlain() {
    if (isSet("right-left")) {
      throw refuse(
          "the model writes from right to left (right-left), but only left-to-right models");
    }
    if (isSet("ulr") || integer("lemma-dim-emb").orElse(0) != 0) {
      throw refuse("the model has factored or universal embeddings, but only plain ones");
    }
  }

  /** Rejects a setting that contradicts the tensors. */
  void requireAgreement(String key, Optional<Integer> set, int found) {
    // 0 means "not set" in files written by older versions of Marian
    if (set.isPresent() && set.get() != 0 && set.get() != found) {
      throw new ModelFormatException(
          origin + ": " + key + " is " + set.get() + ", the tensors show " + found);
    }
  }

  ModelFormatException refuse(String what) {
    return new ModelFormatException(origin + ": " + what + " can be read");
  }
}
