package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.Shortlist;
import java.util.Arrays;
import java.util.BitSet;
import org.bytedeco.javacpp.FloatPointer;

/**
 * The output layer of a batch with shortlists. Words and bits do not depend on the other sentences
 * of the batch. Not thread-safe.
 *
 * <p>For the frequent words, the rows of the output matrix that live sentences need are gathered,
 * so that one product serves all; each sentence picks the words that it allows. Rare words have few
 * sentences in common and are computed per sentence. Which words are frequent must not depend on
 * the batch: words with low ids are, because vocabularies are sorted by frequency.
 */
final class CpuShortlist implements AutoCloseable {
  /** Ids below it are frequent: large enough that a sentence has few other words. */
  private static final int FREQUENT = 4096;

  private final Shortlist table;
  private final NativeMatrix output;
  private final FloatPointer weights;
  private final Product product;
  private final int[] columnOf;
  private int[][] words = {};

  /** The number of a sentence's frequent words: the first ones, because ids ascend. */
  private int[] frequent = {};

  private int[][] columns = {};
  private NativeMatrix gathered;
  private int gatheredFor;

  CpuShortlist(Shortlist table, NativeMatrix output, Product product) {
    this.table = table;
    this.output = output;
    this.weights = output.data.getPointer(0); // a separate one: pointers have a position
    this.product = product;
    this.columnOf = new int[Math.min(FREQUENT, output.outputs)];
  }

  /** The maximum number of outputs of a gathered matrix. */
  static int mostOutputs(NativeMatrix output) {
    return Panels.outputs(output.inputs, Math.min(FREQUENT, output.outputs));
  }

  /** Starts a batch. */
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
   * The weights of the frequent words of some rows, or a superset: they are gathered again once
   * half of the sentences have left.
   *
   * @param sentences sentence of each row; rows of a sentence are adjacent
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

  /** The words that a sentence allows: ids, strictly ascending. */
  int[] words(int sentence) {
    return words[sentence];
  }

  /**
   * Assembles the logits of the words that a sentence allows.
   *
   * @param row of the last product with the gathered matrix
   * @param multiplied that product, without gaps between rows
   * @param logits receives one per entry of {@link #words}, without bias
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

  /** The maximum number of allowed words of a sentence of the batch. */
  int mostWords() {
    return Arrays.stream(words).mapToInt(list -> list.length).max().orElse(0);
  }

  /** Releases the gathered weights; they can be gathered again. */
  @Override
  public void close() {
    if (gathered != null) {
      gathered.close();
      gathered = null;
    }
  }
}
