package io.latimer.operators.lm.estimate;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.util.Team;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a model is estimated.
 *
 * @param order of the longest n-grams: 1 to 8
 * @param prune n-grams that occur so often or less are left out, by order from 1 on; the last holds
 *     for all higher orders. The first must be 0, and none less than the one before it.
 * @param fallback the discounts to take where they cannot be computed
 * @param skipSymbols whether {@code <s>}, {@code </s>} and {@code <unk>} in the text are left out;
 *     else they are refused
 * @param memory about how many bytes of Java's memory may be used, beside the dictionary; what does
 *     not fit goes to temporary files
 * @param tempFolder where these are; Java's folder for temporary files if none is given
 * @param device what counts: the CPU sorts, a GPU runs the counter of n-grams (order up to 5)
 * @param threads how many threads work, 1 or more
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
  /** The highest order. */
  public static final int MAX_ORDER = 8;

  /** The least memory. */
  public static final long MIN_MEMORY = 1 << 16;

  /**
   * Checks the ranges.
   *
   * @throws OperatorException if something is out of its range
   */
  public EstimateOptions {
    if (order < 1 || order > MAX_ORDER) {
      throw new OperatorException("the order is " + order + ", but must be 1 to " + MAX_ORDER);
    }
    prune = List.copyOf(prune);
    if (prune.size() > order) {
      throw new OperatorException(
          "there are " + prune.size() + " thresholds of pruning, but only " + order + " orders");
    }
    if (!prune.isEmpty() && prune.get(0) != 0) {
      throw new OperatorException(
          "the first threshold of pruning is "
              + prune.get(0)
              + ", but must be 0: words are never pruned");
    }
    for (int i = 1; i < prune.size(); i++) {
      if (prune.get(i) < prune.get(i - 1)) {
        throw new OperatorException(
            "threshold "
                + (i + 1)
                + " of pruning is "
                + prune.get(i)
                + ", less than the one before it; n-grams would lose their parts");
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

  /** As lmplz has it: nothing pruned, no fallback, symbols refused; on all cores. */
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

  /** Three quarters of what Java may take. */
  public static long defaultMemory() {
    return Runtime.getRuntime().maxMemory() / 4 * 3;
  }

  /** With other thresholds of pruning. */
  public EstimateOptions withPrune(List<Long> thresholds) {
    return new EstimateOptions(
        order, thresholds, fallback, skipSymbols, memory, tempFolder, device, threads);
  }

  /** With discounts to fall back on. */
  public EstimateOptions withFallback(Discounts discounts) {
    return new EstimateOptions(
        order, prune, Optional.of(discounts), skipSymbols, memory, tempFolder, device, threads);
  }

  /** With symbols in the text left out. */
  public EstimateOptions withSkipSymbols(boolean skip) {
    return new EstimateOptions(order, prune, fallback, skip, memory, tempFolder, device, threads);
  }

  /** With another bound of memory. */
  public EstimateOptions withMemory(long bytes) {
    return new EstimateOptions(
        order, prune, fallback, skipSymbols, bytes, tempFolder, device, threads);
  }

  /** With another place for temporary files. */
  public EstimateOptions withTempFolder(Path folder) {
    return new EstimateOptions(
        order, prune, fallback, skipSymbols, memory, Optional.of(folder), device, threads);
  }

  /** With another counter. */
  public EstimateOptions withDevice(Device counter) {
    return new EstimateOptions(
        order, prune, fallback, skipSymbols, memory, tempFolder, counter, threads);
  }

  /** With another number of threads. */
  public EstimateOptions withThreads(int number) {
    return new EstimateOptions(
        order, prune, fallback, skipSymbols, memory, tempFolder, device, number);
  }

  /** The threshold of an order, from 1 on. */
  long threshold(int of) {
    return prune.isEmpty() ? 0 : prune.get(Math.min(of, prune.size()) - 1);
  }
}
