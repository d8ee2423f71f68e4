package io.latimer.operators.quality;

import io.latimer.operators.OperatorException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A trained judge, and how well it does on translations that it was not trained on.
 *
 * @param model trained on all translations
 * @param right how many of them are right
 * @param area {@link RankingQuality#area} of all, each judged by a model that was not trained on it
 *     (cross-validation)
 * @param calibrationError {@link RankingQuality#calibrationError} of these
 */
public record TrainedQuality<F extends Enum<F>>(
    QualityModel<F> model, int right, double area, double calibrationError) {
  /** Of the right and of the wrong translations: then the judge of each fold sees 8 of either. */
  private static final int LEAST = 10;

  private static final int FOLDS = 5;

  /** How well the judge does, in a sentence. */
  public String summary() {
    return String.format(
        Locale.ROOT,
        "Of %,d translations %,d are right. On those that it was not trained on, the judge has an"
            + " area under the ROC curve of %.3f and a calibration error of %.3f.",
        model.sentences(),
        right,
        area,
        calibrationError);
  }

  /** There are too few right translations, or too few wrong ones. */
  public static final class TooFewException extends OperatorException {
    private static final long serialVersionUID = 1L;

    private TooFewException(int right, int wrong) {
      super(
          "there are "
              + right
              + " right and "
              + wrong
              + " wrong translations; at least "
              + LEAST
              + " of each are needed: use more sentences, or another score from which on a"
              + " translation is right");
    }
  }

  /**
   * Trains a judge.
   *
   * @param features all of each translation
   * @param right whether it is right
   * @param rightFrom the chrF from which on it is, for the record
   * @throws TooFewException if there are fewer than ten right ones, or ten wrong ones
   * @throws OperatorException if a regression does not converge
   */
  public static <F extends Enum<F>> TrainedQuality<F> train(
      Class<F> type, List<Map<F, Double>> features, boolean[] right, double rightFrom) {
    int rights = (int) IntStream.range(0, right.length).filter(i -> right[i]).count();
    if (rights < LEAST || right.length - rights < LEAST) {
      throw new TooFewException(rights, right.length - rights);
    }
    int[] folds = folds(right);
    double[] probabilities = new double[right.length];
    for (int fold = 0; fold < FOLDS; fold++) {
      QualityModel<F> model = withoutFold(fold, folds, type, features, right, rightFrom);
      for (int i = 0; i < right.length; i++) {
        probabilities[i] = folds[i] == fold ? model.probability(features.get(i)) : probabilities[i];
      }
    }
    return new TrainedQuality<>(
        LogisticRegression.fit(type, features, right, rightFrom),
        rights,
        RankingQuality.area(probabilities, right),
        RankingQuality.calibrationError(probabilities, right));
  }

  /** The fold of each; all have about as many right ones, and about as many wrong ones. */
  private static int[] folds(boolean[] right) {
    int[] folds = new int[right.length];
    int rights = 0;
    int wrongs = 0;
    for (int i = 0; i < right.length; i++) {
      folds[i] = (right[i] ? rights++ : wrongs++) % FOLDS;
    }
    return folds;
  }

  private static <F extends Enum<F>> QualityModel<F> withoutFold(
      int fold,
      int[] folds,
      Class<F> type,
      List<Map<F, Double>> features,
      boolean[] right,
      double rightFrom) {
    List<Map<F, Double>> others = new ArrayList<>();
    boolean[] rights = new boolean[right.length];
    for (int i = 0; i < right.length; i++) {
      if (folds[i] != fold) {
        rights[others.size()] = right[i];
        others.add(features.get(i));
      }
    }
    return LogisticRegression.fit(type, others, Arrays.copyOf(rights, others.size()), rightFrom);
  }
}
