package io.latimer.operators.lm;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.lm.model.LanguageModel;
import java.util.Optional;

/**
 * Scores words by a language model, bit for bit as KenLM: log10 of the probability of the longest
 * matching n-gram, plus the back-offs of the unmatched contexts one by one, shortest first, each
 * sum rounded to float32. A record fails if it has an id that the model does not know, or a state
 * that cannot belong to the model.
 */
public interface ScoreWords extends BatchOperator<LmSentence, WordScores> {

  /** The model. */
  LanguageModel model();

  /**
   * The model's copy on the GPU, if that scores and leaves the host's cores free; empty if the CPU
   * scores.
   */
  Optional<GpuLanguageModel> onGpu();

  /**
   * Scores texts, after splitting them into words as in {@link LmText} and looking these up. No
   * text fails: any bytes are valid.
   *
   * @throws io.latimer.operators.OperatorException if the operator can no longer work
   */
  ScoredTexts score(LmTexts texts, ScoreOptions options);

  /**
   * Scores single words, each in its own context.
   *
   * @throws io.latimer.operators.RecordException if a query has an id that the model does not know,
   *     or a context with a gap
   * @throws io.latimer.operators.OperatorException if the operator can no longer work
   */
  LmAnswers query(LmQueries queries);
}
