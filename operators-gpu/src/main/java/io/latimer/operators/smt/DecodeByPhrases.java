package io.latimer.operators.smt;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.quality.QualityModel;
import io.latimer.operators.text.SourceSentence;
import io.latimer.operators.text.Vocabulary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Decodes prepared sentences by phrases: ids are those of {@link IndexWords}, unknown words are
 * {@link Vocabulary#UNKNOWN}, and each target word attends to the one word that it is linked to.
 *
 * @param decode closed with this object
 * @param judge of the quality of translations; empty if they have none
 */
record DecodeByPhrases(DecodePhrases decode, Optional<QualityModel<PhraseQualityFeature>> judge)
    implements BatchOperator<SourceSentence, Decoded> {
  private static final String NO_PREFIX =
      "a translation by phrases cannot begin with a given text; remove the target prefix, or"
          + " translate with a model";

  @Override
  public List<Result<Decoded>> apply(List<SourceSentence> batch) {
    List<SentenceWords> sentences =
        batch.stream()
            .map(sentence -> new SentenceWords(String.join(" ", sentence.tokens())))
            .toList();
    List<Result<List<Derivation>>> found = decode.apply(sentences);
    List<Result<Decoded>> decoded = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      if (batch.get(i).hasPrefix()) {
        decoded.add(Result.failure(new RecordException(NO_PREFIX)));
        continue;
      }
      decoded.add(
          found.get(i) instanceof Result.Value<List<Derivation>> value
              ? Result.of(decoded(sentences.get(i), value.value()))
              : Result.failure(((Result.Failure<List<Derivation>>) found.get(i)).error()));
    }
    return decoded;
  }

  private Decoded decoded(SentenceWords sentence, List<Derivation> derivations) {
    WordLinks links = new WordLinks(decode.index(), sentence);
    float[][] attention = new float[sentence.size() + 1][sentence.size() + 1];
    for (int i = 0; i < attention.length; i++) {
      attention[i][i] = 1; // a row for each source id, shared by all words linked to it
    }
    return new Decoded(
        derivations.stream().map(found -> hypothesis(found, links, attention)).toList(),
        quality(sentence, derivations.get(0)));
  }

  private OptionalDouble quality(SentenceWords sentence, Derivation best) {
    return judge.isPresent() && !best.phrases().isEmpty()
        ? OptionalDouble.of(
            judge
                .get()
                .probability(
                    PhraseQualityFeature.measure(
                        sentence.size(), best, decode.words(sentence, best))))
        : OptionalDouble.empty();
  }

  private static Hypothesis hypothesis(Derivation found, WordLinks links, float[][] attention) {
    int words = found.phrases().stream().mapToInt(AppliedPhrase::targetWords).sum();
    int[] ids = new int[words + 1];
    float[][] rows = new float[words + 1][];
    int size = 0;
    for (AppliedPhrase phrase : found.phrases()) {
      for (int i = 0; i < phrase.targetWords(); i++) {
        ids[size] = phrase.isCopied() ? Vocabulary.UNKNOWN : IndexWords.id(phrase.target(i));
        rows[size++] = attention[links.source(phrase, i)];
      }
    }
    ids[size] = Vocabulary.END;
    rows[size] = attention[attention.length - 1];
    return new Hypothesis(ids, null, found.score(), found.score(), rows);
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
  }
}
