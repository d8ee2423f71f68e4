package io.latimer.operators.lm;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.lm.model.LanguageModel;

/**
 * Scores words by a language model, as KenLM does, to the last bit: log10 of the probability of the
 * longest n-gram that matches, then the back-offs of the contexts that do not, one by one, the
 * shortest first, each sum rounded to float32. A record that has an id the model does not know, or
 * a state that cannot be one of it, is a failure.
 */
public interface ScoreWords extends BatchOperator<LmSentence, WordScores> {

  /** The model. */
  LanguageModel model();

  /**
   * Scores texts, whose words are parted as {@link LmText} says and looked up first. There are no
   * failures: any bytes are a text.
   *
   * @throws io.latimer.operators.OperatorException if the operator can no longer work
   */
  ScoredTexts score(LmTexts texts, ScoreOptions options);

  /**
   * Scores single words in contexts of their own.
   *
   * @throws io.latimer.operators.RecordException if a query has an id that the model does not have,
   *     or a context with a gap
   * @throws io.latimer.operators.OperatorException if the operator can no longer work
   */
  LmAnswers query(LmQueries queries);
}
