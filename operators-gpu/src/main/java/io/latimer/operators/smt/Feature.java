package io.latimer.operators.smt;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The features of a translation, whose score is the sum of each feature times its weight. */
public enum Feature {
  /**
   * log10 of the probability of the target words and the end of the sentence, and what learned
   * pairs add to it.
   */
  LANGUAGE_MODEL(0),

  /** log10 of p(e|f), summed over the phrases. */
  TRANSLATION(1),

  /** Lexical weight of the target words given the source words: a sum of log10, 0 or less. */
  LEXICAL_TARGET(2),

  /** Lexical weight of the source words given the target words: a sum of log10, 0 or less. */
  LEXICAL_SOURCE(3),

  /** log10 of the share of a phrase's samples that have a translation, summed over the phrases. */
  COHERENCE(4),

  /** log10 of 1 + c(e,f), summed over the phrases: how often a translation was seen. */
  FREQUENCY(5),

  /** The number of phrases seen once only, as a source phrase or with this translation. */
  SINGLETONS(6),

  /** The number of target words. */
  WORDS(7),

  /** The number of phrases. */
  PHRASES(8),

  /** Source words that are jumped over between one phrase and the next, as a negative number. */
  DISTORTION(9),

  /** Words without a translation, which are copied, as a negative number. */
  UNKNOWN(10);

  /** The number of features. */
  public static final int COUNT = values().length;

  /** Its place in arrays of all features. */
  final int column;

  Feature(int column) {
    this.column = column;
  }

  /** Its name in files and on the command line, such as {@code language-model}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The feature of a key. */
  public static Optional<Feature> of(String key) {
    return Arrays.stream(values()).filter(feature -> feature.key().equals(key)).findFirst();
  }

  /** The keys of all features, in their order. */
  public static List<String> keys() {
    return Arrays.stream(values()).map(Feature::key).toList();
  }
}
