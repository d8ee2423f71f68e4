package io.latimer.operators.nmt.decode;

import io.latimer.operators.BatchOperator;
import io.latimer.operators.nmt.gpu.DecodeGpu;

/**
 * Translates source ids into target ids with a neural model: one sentence a record.
 *
 * <p>A record is the ids of one sentence, at most {@link #MAX_SOURCE} of them, the last being the
 * end token {@link #END}, which stands nowhere else. What is not so is a failure of that record
 * alone. The empty sentence, {@code [0]}, becomes one hypothesis {@code [0]} of score 0 without
 * asking the model.
 *
 * <p>Search, for every sentence by itself: the first step keeps the best K of the vocabulary; each
 * later step the best of all live hypotheses times the vocabulary. Continuations that end leave the
 * batch at once with {@code score / n^alpha}, and the sentence's beam shrinks by one for good. The
 * search stops when the beam is empty; at the length limit what is left is finished as it is. Of
 * equal scores the one of the lower hypothesis, then of the lower id, comes first. In 32 bits it
 * never changes a result which sentences share a batch: the tokens are the same, scores agree
 * within 1e-5. Of 16 bits see {@link DecodeGpu}.
 */
public interface Decode extends BatchOperator<int[], Decoded> {
  /** The id of the end token, source and target. */
  int END = 0;

  /** The id of the unknown word, source and target. */
  int UNKNOWN = 1;

  /** The longest source sentence, end token included. */
  int MAX_SOURCE = 4096;
}
