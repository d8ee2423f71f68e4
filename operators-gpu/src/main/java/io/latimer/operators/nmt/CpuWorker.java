package io.latimer.operators.nmt;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Team;
import java.util.List;

/** What one thread of a {@link DecodeCpu} works with. Used by one thread at a time. */
final class CpuWorker implements AutoCloseable {
  private final CpuModel model;
  private final DecodeOptions options;
  private final Product product;
  private CpuEncoder encoder;
  private BeamSearch search;
  private Encoded encoded;
  private long stepsBefore;
  private long nanos;

  CpuWorker(CpuModel model, DecodeOptions options) {
    this.model = model;
    this.options = options;
    this.product = new Product(model.widest());
    fresh();
  }

  private void fresh() {
    if (search != null) {
      stepsBefore += search.steps();
    }
    Workspace work = new Workspace(model.settings.state());
    encoder = new CpuEncoder(model, product, work);
    search = new BeamSearch(model, options, product, new CpuDecoder(model, product, work));
    encoded = new Encoded();
  }

  /**
   * Decodes a share of a batch.
   *
   * @param share places in the batch, longest sentence first
   * @param results of the whole batch; each place is written by one thread
   * @param helpers who divide the matrix products, or null
   */
  void decode(List<int[]> batch, List<Integer> share, List<Result<Decoded>> results, Team helpers) {
    long started = System.nanoTime();
    product.shareWith(helpers);
    int[][] ids = new int[share.size()][];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = batch.get(share.get(i));
    }
    try {
      encoder.encode(ids, encoded);
      Decoded[] decoded = search.search(encoded);
      for (int i = 0; i < ids.length; i++) {
        results.set(share.get(i), result(decoded[i]));
      }
      nanos += System.nanoTime() - started;
      return;
    } catch (OutOfMemoryError e) {
      // an array did not fit: nothing else is broken, and a smaller share may well fit
      fresh();
      if (ids.length == 1) {
        results.set(share.get(0), tooLarge(ids[0].length, e));
        return;
      }
    }
    int half = ids.length / 2;
    decode(batch, share.subList(0, half), results, helpers);
    decode(batch, share.subList(half, ids.length), results, helpers);
  }

  private static Result<Decoded> result(Decoded decoded) {
    return decoded != null
        ? Result.of(decoded)
        : Result.failure(
            new RecordException(
                "the model gives scores that are no finite numbers for this sentence"));
  }

  private static Result<Decoded> tooLarge(int tokens, OutOfMemoryError e) {
    return Result.failure(
        new RecordException(
            "the sentence of "
                + tokens
                + " tokens does not fit memory; give more heap (-Xmx) or a smaller beam",
            e));
  }

  long steps() {
    return stepsBefore + search.steps();
  }

  long nanos() {
    return nanos;
  }

  long matrixNanos() {
    return product.nanos();
  }

  @Override
  public void close() {
    product.close();
  }
}
