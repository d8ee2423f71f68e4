package io.latimer.operators.nmt.cpu;

import io.latimer.operators.Result;
import io.latimer.operators.device.SplitRetry;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.SourceChecks;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.List;

/** The state of one thread of a {@link DecodeCpu}. Not thread-safe. */
final class CpuWorker implements AutoCloseable {
  private final CpuWeights model;
  private final DecodeOptions options;
  private final Product product;
  private BeamSearch search;
  private long stepsBefore;
  private long nanos;

  CpuWorker(CpuWeights model, DecodeOptions options) {
    this.model = model;
    this.options = options;
    this.product = new Product(model.widest());
    fresh();
  }

  private void fresh() {
    if (search != null) {
      stepsBefore += search.steps();
    }
    search = new BeamSearch(model, options, product);
  }

  /**
   * Decodes a share of a batch.
   *
   * @param share positions in the batch, longest sentence first
   * @param results of the whole batch; each entry is written by one thread
   * @param helpers share the matrix products; may be null
   */
  void decode(
      List<DecodeInput> batch, List<Integer> share, List<Result<Decoded>> results, Team helpers) {
    long started = System.nanoTime();
    product.shareWith(helpers);
    List<Result<Decoded>> decoded =
        SplitRetry.apply(
            share.stream().map(batch::get).toList(),
            this::attempt,
            this::fresh,
            (input, e) ->
                SourceChecks.tooLarge(
                    input.length(), "memory; use a larger heap (-Xmx) or a smaller beam", e));
    for (int i = 0; i < decoded.size(); i++) {
      results.set(share.get(i), decoded.get(i));
    }
    nanos += System.nanoTime() - started;
  }

  private List<Result<Decoded>> attempt(List<DecodeInput> part) {
    List<Result<Decoded>> results = new ArrayList<>(part.size());
    for (Decoded decoded : search.search(part)) {
      results.add(result(decoded));
    }
    return results;
  }

  private static Result<Decoded> result(Decoded decoded) {
    return decoded != null ? Result.of(decoded) : Result.failure(SourceChecks.notFinite());
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
