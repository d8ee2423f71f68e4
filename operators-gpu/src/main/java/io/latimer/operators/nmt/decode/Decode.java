package io.latimer.operators.nmt.decode;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.Result;
import java.util.List;

/**
 * Translates source ids into target ids with a neural model, one sentence per record.
 *
 * <p>A record contains the ids of one sentence as the encoder reads them, 1 to {@link #MAX_SOURCE},
 * fewer if the model has fewer positions. Any other record fails, without affecting others. The
 * empty sentence, {@code [0]}, becomes one hypothesis {@code [0]} with score 0, without running the
 * model.
 *
 * <p>Each sentence is searched independently. The first step keeps the best K words of the
 * vocabulary; each later step keeps the best continuations of all live hypotheses. Continuations
 * that end leave the batch at once with {@code score / n^alpha}. What becomes of their places, and
 * when the search stops, is the model's {@link io.latimer.operators.nmt.model.BeamRule}; at the
 * length limit, the remaining hypotheses are finished without an end token. The words of a prefix
 * are taken as they are, each with a log-probability of 0: they count in the length, and do not end
 * a hypothesis. With {@link DecodeOptions.Switch#END_LOOPS}, hypotheses that loop after a multiple
 * of {@link RepeatedIds#LEAST} words go, or, if all loop and none has ended, end with their next
 * word; those that ended and loop anywhere are ranked after all others. A sentence that loops
 * itself ({@link DecodeInput#mayLoop}) is left alone. With {@link DecodeOptions.Switch#GIVEN},
 * nothing is searched: the words of the prefix are the result, with their log-probabilities. Equal
 * scores are ordered by hypothesis, then by id, lowest first. In float32, results do not depend on
 * which sentences share a batch: tokens are the same, and scores agree within 1e-5. In 16 bits,
 * which only GPUs use, near ties may resolve differently.
 */
public interface Decode extends BatchOperator<DecodeInput, Decoded> {
  /** The id of the end token, source and target. */
  int END = 0;

  /** The id of the unknown word, source and target. */
  int UNKNOWN = 1;

  /** Maximum length of a source sentence, including the end token. */
  int MAX_SOURCE = 4096;

  /** Decodes sentences whose translations may begin with any word. */
  default List<Result<Decoded>> decode(List<int[]> batch) {
    return apply(DecodeInput.all(batch));
  }
}
