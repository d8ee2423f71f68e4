package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import java.util.Arrays;

/**
 * Bias, softmax and k-best of one row of logits in a single pass: the sum of exponentials is kept
 * relative to the running maximum and rescaled when that grows, while the best k logits are kept
 * sorted (Algorithm 4 of the Amun paper, WNMT 2018). Works on chunks that fit into the first-level
 * cache.
 */
final class LogitScan {
  private static final int STRETCH = 1024;

  private final float[] bias;

  /** The bias once more, in parts. */
  private final float[][] stretches;

  /** The words of a row, ascending; null for the whole vocabulary in order. */
  private int[] listed;

  private final float[] logits = new float[STRETCH];
  private final float[] overwritten = new float[STRETCH];
  private final float[] scratch = new float[STRETCH];
  private final PowersOfTwo powers = new PowersOfTwo();

  /** The best ids, best first; ties by lower id. */
  final int[] ids = new int[DecodeOptions.MAX_BEAM];

  /** Their logits. */
  final float[] best = new float[DecodeOptions.MAX_BEAM];

  /** The number found: fewer than requested if the vocabulary is small. */
  int found;

  /** The logarithm of the sum of all exponentials; not finite if a logit is not. */
  double logSum;

  LogitScan(float[] bias) {
    this.bias = bias;
    stretches = new float[(bias.length + STRETCH - 1) / STRETCH][];
    for (int i = 0; i < stretches.length; i++) {
      int from = i * STRETCH;
      stretches[i] = Arrays.copyOfRange(bias, from, Math.min(bias.length, from + STRETCH));
    }
  }

  /**
   * Restricts the rows of subsequent scans to some words.
   *
   * @param words ids, strictly ascending
   */
  void restrict(int[] words) {
    listed = words;
  }

  private int size() {
    return listed == null ? bias.length : listed.length;
  }

  /**
   * Scans a row.
   *
   * @param row contains logits without bias
   * @param at their offset
   * @param k number of results to keep
   * @param allowUnknown whether id 1 may be among them; it always counts in the sum
   */
  void softmax(float[] row, int at, int k, boolean allowUnknown) {
    found = 0;
    float max = Float.NEGATIVE_INFINITY;
    double sum = 0;
    for (int from = 0; from < size(); from += STRETCH) {
      int n = load(row, at, from);
      float top = keep(from, n, k, allowUnknown);
      if (!(top <= max)) {
        sum *= Math.exp((double) max - top);
        max = top;
      }
      Vectors.exp(logits, n, max, powers);
      sum += Vectors.sum(logits, 0, n);
    }
    logSum = max + Math.log(sum);
  }

  /** Finds only the best id, which needs no softmax (Algorithm 5 there). */
  void argmax(float[] row, int at, boolean allowUnknown) {
    found = 0;
    logSum = 0;
    for (int from = 0; from < size(); from += STRETCH) {
      float top = keep(from, load(row, at, from), 1, allowUnknown);
      if (!Float.isFinite(top)) {
        logSum = Double.NaN;
      }
    }
  }

  private int load(float[] row, int at, int from) {
    int n = Math.min(STRETCH, size() - from);
    if (listed == null) {
      System.arraycopy(row, at + from, logits, 0, n);
      Vectors.addTo(logits, stretches[from / STRETCH], n);
    } else {
      for (int i = 0; i < n; i++) {
        logits[i] = row[at + from + i] + bias[listed[from + i]];
      }
    }
    return n;
  }

  private float keep(int from, int n, int k, boolean allowUnknown) {
    System.arraycopy(logits, 0, overwritten, 0, n);
    float top = Vectors.max(overwritten, n, scratch);
    if (found == k && !(top > best[k - 1])) {
      return top;
    }
    for (int i = 0; i < n; i++) {
      float logit = logits[i];
      if (found < k || logit > best[found - 1]) {
        int id = listed == null ? from + i : listed[from + i];
        if (allowUnknown || id != Decode.UNKNOWN) {
          insert(id, logit, k);
        }
      }
    }
    return top;
  }

  private void insert(int id, float logit, int k) {
    int place = found < k ? found : k - 1;
    while (place > 0 && best[place - 1] < logit) {
      best[place] = best[place - 1];
      ids[place] = ids[place - 1];
      place--;
    }
    best[place] = logit;
    ids[place] = id;
    found = Math.min(k, found + 1);
  }
}
