package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.TransformerSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * Keys and values of the words of hypotheses, on the CPU.
 *
 * <p>A step's keys and values are stored once, in the order of that step's rows, and never moved:
 * each hypothesis has, for each of its positions, the row that computed its word. Reordering the
 * beam therefore moves one number per position instead of the keys and values of every layer.
 */
final class KeyValueCache {
  /** Positions whose memory is always kept for the next batch. */
  private static final int KEEP = 256;

  private final int layers;
  private final int width;

  /** Per position and layer: rows of that step x 2A. Kept between batches. */
  private final List<float[][]> steps = new ArrayList<>();

  /** Rows x {@link #stride}: the row that computed each position of each hypothesis. */
  private int[] row = {};

  private int[] spare = {};
  private int stride;

  /** The number of positions before this step. */
  private int position;

  KeyValueCache(TransformerSettings s) {
    layers = s.decoderLayers();
    width = 2 * s.attentionWidth();
  }

  /** Forgets all hypotheses, and frees memory far beyond the needs of the last batch. */
  void start() {
    int keep = Math.max(KEEP, 2 * position);
    if (steps.size() > keep) {
      steps.subList(keep, steps.size()).clear();
    }
    position = 0;
  }

  /** The array for keys and values of this step: rows x 2A. */
  float[] current(int layer, int rows) {
    if (steps.size() == position) {
      steps.add(new float[layers][0]);
    }
    float[][] step = steps.get(position);
    step[layer] = Workspace.atLeast(step[layer], (long) rows * width);
    return step[layer];
  }

  /**
   * Points the attention at the words of a hypothesis, including this step's; returns their number.
   */
  int positions(int layer, int hypothesis, HeadAttention heads) {
    heads.room(position + 1);
    for (int t = 0; t < position; t++) {
      heads.array[t] = steps.get(t)[layer];
      heads.offset[t] = row[hypothesis * stride + t] * width;
    }
    heads.array[position] = steps.get(position)[layer];
    heads.offset[position] = hypothesis * width;
    return position + 1;
  }

  /** Ends the step: new hypothesis i continues old hypothesis {@code from[i]}. */
  void reorder(int[] from, int rows) {
    int wide = Math.max(stride, position + 1);
    wide = wide > stride ? 2 * wide : wide;
    int size = Math.multiplyExact(rows, wide);
    if (spare.length < size) {
      spare = new int[Math.max(size, Math.min(2 * spare.length, 2 * size))];
    }
    for (int i = 0; i < rows; i++) {
      if (position > 0) { // at 0, the rows are still those of the previous batch
        System.arraycopy(row, from[i] * stride, spare, i * wide, position);
      }
      spare[i * wide + position] = from[i];
    }
    int[] old = row;
    row = spare;
    spare = old;
    stride = wide;
    position++;
  }
}
