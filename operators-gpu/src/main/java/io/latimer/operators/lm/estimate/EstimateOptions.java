package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.util.Team;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Options for the estimation of a model.
 *
 * @param order length of the longest n-grams: 1 to 8
 * @param prune thresholds per order from 1 on: n-grams that occur at most this often are omitted;
 *     the last applies to all higher orders. The first must be 0, and none may be less than the one
 *     before it.
 * @param fallback discounts for when they cannot be computed
 * @param skipSymbols whether to skip {@code <s>}, {@code </s>} and {@code <unk>} in the text;
 *     otherwise they are rejected
 * @param memory approximate limit in bytes for the Java heap, excluding the dictionary; whatever
 *     does not fit goes to temporary files
 * @param tempFolder folder of the temporary files; Java's default if empty
 * @param device where to count: the CPU sorts, a GPU runs the n-gram counter (order up to 5)
 * @param threads number of threads, 1 or more
 */
public record EstimateOptions(
    int order,
    List<Long> prune,
    Optional<Discounts> fallback,
    boolean skipSymbols,
    long memory,
    Optional<Path> tempFolder,
    Device device,
    int threads) {
  /** The maximum order. */
  public static final int MAX_ORDER = 8;

  /** The minimum memory in bytes. */
  public static final long MIN_MEMORY = 1 << 16;

  /**
   * Checks the ranges.
   *
   * @throws OperatorException if an option is out of range
   */
  public EstimateOptions {
    if (order < 1 || order > MAX_ORDER) {
      throw new OperatorException("the order is " + order + ", but must be 1 to " + MAX_ORDER);
    }
    prune = List.copyOf(prune);
    if (prune.size() > order) {
      throw new OperatorException(
          "there are " + prune.size() + " pruning thresholds, but only " + order + " orders");
    }
    if (!prune.isEmpty() && prune.get(0) != 0) {
      throw new OperatorException(
          "the first pruning threshold is "
              + prune.get(0)
              + ", but must be 0: words are never pruned");
    }
    for (int i = 1; i < prune.size(); i++) {
      if (prune.get(i) < prune.get(i - 1)) {
        throw new OperatorException(
            "pruning threshold "
                + (i + 1)
                + " is "
                + prune.get(i)
                + ", less than the one before it; n-grams would lose their contexts");
      }
    }
    if (memory < MIN_MEMORY) {
      throw new OperatorException(
          "the memory is " + memory + " bytes, but must be at least " + MIN_MEMORY);
    }
    if (threads < 1) {
      throw new OperatorException(
          "the number of threads is " + threads + ", but must be 1 or more");
    }
  }

  /** lmplz's defaults: nothing pruned, no fallback, symbols rejected; on all cores. */
  public static EstimateOptions of(int order) {
    return new EstimateOptions(
        order,
        List.of(),
        Optional.empty(),
        false,
        defaultMemory(),
        Optional.empty(),
        Device.CPU,
        Team.defaultThreads());
  }

  /** Three quarters of the maximum Java heap. */
  public static long defaultMemory() {
    return Runtime.getRuntime().maxMemory() / 4 * 3;
  }

  /** A copy with other pruning thresholds. */
  public EstimateOptions withPrune(List<Long> thresholds) {
    return new EstimateOptions(
        order, thresholds, fallback, skipSymbols, memory, tempFolder, device, threads);
  }

  /** A copy with fallback discounts. */
  public EstimateOptions withFallback(Discounts discounts) {
    return new EstimateOptions(
        order, prune, Optional.of(discounts), skipSymbols, memory, tempFolder, device, threads);
  }

  /** A copy that skips symbols in the text. */
  public EstimateOptions withSkipSymbols(boolean skip) {
    return new EstimateOptions(order, prune, fallback, skip, memory, tempFolder, device, threads);
  }

  /** A copy with another memory limit. */
  public EstimateOptions withMemory(long bytes) {
    return new EstimateOptions(
        order, prune, fallback, skipSymbols, bytes, tempFolder, device, threads);
  }

  /** A copy with another folder for temporary files. */
  public EstimateOptions withTempFolder(Path folder) {
    return new EstimateOptions(
        order, prune, fallback, skipSymbols, memory, Optional.of(folder), device, threads);
  }

  /** A copy with another device. */
  public EstimateOptions withDevice(Device counter) {
    return new EstimateOptions(
        order, prune, fallback, skipSymbols, memory, tempFolder, counter, threads);
  }

  /** A copy with another number of threads. */
  public EstimateOptions withThreads(int number) {
    return new EstimateOptions(
        order, prune, fallback, skipSymbols, memory, tempFolder, device, number);
  }

  /** The threshold of an order, from 1 on. */
  long threshold(int of) {
    return prune.isEmpty() ? 0 : prune.get(Math.min(of, prune.size()) - 1);
  }
}
