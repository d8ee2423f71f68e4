package io.latimer.operators.nmt.gpu;

import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a sentence as written by lat_nmt_drain, in 4-byte words: the number of hypotheses,
 * 0, and for each hypothesis its length, 0, its score and normalized score in two words each, its
 * words, their scores, its attention, and a padding word if that would be an odd number.
 */
final class GpuResult {
  private static final int HEADER = 2;
  private static final int HYPOTHESIS = 6;

  private GpuResult() {}

  /**
   * Copies a result, without unused space.
   *
   * @param at its offset
   * @param sourceLength number of source tokens
   */
  static int[] copy(IntBuffer from, int at, int sourceLength, DecodeOptions options) {
    int hypotheses = from.get(at);
    int end = at + HEADER;
    for (int i = 0; i < hypotheses; i++) {
      end += words(from.get(end), sourceLength, options);
    }
    int[] words = new int[end - at];
    from.get(at, words);
    return words;
  }

  private static int words(int length, int sourceLength, DecodeOptions options) {
    int words = HYPOTHESIS + 2 * length + (options.alignment() ? length * sourceLength : 0);
    return words + (words & 1);
  }

  /**
   * Reads a result.
   *
   * @return null if a score is not finite
   */
  static Decoded decode(int[] words, int sourceLength, DecodeOptions options) {
    int hypotheses = words[0];
    if (hypotheses < 1) {
      return null;
    }
    List<Hypothesis> nBest = new ArrayList<>(hypotheses);
    int at = HEADER;
    for (int i = 0; i < hypotheses; i++) {
      int length = words[at];
      nBest.add(hypothesis(words, at, length, sourceLength, options));
      at += words(length, sourceLength, options);
    }
    return new Decoded(nBest);
  }

  private static Hypothesis hypothesis(
      int[] words, int at, int length, int sourceLength, DecodeOptions options) {
    int[] ids = new int[length];
    System.arraycopy(words, at + HYPOTHESIS, ids, 0, length);
    int next = at + HYPOTHESIS + length;
    float[] scores = options.scores() ? floats(words, next, length) : null;
    next += length;
    float[][] attention = null;
    if (options.alignment()) {
      attention = new float[length][];
      for (int t = 0; t < length; t++) {
        attention[t] = floats(words, next + t * sourceLength, sourceLength);
      }
    }
    return new Hypothesis(
        ids,
        scores,
        options.scores() ? number(words, at + 2) : Double.NaN,
        options.scores() ? number(words, at + 4) : Double.NaN,
        attention);
  }

  private static float[] floats(int[] words, int at, int length) {
    float[] floats = new float[length];
    for (int i = 0; i < length; i++) {
      floats[i] = Float.intBitsToFloat(words[at + i]);
    }
    return floats;
  }

  private static double number(int[] words, int at) {
    return Double.longBitsToDouble((long) words[at + 1] << 32 | (words[at] & 0xffffffffL));
  }
}
