package io.latimer.operators.smt;

import io.latimer.operators.quality.QualityModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The section {@code quality} of a file of feature weights: the judge of the translations that
 * these weights find, as {@code docs/operators/phrase-translation.md} specifies.
 */
final class QualitySection {
  /** The key of the section. */
  static final String KEY = "quality";

  private static final String RIGHT_FROM = "right-from";
  private static final String SENTENCES = "sentences";
  private static final String BIAS = "bias";
  private static final String TERMS = "terms";
  private static final List<String> KEYS = List.of(RIGHT_FROM, SENTENCES, BIAS, TERMS);
  private static final String MEAN = "mean";
  private static final String DEVIATION = "deviation";
  private static final String WEIGHT = "weight";
  private static final List<String> TERM_KEYS = List.of(MEAN, DEVIATION, WEIGHT);

  private QualitySection() {}

  /** Reads the section; requires exactly its keys. */
  static QualityModel<PhraseQualityFeature> read(YamlPart section) {
    Map<String, YamlPart> entries = exactly(section, KEYS);
    List<QualityModel.Term<PhraseQualityFeature>> terms = new ArrayList<>();
    entries
        .get(TERMS)
        .entries("features to terms")
        .forEach(
            (key, term) -> {
              PhraseQualityFeature feature =
                  PhraseQualityFeature.of(key)
                      .orElseThrow(() -> term.unknown("feature", PhraseQualityFeature.keys()));
              terms.add(term(feature, exactly(term, TERM_KEYS)));
            });
    double rightFrom = entries.get(RIGHT_FROM).number();
    require(
        rightFrom >= 0 && rightFrom <= 100, entries.get(RIGHT_FROM), "from 0 to 100", rightFrom);
    double sentences = entries.get(SENTENCES).number();
    boolean whole = sentences >= 0 && sentences == (int) sentences;
    require(whole, entries.get(SENTENCES), "a whole number, 0 or more", sentences);
    return new QualityModel<>(rightFrom, (int) sentences, entries.get(BIAS).number(), terms);
  }

  private static QualityModel.Term<PhraseQualityFeature> term(
      PhraseQualityFeature feature, Map<String, YamlPart> numbers) {
    double deviation = numbers.get(DEVIATION).number();
    require(deviation > 0, numbers.get(DEVIATION), "above 0", deviation);
    return new QualityModel.Term<>(
        feature, numbers.get(MEAN).number(), deviation, numbers.get(WEIGHT).number());
  }

  private static Map<String, YamlPart> exactly(YamlPart part, List<String> keys) {
    Map<String, YamlPart> entries = part.entries(String.join(", ", keys));
    entries.forEach(
        (key, entry) -> {
          if (!keys.contains(key)) {
            throw entry.unknown("key", keys);
          }
        });
    for (String key : keys) {
      if (!entries.containsKey(key)) {
        throw part.wrong(part.path() + "." + key + " is missing; add it");
      }
    }
    return entries;
  }

  private static void require(boolean holds, YamlPart part, String what, double found) {
    if (!holds) {
      throw part.wrong(part.path() + " must be " + what + ", found " + found);
    }
  }

  /** The section's lines. */
  static String write(QualityModel<PhraseQualityFeature> judge) {
    StringBuilder yaml = new StringBuilder();
    yaml.append(KEY).append(":\n");
    line(yaml, RIGHT_FROM, judge.rightFrom());
    line(yaml, SENTENCES, judge.sentences());
    line(yaml, BIAS, judge.bias());
    line(yaml, TERMS, judge.terms().isEmpty() ? "{}" : "");
    for (QualityModel.Term<PhraseQualityFeature> term : judge.terms()) {
      yaml.append("    ").append(term.feature().key());
      yaml.append(": {").append(MEAN).append(": ").append(term.mean());
      yaml.append(", ").append(DEVIATION).append(": ").append(term.deviation());
      yaml.append(", ").append(WEIGHT).append(": ").append(term.weight()).append("}\n");
    }
    return yaml.toString();
  }

  private static void line(StringBuilder yaml, String key, Object value) {
    yaml.append("  ").append(key).append(':');
    yaml.append(value.equals("") ? "" : " " + value).append('\n');
  }
}
