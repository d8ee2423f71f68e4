package io.latimer.operators.nmt.decode;

import java.util.Arrays;
import java.util.Objects;

/**
 * One translation of a source sentence. Its arrays are not copied and must not be modified.
 *
 * @param ids target ids; the last is the end token 0 unless the length limit cut the hypothesis
 * @param wordScores natural log-probability of each id; null if no scores were requested
 * @param score their sum, or what else a decoder ranks by; NaN if no scores were requested
 * @param normalizedScore {@code score / ids.length^alpha}; NaN if no scores were requested
 * @param attention one row per target id, one column per source id; null if not requested
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Hypothesis(
    int[] ids, float[] wordScores, double score, double normalizedScore, float[][] attention) {
  /** Checks that there are ids. */
  public Hypothesis {
    Objects.requireNonNull(ids, "ids");
  }

  /** Whether the hypothesis ends with the end token. */
  public boolean ended() {
    return ids.length > 0 && ids[ids.length - 1] == Decode.END;
  }

  @Override
  public String toString() {
    return Arrays.toString(ids) + " " + score;
  }
}
