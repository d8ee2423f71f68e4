package io.latimer.operators.ngram;

import io.latimer.operators.Result;
import io.latimer.operators.util.Team;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Counts n-grams on all cores: each thread counts a share of a batch's n-grams in its own table,
 * and {@link #counts} adds the tables. Bytes of order 1 and 2 have one counter per possible n-gram;
 * everything else uses an open-addressing table.
 *
 * @param <T> {@code byte[]} or {@code int[]}
 */
public final class CountNgramsCpu<T> extends CountNgrams<T> {
  /** Below this number of n-grams, threads cost more than they save. */
  private static final long SMALLEST_SHARE = 1 << 14;

  private final Team team;
  private final List<CpuAccumulator<T>> accumulators;

  private CountNgramsCpu(
      NgramOptions options, int threads, Supplier<CpuAccumulator<T>> accumulator) {
    super(options);
    this.team = new Team(threads);
    this.accumulators = Stream.generate(accumulator).limit(threads).toList();
  }

  /**
   * Makes a counter of bytes.
   *
   * @param threads 1 or more
   */
  public static CountNgramsCpu<byte[]> ofBytes(NgramOptions options, int threads) {
    return new CountNgramsCpu<>(
        options.of(NgramUnit.BYTES), threads, () -> CpuAccumulator.ofBytes(options.order()));
  }

  /**
   * Makes a counter of words.
   *
   * @param threads 1 or more
   */
  public static CountNgramsCpu<int[]> ofWords(NgramOptions options, int threads) {
    return new CountNgramsCpu<>(
        options.of(NgramUnit.WORDS), threads, () -> CpuAccumulator.ofWords(options.order()));
  }

  @Override
  public List<Result<Long>> apply(List<T> batch) {
    requireOpen();
    NgramChecks<T> records = new NgramChecks<>(batch, options().order(), team);
    long share = Math.max(SMALLEST_SHARE, (records.windows() + team.size() - 1) / team.size());
    int parts = (int) Math.min(team.size(), (records.windows() + share - 1) / share);
    team.run(
        parts,
        part ->
            countShare(records.texts(), part * share, (part + 1) * share, accumulators.get(part)));
    return records.results();
  }

  /** Counts the n-grams with indexes [from, to) among those of all records. */
  private void countShare(List<T> texts, long from, long to, CpuAccumulator<T> accumulator) {
    long before = 0;
    for (T text : texts) {
      long windows = Math.max(0, accumulator.length(text) - options().order() + 1L);
      long first = Math.max(from - before, 0);
      long last = Math.min(to - before, windows);
      if (first < last) {
        accumulator.add(text, (int) first, (int) last);
      }
      before += windows;
      if (before >= to) {
        return;
      }
    }
  }

  @Override
  NgramCounts countsWith(NgramCounts added) {
    CpuAccumulator<T> all = accumulators.get(0);
    for (int i = 1; i < accumulators.size(); i++) {
      all.take(accumulators.get(i));
    }
    return NgramCounts.merge(added, all.sorted());
  }

  @Override
  void clearCounted() {
    accumulators.forEach(CpuAccumulator::clear);
  }

  @Override
  void release() {} // holds memory only
}
