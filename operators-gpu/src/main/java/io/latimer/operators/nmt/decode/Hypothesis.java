package io.latimer.operators.nmt.decode;

import java.util.Arrays;
import java.util.Objects;

/** One translation of a source sentence. Its arrays are not copied and must not be modified. */
public final class Hypothesis {
  private final int[] ids;
  private final float[] wordScores;
  private final double score;
  private final double normalizedScore;
  private final float[][] attention;

  /**
   * Makes a hypothesis.
   *
   * @param ids target ids; the last is the end token 0 unless the length limit cut the hypothesis
   * @param wordScores natural log-probability of each id; null if no scores were requested
   * @param score their sum, or what else a decoder ranks by; NaN if no scores were requested
   * @param normalizedScore {@code score / ids.length^alpha}; NaN if no scores were requested
   * @param attention one row per target id, one column per source id; null if not requested
   */
  public Hypothesis(
      int[] ids, float[] wordScores, double score, double normalizedScore, float[][] attention) {
    this.ids = Objects.requireNonNull(ids, "ids");
    this.wordScores = wordScores;
    this.score = score;
    this.normalizedScore = normalizedScore;
    this.attention = attention;
  }

  /** Target ids; the last is the end token 0 unless the length limit cut the hypothesis. */
  public int[] ids() {
    return ids;
  }

  /** Natural log-probability of each id; null if no scores were requested. */
  public float[] wordScores() {
    return wordScores;
  }

  /** Sum of the natural log-probabilities; NaN if no scores were requested. */
  public double score() {
    return score;
  }

  /** The score divided by {@code ids.length^alpha}; NaN if no scores were requested. */
  public double normalizedScore() {
    return normalizedScore;
  }

  /** Attention, one row per target id, one column per source id; null if not requested. */
  public float[][] attention() {
    return attention;
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
