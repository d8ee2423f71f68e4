package io.latimer.operators.nmt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.QualityFeature;
import io.latimer.operators.nmt.model.QualityModel;
import io.latimer.operators.nmt.quality.LogisticRegression;
import io.latimer.operators.nmt.quality.Measured;
import io.latimer.operators.nmt.quality.RankingQuality;
import io.latimer.operators.text.KeepPatterns;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextInput;
import io.latimer.operators.text.bleu.Chrf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Trains the judge of a translation model: translates sentences that the model was not trained on,
 * and learns which of its translations are close to their references.
 */
public final class TrainQuality {
  private static final int BATCH = 256;
  private static final int FOLDS = 5;

  /** Of the right and of the wrong translations: then the judge of each fold sees 8 of either. */
  private static final int LEAST = 10;

  private TrainQuality() {}

  /**
   * A trained judge.
   *
   * @param model trained on all sentences
   * @param right how many translations are right
   * @param area {@link RankingQuality#area} of sentences that their judge was not trained on, by
   *     cross-validation
   * @param calibrationError {@link RankingQuality#calibrationError} of these
   */
  public record Trained(QualityModel model, int right, double area, double calibrationError) {}

  /**
   * Trains a judge.
   *
   * @param file a model file
   * @param sources raw sentences
   * @param references their translations by people, as many
   * @param rightFrom the {@link Chrf} from which on a translation is right, 0 to 100
   * @throws OperatorException if a sentence cannot be translated, with its line, the first being 1;
   *     if too few translations are right or wrong; or if the regression does not converge
   */
  public static Trained train(
      IndexFile file,
      Device device,
      TranslateOptions options,
      List<String> sources,
      List<String> references,
      double rightFrom) {
    if (sources.size() != references.size()) {
      throw new OperatorException(
          "there are " + sources.size() + " sentences, but " + references.size() + " references");
    }
    List<Map<QualityFeature, Double>> features = new ArrayList<>();
    boolean[] right = new boolean[sources.size()];
    try (LoadedTranslator loaded =
            LoadedTranslator.load(file, device, options.precisionOn(device));
        DecodeSentences decode =
            loaded.sentenceDecoder(
                options.decoding(loaded.pipeline(), true).withScores(true).withAlignment(true))) {
      for (int from = 0; from < sources.size(); from += BATCH) {
        List<SourceSentence> batch = new ArrayList<>();
        for (int i = from; i < Math.min(sources.size(), from + BATCH); i++) {
          batch.add(sentence(loaded, options, sources.get(i), i + 1));
        }
        List<Result<Decoded>> decoded = decode.apply(batch);
        for (int i = 0; i < batch.size(); i++) {
          Hypothesis best = value(decoded.get(i), from + i + 1).best();
          SourceSentence sentence = batch.get(i);
          String text = loaded.pipeline().restore(sentence, best.ids(), best.attention());
          features.add(Measured.of(sentence, best, text));
          right[from + i] = Chrf.of(text, references.get(from + i)) >= rightFrom;
        }
      }
    }
    return trained(features, right, rightFrom);
  }

  private static SourceSentence sentence(
      LoadedTranslator loaded, TranslateOptions options, String source, int line) {
    TextInput input = new TextInput(source, options.guidance());
    Result<List<SourceSentence>> prepared =
        Result.attempt(
            Translate.NOT_PREPARED,
            () -> loaded.pipeline().prepare(input, false, KeepPatterns.NONE));
    List<SourceSentence> sentences = value(prepared, line);
    if (sentences.isEmpty() || sentences.get(0).isEmpty()) {
      throw untranslated(line, "it has no words");
    }
    if (sentences.size() > 1) {
      throw untranslated(line, "it is too long for the model to translate it as one sentence");
    }
    return sentences.get(0);
  }

  private static <T> T value(Result<T> result, int line) {
    if (result instanceof Result.Failure<T> failure) {
      throw untranslated(line, failure.error().getMessage());
    }
    return result.orElseThrow();
  }

  private static OperatorException untranslated(int line, String reason) {
    return new OperatorException(
        "line " + line + " cannot be translated: " + reason + "; leave the line out");
  }

  /**
   * Trains a judge, and others without a fifth of the sentences each, which then judge these.
   *
   * @param features of each translation
   * @throws OperatorException if fewer than ten are right, or wrong, or a regression does not
   *     converge
   */
  static Trained trained(
      List<Map<QualityFeature, Double>> features, boolean[] right, double rightFrom) {
    int rights = (int) IntStream.range(0, right.length).filter(i -> right[i]).count();
    requireBoth(rights, right.length - rights);
    int[] folds = folds(right);
    double[] probabilities = new double[right.length];
    for (int fold = 0; fold < FOLDS; fold++) {
      int left = fold;
      int[] others = IntStream.range(0, right.length).filter(i -> folds[i] != left).toArray();
      boolean[] known = new boolean[others.length];
      for (int i = 0; i < others.length; i++) {
        known[i] = right[others[i]];
      }
      QualityModel model =
          LogisticRegression.fit(
              Arrays.stream(others).mapToObj(features::get).toList(), known, rightFrom);
      for (int i = 0; i < right.length; i++) {
        probabilities[i] = folds[i] == fold ? model.probability(features.get(i)) : probabilities[i];
      }
    }
    return new Trained(
        LogisticRegression.fit(features, right, rightFrom),
        rights,
        RankingQuality.area(probabilities, right),
        RankingQuality.calibrationError(probabilities, right));
  }

  private static void requireBoth(int rights, int wrongs) {
    if (rights < LEAST || wrongs < LEAST) {
      throw new OperatorException(
          "there are "
              + rights
              + " right and "
              + wrongs
              + " wrong translations; at least "
              + LEAST
              + " of each are needed: use more sentences, or another score from which on a"
              + " translation is right");
    }
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
}
