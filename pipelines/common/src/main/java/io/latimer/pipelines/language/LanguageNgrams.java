package io.latimer.pipelines.language;

import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import opennlp.tools.langdetect.DefaultLanguageDetectorContextGenerator;
import opennlp.tools.langdetect.LanguageDetectorContextGenerator;
import opennlp.tools.langdetect.LanguageDetectorModel;
import opennlp.tools.ml.model.MaxentModel;
import opennlp.tools.util.normalizer.ShrinkCharSequenceNormalizer;

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

  /** As the model was trained. */
  private static final int LONGEST = 3;

  /**
   * Letters that are held down count twice. The library's own detector looks for addresses and
   * emoji before, which takes several times as long as all the rest; the words have none.
   */
  private static final LanguageDetectorContextGenerator NGRAMS =
      new DefaultLanguageDetectorContextGenerator(
          1, LONGEST, ShrinkCharSequenceNormalizer.getInstance());

  private static LanguageNgrams loaded;

  private final MaxentModel model;

  private LanguageNgrams(MaxentModel model) {
    this.model = model;
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
      return new LanguageNgrams(new LanguageDetectorModel(in).getMaxentModel());
    } catch (IOException e) {
      throw new OperatorException("the model of languages cannot be read: " + e.getMessage(), e);
    }
  }

  /** The names of all languages of the model. */
  List<String> codes() {
    return IntStream.range(0, model.getNumOutcomes()).mapToObj(model::getOutcome).toList();
  }

  /**
   * The most probable one of some languages.
   *
   * @param text of which it is known that it is in one of them
   * @param candidates at least one; all have codes
   */
  DetectedLanguage best(String text, List<KnownLanguage> candidates) {
    CharSequence[] ngrams = NGRAMS.getContext(text);
    double[] probabilities =
        model.eval(Arrays.stream(ngrams).map(CharSequence::toString).toArray(String[]::new));
    double[] each =
        candidates.stream().mapToDouble(language -> probability(language, probabilities)).toArray();
    int best = 0;
    for (int i = 1; i < each.length; i++) {
      best = each[i] > each[best] ? i : best;
    }
    double most = each[best];
    if (!(most > 0)) {
      return DetectedLanguage.UNKNOWN;
    }
    double sum = Arrays.stream(each).map(one -> Math.pow(one / most, SHARPNESS)).sum();
    return new DetectedLanguage(candidates.get(best).tag(), 1 / sum);
  }

  private double probability(KnownLanguage language, double[] probabilities) {
    return language.codes().stream()
        .mapToDouble(code -> probabilities[model.getIndex(code)])
        .max()
        .orElse(0);
  }
}
