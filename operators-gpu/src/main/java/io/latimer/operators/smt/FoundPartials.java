package io.latimer.operators.smt;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The results of searches on a GPU, as latimer_smt.h describes them.
 *
 * @param found {@link #FOUND} numbers for each sentence: the first partial translation and how many
 *     there are, the first complete one and how many
 * @param partials {@link #PARTIAL_BYTES} for each; little-endian
 * @param choices by number
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FoundPartials(int[] found, ByteBuffer partials, Choice[] choices) {
  /** Bytes of a lat_smt_partial. */
  static final int PARTIAL_BYTES = 32;

  /** Ints of a lat_smt_found. */
  static final int FOUND = 4;

  /** Stands for no partial translation. */
  private static final int NONE = -1;

  /** The best translations of a sentence, best first. */
  List<Derivation> best(int sentence, FeatureWeights weights, int nBest) {
    int first = found[sentence * FOUND];
    if (first == NONE) {
      throw new IllegalStateException("sentence " + sentence + " has no room for its results");
    }
    int size = found[sentence * FOUND + 1];
    int complete = found[sentence * FOUND + 2];
    int completeCount = found[sentence * FOUND + 3];
    Partials read = new Partials(size);
    for (int i = 0; i < size; i++) {
      int at = at(first + i);
      int added = read.add();
      read.score[added] = partials.getDouble(at);
      read.log10[added] = partials.getFloat(at + 8);
      read.before[added] = partials.getInt(at + 16);
      read.from[added] = partials.getInt(at + 20);
      read.choice[added] =
          read.before[added] == Partials.NONE ? null : choices[partials.getInt(at + 24)];
      read.alternative[added] = partials.getInt(at + 28);
    }
    float[] ends = new float[completeCount];
    for (int i = 0; i < completeCount; i++) {
      ends[i] = partials.getFloat(at(first + complete + i) + 12);
    }
    int[] all = IntStream.range(complete, complete + completeCount).toArray();
    return new BestPaths(read, all, ends, weights).find(nBest);
  }

  private static int at(int partial) {
    return partial * PARTIAL_BYTES;
  }
}
