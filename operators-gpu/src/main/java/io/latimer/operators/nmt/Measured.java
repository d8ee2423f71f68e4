package io.latimer.operators.nmt;

import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.QualityFeature;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextWords;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The features by which the quality of one translation of a sentence is judged. */
final class Measured {
  /** The tokens whose start is measured on its own: errors there lead the rest astray. */
  private static final int FIRST = 3;

  private final Map<QualityFeature, Double> features = new EnumMap<>(QualityFeature.class);

  private Measured() {}

  /**
   * Measures a translation.
   *
   * @param hypothesis with scores and attention, without what the model's format adds
   * @param text of the hypothesis
   * @return all features, each finite
   */
  static Map<QualityFeature, Double> of(
      SourceSentence sentence, Hypothesis hypothesis, String text) {
    Measured measured = new Measured();
    int sourceTokens = sentence.tokens().size();
    int tokens = hypothesis.ids().length;
    int targetTokens = tokens - (hypothesis.ended() ? 1 : 0);
    measured.probabilities(hypothesis.wordScores());
    measured.attention(hypothesis.attention(), sourceTokens, targetTokens);
    measured.texts(sentence.raw(), sourceTokens, text, targetTokens);
    measured.set(QualityFeature.LENGTH, Math.log(tokens));
    int[] ids = sentence.ids();
    int unknown = 0;
    for (int i = sentence.leading(); i < sentence.leading() + sourceTokens; i++) {
      unknown += ids[i] == Decode.UNKNOWN ? 1 : 0;
    }
    measured.set(QualityFeature.UNKNOWN_TOKENS, unknown);
    return measured.features;
  }

  private void set(QualityFeature feature, double value) {
    features.put(feature, value);
  }

  private void probabilities(float[] logs) {
    double sum = 0;
    double squares = 0;
    double lowest = 0;
    double first = 0;
    for (int i = 0; i < logs.length; i++) {
      double log = Math.max(logs[i], -1e4); // a given token may have next to none
      sum += log;
      squares += log * log;
      lowest = Math.min(lowest, log);
      first += i < FIRST ? log : 0;
    }
    double mean = sum / logs.length;
    set(QualityFeature.MEAN_LOG_PROBABILITY, mean);
    set(QualityFeature.LOWEST_LOG_PROBABILITY, lowest);
    double variance = Math.max(0, squares / logs.length - mean * mean);
    set(QualityFeature.DEVIATION_OF_LOG_PROBABILITY, Math.sqrt(variance));
    set(QualityFeature.FIRST_LOG_PROBABILITY, first / Math.min(FIRST, logs.length));
  }

  /** The end tokens of both sides count for the entropy alone. */
  private void attention(float[][] attention, int sourceTokens, int targetTokens) {
    double entropy = 0;
    float[] most = new float[sourceTokens];
    for (int row = 0; row < attention.length; row++) {
      for (int at = 0; at < attention[row].length; at++) {
        float weight = attention[row][at];
        entropy -= weight > 0 ? weight * Math.log(weight) : 0;
        if (row < targetTokens && at < sourceTokens) {
          most[at] = Math.max(most[at], weight);
        }
      }
    }
    set(QualityFeature.ATTENTION_ENTROPY, entropy / attention.length);
    float least = 1;
    for (float weight : most) {
      least = Math.min(least, weight);
    }
    set(QualityFeature.LEAST_ATTENDED, least);
  }

  private void texts(String source, int sourceTokens, String text, int targetTokens) {
    set(QualityFeature.LENGTH_RATIO, Math.log((text.length() + 1.0) / (source.length() + 1.0)));
    List<String> words = words(text);
    set(QualityFeature.SOURCE_TOKENS_PER_WORD, (double) sourceTokens / words(source).size());
    set(QualityFeature.TARGET_TOKENS_PER_WORD, (double) targetTokens / words.size());
    Set<String> distinct = new HashSet<>();
    for (String word : words) {
      distinct.add(word.toLowerCase(Locale.ROOT));
    }
    set(QualityFeature.REPETITION, 1 - (double) distinct.size() / words.size());
  }

  /** At least one, which may be empty. */
  private static List<String> words(String text) {
    List<String> words = TextWords.list(text);
    return words.isEmpty() ? List.of("") : words;
  }
}
