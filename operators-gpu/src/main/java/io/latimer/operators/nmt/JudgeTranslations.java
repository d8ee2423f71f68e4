package io.latimer.operators.nmt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.index.IndexOpener;
import io.latimer.operators.index.ResidentIndexes.Lease;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.QualityFeature;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.KeepPatterns;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.TextInput;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Scores translations that somebody else made, as one sentence each, and judges whether they are
 * right. A text or a translation without words fails, without affecting others; markup and what
 * stays as it is are none.
 */
public final class JudgeTranslations implements BatchOperator<GivenTranslation, JudgedTranslation> {
  private final LoadedTranslator loaded;
  private final DecodeSentences decode;
  private final Lease<?> lease;

  private JudgeTranslations(Lease<LoadedTranslator> lease) {
    this.lease = lease;
    this.loaded = lease.get();
    this.decode = loaded.sentenceDecoder(DecodeOptions.given().withAlignment(true));
  }

  /**
   * An opener for a model file.
   *
   * @param options whose precision counts
   */
  public static IndexOpener<JudgeTranslations> opener(TranslateOptions options) {
    return new IndexOpener<>(
        TranslationModel.KIND,
        (residents, ref, device) ->
            IndexOpener.own(
                LoadedTranslator.acquire(residents, ref, device, options.precisionOn(device)),
                JudgeTranslations::new));
  }

  @Override
  public List<Result<JudgedTranslation>> apply(List<GivenTranslation> batch) {
    List<Result<SourceSentence>> prepared = new ArrayList<>(batch.size());
    List<SourceSentence> sentences = new ArrayList<>(batch.size());
    for (GivenTranslation one : batch) {
      Result<SourceSentence> result = Result.attempt(Translate.NOT_PREPARED, () -> sentence(one));
      prepared.add(result);
      if (result instanceof Result.Value<SourceSentence> value) {
        sentences.add(value.value());
      }
    }
    Iterator<Result<Decoded>> decoded = decode.apply(sentences).iterator();
    List<Result<JudgedTranslation>> results = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      results.add(
          prepared.get(i) instanceof Result.Value<SourceSentence> value
              ? judged(value.value(), decoded.next(), batch.get(i).translation())
              : Result.failure(((Result.Failure<SourceSentence>) prepared.get(i)).error()));
    }
    return results;
  }

  private SourceSentence sentence(GivenTranslation given) {
    if (given.translation().isBlank()) {
      throw new RecordException("the translation is empty");
    }
    Guidance languages = given.guidance();
    Guidance guidance =
        new Guidance(languages.sourceLanguage(), languages.targetLanguage(), given.translation());
    List<SourceSentence> sentences =
        loaded.pipeline().prepare(new TextInput(given.text(), guidance), false, KeepPatterns.NONE);
    if (sentences.isEmpty() || sentences.get(0).isEmpty()) {
      throw new RecordException("the text has no words");
    }
    if (!sentences.get(0).hasOwnWords(given.translation())) {
      throw new RecordException("the translation has no words besides markup and what stays");
    }
    return sentences.get(0);
  }

  private Result<JudgedTranslation> judged(
      SourceSentence sentence, Result<Decoded> decoded, String translation) {
    if (!(decoded instanceof Result.Value<Decoded> value)) {
      return Result.failure(((Result.Failure<Decoded>) decoded).error());
    }
    Hypothesis hypothesis = value.value().best();
    double score = 0;
    for (float log : hypothesis.wordScores()) {
      score += log;
    }
    Map<QualityFeature, Double> measured = Measured.of(sentence, hypothesis, translation);
    OptionalDouble quality =
        loaded.quality().stream().mapToDouble(judge -> judge.probability(measured)).findFirst();
    return Result.of(new JudgedTranslation(quality, score, score / hypothesis.wordScores().length));
  }

  @Override
  public int inFlight() {
    return decode.inFlight();
  }

  @Override
  public void abandon() {
    decode.abandon();
  }

  @Override
  public void close() {
    decode.close();
    lease.close();
  }
}
