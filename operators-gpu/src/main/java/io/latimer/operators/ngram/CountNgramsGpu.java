package io.latimer.operators.ngram;

import io.latimer.operators.OperatorException;
import io.latimer.operators.Result;
import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.Stream;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.Team;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Counts n-grams on a GPU.
 *
 * <p>A batch is concatenated and counted in pieces. A piece that runs out of memory is halved, and
 * with strategy auto, a strategy that does not fit falls back to the next. Tables stay on the
 * device until {@link #counts}.
 *
 * @param <T> {@code byte[]} or {@code int[]}
 */
public final class CountNgramsGpu<T> extends CountNgrams<T> {
  /** Units per piece; a sort takes up to 20 bytes per unit. Smaller if memory is short. */
  private static final int LARGEST_PIECE = 1 << 29;

  private static final int SMALLEST_PIECE = 1 << 12;

  /** Threads that write to pinned memory: more do not help, the bus is saturated. */
  private static final int MOST_THREADS = 12;

  private final NgramOptions options;
  private final NgramCosts costs = NgramCosts.load();
  private final long memory;
  private final Stream stream;
  private final Closer closer = new Closer();
  private final GpuKernels kernels;
  private final Team team;
  private final GpuOut out;
  private final GpuText<T> texts;
  private final Arena batch;
  private final Arena work;
  private final Map<NgramStrategy, GpuAccumulator> accumulators =
      new EnumMap<>(NgramStrategy.class);
  private int piece;
  private int idBits; // of the batch's words

  /**
   * Makes a counter.
   *
   * @param device a GPU
   * @param memory the maximum size in bytes of each of the counter's arenas
   */
  CountNgramsGpu(NgramOptions options, Device device, long memory, int largestPiece) {
    super(options);
    this.options = options;
    this.memory = memory;
    this.piece = largestPiece;
    Gpu gpu = Gpu.open(device);
    int threads = Team.defaultThreads(MOST_THREADS);
    try {
      this.stream = closer.add(new Stream(gpu, "ngrams"));
      this.kernels = new GpuKernels(gpu, stream);
      this.team = new Team(threads);
      this.work = closer.add(new Arena(gpu, "ngrams work", memory));
      this.batch = closer.add(new Arena(gpu, "ngrams text", memory));
      this.out = closer.add(new GpuOut(gpu, stream, team));
      this.texts = closer.add(new GpuText<>(gpu, kernels, options.unit(), options.order(), team));
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /**
   * Makes a counter of bytes.
   *
   * @throws OperatorException if the device cannot be used
   */
  public static CountNgramsGpu<byte[]> ofBytes(NgramOptions options, Device device) {
    return new CountNgramsGpu<>(options.of(NgramUnit.BYTES), device, Long.MAX_VALUE, LARGEST_PIECE);
  }

  /**
   * Makes a counter of words.
   *
   * @throws OperatorException if the device cannot be used
   */
  public static CountNgramsGpu<int[]> ofWords(NgramOptions options, Device device) {
    return new CountNgramsGpu<>(options.of(NgramUnit.WORDS), device, Long.MAX_VALUE, LARGEST_PIECE);
  }

  @Override
  public List<Result<Long>> apply(List<T> batchOfRecords) {
    requireOpen();
    NgramChecks<T> records = new NgramChecks<>(batchOfRecords, options.order(), team);
    idBits = records.idBits();
    List<GpuText.Slice<T>> slices = new ArrayList<>();
    long units = 0;
    for (T text : records.texts()) {
      int length = Array.getLength(text);
      int from = 0;
      while (length - from >= options.order()) { // anything shorter has no n-grams
        int to = (int) Math.min(length, from + piece - units);
        if (to - from >= options.order()) {
          slices.add(new GpuText.Slice<>(text, from, to));
          units += to - from;
          from = to - options.order() + 1;
          if (to == length) {
            break;
          }
        }
        countPiece(slices);
        slices = new ArrayList<>();
        units = 0;
      }
    }
    countPiece(slices);
    return records.results();
  }

  private void countPiece(List<GpuText.Slice<T>> slices) {
    if (slices.isEmpty()) {
      return;
    }
    long units = slices.stream().mapToLong(GpuText.Slice::units).sum();
    DeviceMemoryException last = null;
    for (NgramStrategy strategy : strategies(units)) {
      AtomicBoolean begun = new AtomicBoolean();
      try {
        GpuAccumulator accumulator = accumulator(strategy);
        accumulator.idBits(idBits);
        batch.reset();
        // SORT's results for two parts must be added on the host; the other strategies add on the
        // device, part by part.
        texts.bring(
            batch,
            slices,
            strategy == NgramStrategy.SORT,
            (part, windows) -> {
              accumulator.add(part, windows);
              begun.set(true);
            });
        accumulator.settle();
        return;
      } catch (DeviceMemoryException e) {
        if (begun.get()) {
          throw e; // parts of the piece are counted: counting them again would be wrong
        }
        last = e;
        stream.synchronize();
      }
    }
    if (units <= SMALLEST_PIECE || last == null) {
      throw last == null ? new OperatorException("no strategy counts " + options) : last;
    }
    piece = (int) Math.max(SMALLEST_PIECE, Math.min(piece, units) / 2);
    int half = slices.size() / 2;
    if (slices.size() == 1) {
      GpuText.Slice<T> one = slices.get(0);
      int middle = one.from() + one.units() / 2;
      countPiece(
          List.of(new GpuText.Slice<>(one.text(), one.from(), middle + options.order() - 1)));
      countPiece(List.of(new GpuText.Slice<>(one.text(), middle, one.to())));
    } else {
      countPiece(slices.subList(0, half));
      countPiece(slices.subList(half, slices.size()));
    }
  }

  /** The strategies to try, in order. */
  private List<NgramStrategy> strategies(long units) {
    // The words of an n-gram share a 64-bit key.
    boolean hashable =
        options.unit() == NgramUnit.BYTES || idBits <= GpuHashTable.wordBits(options.order());
    if (options.strategy() == NgramStrategy.HASH && !hashable) {
      return List.of(NgramStrategy.SORT);
    }
    if (options.strategy() != NgramStrategy.AUTO) {
      return List.of(options.strategy());
    }
    return costs.cheapestFirst(options.unit(), options.order(), units * texts.unitBytes()).stream()
        .filter(s -> hashable || s != NgramStrategy.HASH)
        .toList();
  }

  private GpuAccumulator accumulator(NgramStrategy strategy) {
    GpuAccumulator known = accumulators.get(strategy);
    if (known != null) {
      return known;
    }
    NgramUnit unit = options.unit();
    int order = options.order();
    boolean histogram =
        switch (strategy) {
          case V1, V2 -> true;
          case HASH -> unit == NgramUnit.BYTES && order <= GpuHistogram.MAX_SHARED_ORDER;
          case AUTO, SORT -> false;
        };
    GpuAccumulator made =
        histogram
            ? new GpuHistogram(kernels, out, work, memory, strategy, order)
            : strategy == NgramStrategy.SORT
                ? new GpuSort(kernels, out, work, unit, order)
                : new GpuHashTable(kernels, out, work, memory, unit, order);
    accumulators.put(strategy, closer.add(made));
    return made;
  }

  @Override
  NgramCounts countsWith(NgramCounts added) {
    NgramCounts all = added;
    for (GpuAccumulator accumulator : accumulators.values()) {
      all = NgramCounts.merge(all, accumulator.counts());
    }
    return all;
  }

  @Override
  void clearCounted() {
    accumulators.values().forEach(GpuAccumulator::clear);
  }

  /** Bytes allocated on the device: texts, tables and scratch memory. */
  long bytes() {
    return work.capacity()
        + batch.capacity()
        + accumulators.values().stream().mapToLong(GpuAccumulator::bytes).sum();
  }

  @Override
  void release() {
    closer.add(stream); // closed first: waits for the users of the rest; safe to close twice
    closer.close();
  }
}
