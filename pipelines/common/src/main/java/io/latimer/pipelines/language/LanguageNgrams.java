package io.latimer.pipelines.language;

import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import opennlp.tools.langdetect.Language;
import opennlp.tools.langdetect.LanguageDetectorME;
import opennlp.tools.langdetect.LanguageDetectorModel;

/**
 * The frequencies of n-grams of characters in many languages: OpenNLP's model, loaded when it is
 * first needed, once for all detectors of a process. Thread-safe.
 */
final class LanguageNgrams {
  private static final String MODEL = "/langdetect-183.bin";

  /**
   * The library's probabilities are those of its training, in which long texts are hardly more
   * certain than short ones. With this exponent, they say how often a language is right, rather too
   * low than too high.
   */
  private static final double SHARPNESS = 14;

  private static LanguageNgrams loaded;

  private final LanguageDetectorME detector;

  private LanguageNgrams(LanguageDetectorModel model) {
    this.detector = new LanguageDetectorME(model);
  }

  /**
   * The process's own, loaded by the first caller.
   *
   * @throws OperatorException if the model is not on the class path
   */
  static synchronized LanguageNgrams get() {
    if (loaded == null) {
      loaded = load();
    }
    return loaded;
  }

  private static LanguageNgrams load() {
    try (InputStream in = LanguageNgrams.class.getResourceAsStream(MODEL)) {
      if (in == null) {
        throw new OperatorException(
            "the model of languages is missing; put opennlp-models-langdetect on the class path");
      }
      return new LanguageNgrams(new LanguageDetectorModel(in));
    } catch (IOException e) {
      throw new OperatorException("the model of languages cannot be read: " + e.getMessage(), e);
    }
  }

  /** The names of all languages of the model. */
  List<String> codes() {
    return List.of(detector.getSupportedLanguages());
  }

  /**
   * The most probable one of some languages.
   *
   * @param text of which it is known that it is in one of them
   * @param candidates at least one; all have codes
   */
  DetectedLanguage best(String text, List<KnownLanguage> candidates) {
    Map<String, Double> probabilities = new HashMap<>();
    for (Language language : detector.predictLanguages(text)) {
      probabilities.put(language.getLang(), language.getConfidence());
    }
    KnownLanguage best = candidates.get(0);
    double most = 0;
    double[] each = new double[candidates.size()];
    for (int i = 0; i < each.length; i++) {
      each[i] =
          candidates.get(i).codes().stream()
              .mapToDouble(code -> probabilities.getOrDefault(code, 0.0))
              .max()
              .orElse(0);
      if (each[i] > most) {
        most = each[i];
        best = candidates.get(i);
      }
    }
    if (most == 0) {
      return DetectedLanguage.UNKNOWN;
    }
    double sum = 0;
    for (double one : each) {
      sum += Math.pow(one / most, SHARPNESS);
    }
    return new DetectedLanguage(best.tag(), 1 / sum);
  }
}
