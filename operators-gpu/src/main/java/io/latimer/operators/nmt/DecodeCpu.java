package io.latimer.operators.nmt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * {@link Decode} on the CPU, in 32 bits.
 *
 * <p>A batch is sorted by length and encoded and searched as one, save where it would take more
 * memory than the budget: then it is split. Matrix products run on the threads of {@link OpenBlas};
 * everything between them on the calling thread.
 */
public final class DecodeCpu implements Decode {
  /** What a batch may take by default: a quarter of the heap. */
  private static final long DEFAULT_BUDGET = Runtime.getRuntime().maxMemory() / 4;

  /** Keeps every array below 2^31 values. */
  private static final long LARGEST_BUDGET = 4L << 30;

  private final CpuModel model;
  private final boolean ownsModel;
  private final DecodeOptions options;
  private final long budget;
  private final Product product;
  private CpuEncoder encoder;
  private CpuDecoder decoder;
  private BeamSearch search;
  private Encoded encoded;
  private boolean closed;

  private long sentences;
  private long sourceTokens;
  private long targetTokens;
  private long stepsBefore;
  private long nanos;

  /** Decodes with a model of its own. */
  public DecodeCpu(RnnModel model, DecodeOptions options) {
    this(CpuModel.of(model), options, DEFAULT_BUDGET, true);
  }

  /** Decodes with a model that others share and that is closed after this. */
  public DecodeCpu(CpuModel model, DecodeOptions options) {
    this(model, options, DEFAULT_BUDGET, false);
  }

  /**
   * Decodes with a shared model within a memory budget.
   *
   * @param budgetBytes what activations of one batch may take; a sentence that alone takes more is
   *     decoded alone
   */
  public DecodeCpu(CpuModel model, DecodeOptions options, long budgetBytes) {
    this(model, options, budgetBytes, false);
  }

  private DecodeCpu(CpuModel model, DecodeOptions options, long budget, boolean ownsModel) {
    if (budget < 1) {
      throw new IllegalArgumentException("memory budget must be positive, found " + budget);
    }
    this.model = model;
    this.options = options;
    this.budget = Math.min(budget, LARGEST_BUDGET);
    this.ownsModel = ownsModel;
    this.product = new Product(model.widest());
    fresh();
  }

  private void fresh() {
    if (search != null) {
      stepsBefore += search.steps();
    }
    Workspace work = new Workspace(model.settings.state());
    encoder = new CpuEncoder(model, product, work);
    decoder = new CpuDecoder(model, product, work);
    search = new BeamSearch(model, options, product, decoder);
    encoded = new Encoded();
  }

  @Override
  public List<Result<Decoded>> apply(List<int[]> batch) {
    if (closed || model.isClosed()) {
      throw new OperatorException("this decoder is closed; open another");
    }
    long started = System.nanoTime();
    List<Result<Decoded>> results = new ArrayList<>(Collections.nCopies(batch.size(), null));
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      int[] ids = batch.get(i);
      String wrong = check(ids);
      if (wrong != null) {
        results.set(i, Result.failure(new RecordException(wrong)));
      } else if (ids.length == 1) {
        results.set(i, Result.of(empty()));
      } else {
        order.add(i);
      }
    }
    order.sort((a, b) -> batch.get(b).length - batch.get(a).length);
    for (int from = 0; from < order.size(); ) {
      int to = fitting(batch, order, from);
      decode(batch, order.subList(from, to), results);
      from = to;
    }
    nanos += System.nanoTime() - started;
    return results;
  }

  private String check(int[] ids) {
    if (ids.length == 0 || ids[ids.length - 1] != END) {
      return "the source ids do not end with the end token 0";
    }
    if (ids.length > MAX_SOURCE) {
      return "the sentence has "
          + ids.length
          + " source tokens; at most "
          + MAX_SOURCE
          + " can be translated at once";
    }
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] < 0 || ids[i] >= model.settings.sourceVocabulary()) {
        return "source id "
            + ids[i]
            + " at position "
            + i
            + " is not below the vocabulary's "
            + model.settings.sourceVocabulary();
      }
      if (ids[i] == END && i < ids.length - 1) {
        return "the end token 0 stands at position " + i + " of " + ids.length + " source ids";
      }
    }
    return null;
  }

  private Decoded empty() {
    return new Decoded(
        List.of(
            new Hypothesis(
                new int[] {END},
                options.scores() ? new float[1] : null,
                options.scores() ? 0 : Double.NaN,
                options.scores() ? 0 : Double.NaN,
                options.alignment() ? new float[][] {{1f}} : null)));
  }

  /** Says how far a batch fits the budget; at least one sentence. */
  private int fitting(List<int[]> batch, List<Integer> order, int from) {
    long perRow = CpuDecoder.bytesPerRow(model) * options.beamSize();
    long perToken = CpuEncoder.bytesPerToken(model);
    long bytes = 0;
    int to = from;
    while (to < order.size()) {
      bytes += perRow + perToken * batch.get(order.get(to)).length;
      if (bytes > budget && to > from) {
        break;
      }
      to++;
    }
    return to;
  }

  private void decode(List<int[]> batch, List<Integer> part, List<Result<Decoded>> results) {
    int[][] ids = new int[part.size()][];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = batch.get(part.get(i));
    }
    Decoded[] decoded;
    try {
      encoder.encode(ids, encoded);
      decoded = search.search(encoded);
    } catch (OutOfMemoryError e) {
      // an array did not fit: nothing else is broken, and a smaller batch may well fit
      fresh();
      if (ids.length == 1) {
        results.set(
            part.get(0),
            Result.failure(
                new RecordException(
                    "the sentence of "
                        + ids[0].length
                        + " tokens does not fit memory; give more heap (-Xmx) or a smaller beam",
                    e)));
        return;
      }
      decode(batch, part.subList(0, ids.length / 2), results);
      decode(batch, part.subList(ids.length / 2, ids.length), results);
      return;
    }
    for (int i = 0; i < ids.length; i++) {
      sentences++;
      sourceTokens += ids[i].length;
      if (decoded[i] == null) {
        results.set(
            part.get(i),
            Result.failure(
                new RecordException(
                    "the model gives scores that are no finite numbers for this sentence")));
      } else {
        targetTokens += decoded[i].best().ids().length;
        results.set(part.get(i), Result.of(decoded[i]));
      }
    }
  }

  /** What was done since this was made. */
  public DecodeStatistics statistics() {
    return new DecodeStatistics(
        sentences,
        sourceTokens,
        targetTokens,
        stepsBefore + search.steps(),
        nanos,
        product.nanos());
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    product.close();
    if (ownsModel) {
      model.close();
    }
  }
}
