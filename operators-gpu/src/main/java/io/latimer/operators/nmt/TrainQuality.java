package io.latimer.operators.nmt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.QualityFeature;
import io.latimer.operators.quality.TrainedQuality;
import io.latimer.operators.text.KeepPatterns;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextInput;
import io.latimer.operators.text.bleu.Chrf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Trains the judge of a translation model: translates sentences that the model was not trained on,
 * and learns which of its translations are close to their references.
 */
public final class TrainQuality {
  private static final int BATCH = 256;

  private TrainQuality() {}

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
  public static TrainedQuality<QualityFeature> train(
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
    return TrainedQuality.train(QualityFeature.class, features, right, rightFrom);
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
}
