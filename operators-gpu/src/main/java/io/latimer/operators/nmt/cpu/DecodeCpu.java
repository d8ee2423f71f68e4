package io.latimer.operators.nmt.cpu;

import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.DecodeStatistics;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.SourceChecks;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * {@link Decode} on the CPU, in float32 or with products of 8-bit integers.
 *
 * <p>A batch is sorted by length and distributed among the threads, each of which encodes and
 * searches its share as one batch. If there are fewer sentences than threads, the batch is one
 * share, and the threads share every float32 product instead. Shares that would exceed the memory
 * budget are split.
 *
 * <p>Handles one call at a time: a concurrent {@link #apply} is rejected without affecting the
 * first. {@link #close} waits for a running call.
 */
public final class DecodeCpu implements Decode {

  /** Keeps every array below 2^31 values. */
  private static final long LARGEST_BUDGET = 4L << 30;

  /** Maximum hypotheses per share: more do not speed up products, but overflow the caches. */
  private static final int MOST_ROWS = 512;

  private final CpuWeights model;
  private final boolean ownsModel;
  private final DecodeOptions options;
  private final long budget;
  private final Team team;

  /** Held by calls and by close: both access matrices in native memory. */
  private final Semaphore use = new Semaphore(1);

  private final List<CpuWorker> workers = new ArrayList<>();
  private boolean closed;

  private long sentences;
  private long sourceTokens;
  private long targetTokens;

  /** Decodes with its own copy of a model, on {@link Team#defaultThreads} threads. */
  public DecodeCpu(Network model, DecodeOptions options) {
    this(CpuWeights.of(model), options, Team.defaultThreads(), defaultBudget(), true);
  }

  /** Decodes with a shared model, which must be closed after this. */
  public DecodeCpu(CpuWeights model, DecodeOptions options) {
    this(model, options, Team.defaultThreads(), defaultBudget());
  }

  /**
   * Decodes with a shared model, which must be closed after this.
   *
   * @param threads at least 1, including the caller's
   * @param budgetBytes limit for a batch's activations; a sentence that exceeds it is decoded alone
   */
  public DecodeCpu(CpuWeights model, DecodeOptions options, int threads, long budgetBytes) {
    this(model, options, threads, budgetBytes, false);
  }

  private DecodeCpu(
      CpuWeights model, DecodeOptions options, int threads, long budget, boolean ownsModel) {
    if (budget < 1) {
      throw new IllegalArgumentException("memory budget must be positive, found " + budget);
    }
    if (threads < 1 || threads > 1024) {
      throw new IllegalArgumentException("threads must be from 1 to 1024, found " + threads);
    }
    this.model = model;
    this.options = options.forModel(model.settings().search());
    this.budget = Math.max(1, Math.min(budget, LARGEST_BUDGET) / threads);
    this.ownsModel = ownsModel;
    this.team = new Team(threads);
    for (int i = 0; i < threads; i++) {
      workers.add(new CpuWorker(model, this.options));
    }
  }

  private static long defaultBudget() {
    return Runtime.getRuntime().maxMemory() / 4;
  }

  /**
   * {@inheritDoc}
   *
   * @throws OperatorException if this is closed, or another call is running or closing it
   */
  @Override
  public List<Result<Decoded>> apply(List<DecodeInput> batch) {
    if (!use.tryAcquire()) {
      throw new OperatorException(
          "another thread is using this decoder: open one per thread; they can share a model");
    }
    try {
      return decodeAll(batch);
    } finally {
      use.release();
    }
  }

  private List<Result<Decoded>> decodeAll(List<DecodeInput> batch) {
    if (closed || model.isClosed()) {
      throw new OperatorException("this decoder is closed; open another");
    }
    List<Result<Decoded>> results = new ArrayList<>(Collections.nCopies(batch.size(), null));
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      DecodeInput input = batch.get(i);
      RecordException wrong = SourceChecks.check(input, model.settings(), options);
      if (wrong != null) {
        results.set(i, Result.failure(wrong));
      } else if (SourceChecks.isEmpty(input, options)) {
        results.set(i, Result.of(SourceChecks.empty(options)));
      } else {
        order.add(i);
      }
    }
    order.sort((a, b) -> batch.get(b).length() - batch.get(a).length());
    List<List<Integer>> shares = shares(batch, order);
    if (order.size() < team.size()) {
      for (List<Integer> share : shares) {
        workers.get(0).decode(batch, share, results, team);
      }
    } else {
      Queue<CpuWorker> free = new ConcurrentLinkedQueue<>(workers);
      team.run(
          shares.size(),
          i -> {
            CpuWorker worker = free.remove();
            try {
              worker.decode(batch, shares.get(i), results, null);
            } finally {
              free.add(worker);
            }
          });
    }
    count(batch, order, results);
    return results;
  }

  private void count(List<DecodeInput> batch, List<Integer> order, List<Result<Decoded>> results) {
    for (int i : order) {
      sentences++;
      sourceTokens += batch.get(i).length();
      if (results.get(i) instanceof Result.Value<Decoded> value) {
        targetTokens += value.value().best().ids().length;
      }
    }
  }

  /** Distributes sentences so that every share has long and short ones, longest first. */
  private List<List<Integer>> shares(List<DecodeInput> batch, List<Integer> order) {
    int n = order.size();
    int threads = n < team.size() ? 1 : team.size();
    int most = Math.max(1, MOST_ROWS / options.beamSize());
    int hands = Math.max(1, Math.min(n, threads * ((n + threads * most - 1) / (threads * most))));
    List<List<Integer>> shares = new ArrayList<>();
    for (int hand = 0; hand < hands; hand++) {
      List<Integer> share = new ArrayList<>();
      for (int i = hand; i < n; i += hands) {
        share.add(order.get(i));
      }
      for (int from = 0; from < share.size(); ) {
        int to = fitting(batch, share, from);
        shares.add(share.subList(from, to));
        from = to;
      }
    }
    return shares;
  }

  /** Finds how much of a share fits the budget; at least one sentence. */
  private int fitting(List<DecodeInput> batch, List<Integer> share, int from) {
    int beam = options.beamSize();
    long bytes = 0;
    int to = from;
    while (to < share.size()) {
      int length = batch.get(share.get(to)).length();
      bytes += length * model.bytesPerToken() + beam * model.bytesPerRow();
      bytes += (long) beam * options.limit(length) * model.bytesPerTargetToken();
      if (bytes > budget && to > from) {
        break;
      }
      to++;
    }
    return to;
  }

  /** The work done since this was made. */
  public DecodeStatistics statistics() {
    long steps = 0;
    long nanos = 0;
    long matrixNanos = 0;
    for (CpuWorker worker : workers) {
      steps += worker.steps();
      nanos += worker.nanos();
      matrixNanos += worker.matrixNanos();
    }
    return new DecodeStatistics(sentences, sourceTokens, targetTokens, steps, nanos, matrixNanos);
  }

  /** Waits for a running call. */
  @Override
  public void close() {
    use.acquireUninterruptibly();
    try {
      if (closed) {
        return;
      }
      closed = true;
      workers.forEach(CpuWorker::close);
      if (ownsModel) {
        model.close();
      }
    } finally {
      use.release();
    }
  }
}
