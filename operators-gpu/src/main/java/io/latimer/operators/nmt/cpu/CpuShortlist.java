package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.Shortlist;
import java.util.Arrays;
import java.util.BitSet;
import org.bytedeco.javacpp.FloatPointer;

/**
 * The output layer of a batch whose sentences keep to their shortlists. Neither words nor bits
 * depend on who shares the batch. Used by one thread at a time.
 *
 * <p>Of the frequent words, the rows of the output matrix that the live sentences need are
 * gathered, so that one product serves all; each sentence takes from it what it may say. Few
 * sentences have the same rare words, so these are computed for each by itself. Which words are
 * frequent must not hang on the batch: those of low ids are, since vocabularies are sorted so.
 */
final class CpuShortlist implements AutoCloseable {
  /** Ids below it are frequent: so many that a sentence has few others. */
  private static final int FREQUENT = 4096;

  private final Shortlist table;
  private final NativeMatrix output;
  private final FloatPointer weights;
  private final Product product;
  private final int[] columnOf;
  private int[][] words = {};

  /** How many of a sentence's words are frequent: the first ones, since ids rise. */
  private int[] frequent = {};

  private int[][] columns = {};
  private NativeMatrix gathered;
  private int gatheredFor;

  CpuShortlist(Shortlist table, NativeMatrix output, Product product) {
    this.table = table;
    this.output = output;
    this.weights = output.data.getPointer(0); // of its own: pointers have a position
    this.product = product;
    this.columnOf = new int[Math.min(FREQUENT, output.outputs)];
  }

  /** The most outputs of a gathered matrix. */
  static int mostOutputs(NativeMatrix output) {
    return Panels.outputs(output.inputs, Math.min(FREQUENT, output.outputs));
  }

  /** Begins a batch. */
  void start(int[][] sentences) {
    words = new int[sentences.length][];
    frequent = new int[sentences.length];
    columns = new int[sentences.length][];
    for (int s = 0; s < sentences.length; s++) {
      words[s] = table.words(sentences[s]);
      int at = Arrays.binarySearch(words[s], columnOf.length);
      frequent[s] = at < 0 ? -at - 1 : at;
    }
  }

  /**
   * The weights of the frequent words of some rows, or of more: they are gathered anew when half of
   * the sentences have left since.
   *
   * @param sentences of each row; rows of a sentence side by side
   */
  NativeMatrix matrix(int[] sentences, int rows) {
    int live = 0;
    for (int row = 0; row < rows; row++) {
      live += begins(sentences, row) ? 1 : 0;
    }
    if (gathered == null || 2 * live <= gatheredFor) {
      gather(sentences, rows);
      gatheredFor = live;
    }
    return gathered;
  }

  private static boolean begins(int[] sentences, int row) {
    return row == 0 || sentences[row] != sentences[row - 1];
  }

  private void gather(int[] sentences, int rows) {
    BitSet all = new BitSet(columnOf.length);
    for (int row = 0; row < rows; row++) {
      int s = sentences[row];
      for (int i = 0; begins(sentences, row) && i < frequent[s]; i++) {
        all.set(words[s][i]);
      }
    }
    int[] ids = all.stream().toArray();
    int[] places = Panels.places(output.inputs, ids.length);
    int[] outputs = new int[Panels.outputs(output.inputs, ids.length)];
    Arrays.fill(outputs, NativeMatrix.NOTHING);
    for (int i = 0; i < ids.length; i++) {
      outputs[places[i]] = ids[i];
      columnOf[ids[i]] = places[i];
    }
    close();
    gathered = output.gather(outputs, Panels.WIDTH);
    for (int row = 0; row < rows; row++) {
      if (begins(sentences, row)) {
        int s = sentences[row];
        columns[s] = new int[frequent[s]];
        Arrays.setAll(columns[s], i -> columnOf[words[s][i]]);
      }
    }
  }

  /** What a sentence may say: ids, strictly rising. */
  int[] words(int sentence) {
    return words[sentence];
  }

  /**
   * Puts together the logits of what a sentence may say.
   *
   * @param row of the product with the gathered matrix that was computed last
   * @param multiplied that product, without gaps between rows
   * @param logits becomes one for each of {@link #words}, without bias
   */
  void logits(int sentence, int row, float[] multiplied, float[] logits) {
    int at = row * gathered.outputs;
    int[] from = columns[sentence];
    for (int i = 0; i < from.length; i++) {
      logits[i] = multiplied[at + from[i]];
    }
    int[] ids = words[sentence];
    for (int i = from.length; i < ids.length; i++) {
      weights.position((long) ids[i] * output.inputs);
      logits[i] = product.dot(row, weights, output.inputs);
    }
  }

  /** The most words that a sentence of the batch may say. */
  int mostWords() {
    return Arrays.stream(words).mapToInt(list -> list.length).max().orElse(0);
  }

  /** Gives the weights back; they can be gathered again. */
  @Override
  public void close() {
    if (gathered != null) {
      gathered.close();
      gathered = null;
    }
  }
}
