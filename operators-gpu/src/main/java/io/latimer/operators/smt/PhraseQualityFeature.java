package io.latimer.operators.smt;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What is measured of the translation of a sentence by phrases, to judge whether it is right. The
 * sums that are {@link Feature}s are divided by what they grow with.
 */
public enum PhraseQualityFeature {
  /** {@link Feature#LANGUAGE_MODEL} per target word and the end of the sentence. */
  LANGUAGE_MODEL,

  /** {@link Feature#TRANSLATION} per source word. */
  TRANSLATION,

  /** {@link Feature#LEXICAL_TARGET} per target word. */
  LEXICAL_TARGET,

  /** {@link Feature#LEXICAL_SOURCE} per source word. */
  LEXICAL_SOURCE,

  /** {@link Feature#COHERENCE} per phrase. */
  COHERENCE,

  /** {@link Feature#FREQUENCY} per phrase. */
  FREQUENCY,

  /** {@link Feature#SINGLETONS} per phrase, 0 to 2. */
  SINGLETONS,

  /** Phrases per source word, above 0 and at most 1. */
  PHRASES,

  /** Words that are jumped over, per source word, 0 or more. */
  DISTORTION,

  /** Share of source words that are copied, because they have no translation, 0 to 1. */
  UNKNOWN,

  /** Natural logarithm of the ratio of target words to source words, each plus one. */
  LENGTH_RATIO,

  /** Natural logarithm of the number of target words. */
  LENGTH,

  /** Share of the target words that the translation has already said, 0 to 1. */
  REPETITION;

  /** Its name in files, such as {@code language-model}. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The feature of a key. */
  static Optional<PhraseQualityFeature> of(String key) {
    return Arrays.stream(values()).filter(feature -> feature.key().equals(key)).findFirst();
  }

  /** The keys of all features, in their order. */
  static List<String> keys() {
    return Arrays.stream(values()).map(PhraseQualityFeature::key).toList();
  }

  /**
   * Measures a translation.
   *
   * @param sourceWords number of words of the sentence, 1 or more
   * @param words of the translation, 1 or more, see {@link DecodePhrases#words}
   * @return all features
   */
  public static Map<PhraseQualityFeature, Double> measure(
      int sourceWords, Derivation translation, List<String> words) {
    double source = sourceWords;
    double target = words.size();
    double phrases = translation.phrases().size();
    Map<PhraseQualityFeature, Double> all = new EnumMap<>(PhraseQualityFeature.class);
    all.put(LANGUAGE_MODEL, translation.feature(Feature.LANGUAGE_MODEL) / (target + 1));
    all.put(TRANSLATION, translation.feature(Feature.TRANSLATION) / source);
    all.put(LEXICAL_TARGET, translation.feature(Feature.LEXICAL_TARGET) / target);
    all.put(LEXICAL_SOURCE, translation.feature(Feature.LEXICAL_SOURCE) / source);
    all.put(COHERENCE, translation.feature(Feature.COHERENCE) / phrases);
    all.put(FREQUENCY, translation.feature(Feature.FREQUENCY) / phrases);
    all.put(SINGLETONS, translation.feature(Feature.SINGLETONS) / phrases);
    all.put(PHRASES, phrases / source);
    all.put(DISTORTION, -translation.feature(Feature.DISTORTION) / source);
    all.put(UNKNOWN, -translation.feature(Feature.UNKNOWN) / source);
    all.put(LENGTH_RATIO, Math.log((target + 1) / (source + 1)));
    all.put(LENGTH, Math.log(target));
    all.put(REPETITION, 1 - new HashSet<>(words).size() / target);
    return all;
  }
}
