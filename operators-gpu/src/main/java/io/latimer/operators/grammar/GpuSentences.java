package io.latimer.operators.grammar;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.Stream;
import io.latimer.operators.util.Closer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.function.Supplier;

/**
 * The sentences of a batch and its results, in page-locked memory and on the device: one copy in
 * each direction. Not thread-safe.
 */
final class GpuSentences implements AutoCloseable {
  private static final String OWNER = "grammar";

  /** 64-bit fields of lat_grammar_plan. */
  private static final int PLAN = 19;

  private static final int INITIAL_HOST_BYTES = 1 << 16;

  private final Gpu gpu;
  private final long bytes;
  private final Closer closer = new Closer();
  private final Stream stream;
  private Arena arena;
  private PinnedBuffer host;

  private int count;
  private long words; // this and the following: where parts of the memory begin, in 32-bit words
  private long order;
  private long slots;
  private long parts;
  private long charts;
  private long lengths;
  private long output;
  private long end;
  private DeviceBuffer input;
  private DeviceBuffer results;
  private final long[] plan = new long[PLAN];

  /**
   * Makes the stream and the host's buffer; the device's memory is allocated per batch.
   *
   * @param bytes limit of device memory for a batch
   */
  GpuSentences(Gpu gpu, long bytes) {
    this.gpu = gpu;
    this.bytes = bytes;
    try {
      closer.add(this::freeHost);
      closer.add(this::freeArena);
      this.stream = closer.add(new Stream(gpu, OWNER)); // closed first: it may use both
      this.arena = new Arena(gpu, OWNER, bytes);
      this.host = new PinnedBuffer(gpu, OWNER, INITIAL_HOST_BYTES);
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  /**
   * Begins a batch.
   *
   * @param chartStarts lat_grammar_batch.d_chart_starts; zeros without charts
   * @param outputWords 32-bit words of results
   * @throws DeviceMemoryException if it does not fit
   */
  void begin(int[][] sentences, long[] chartStarts, long outputWords) {
    long total = 0;
    for (int[] sentence : sentences) {
      total += sentence.length;
    }
    count = sentences.length;
    words = total;
    order = words + count + 1;
    slots = order + count;
    parts = slots + count;
    charts = (parts + count + 2) / 2 * 2; // numbers of 64 bits
    lengths = charts + 2L * count;
    output = lengths + count;
    end = output + outputWords;
    if (end > Integer.MAX_VALUE / Integer.BYTES) {
      throw DeviceMemoryException.tooMany(
          OWNER, "words and results", end, Integer.MAX_VALUE / Integer.BYTES);
    }
    reserve(end * Integer.BYTES);
    write(sentences, chartStarts);
    arena.reset();
    input = arena.allocate(lengths * Integer.BYTES);
    results = arena.allocate(outputWords * Integer.BYTES);
  }

  private void reserve(long size) {
    if (host == null || host.size() < size) {
      freeHost();
      host = new PinnedBuffer(gpu, OWNER, (int) Math.min(Integer.MAX_VALUE, size + size / 2));
    }
  }

  private void freeHost() {
    if (host != null) {
      host.close();
    }
    host = null;
  }

  private void freeArena() {
    if (arena != null) {
      arena.close();
    }
  }

  private void write(int[][] sentences, long[] chartStarts) {
    ByteBuffer buffer = host.bytes();
    IntBuffer to = buffer.asIntBuffer();
    int start = 0;
    for (int s = 0; s < count; s++) {
      to.put(start, sentences[s]);
      to.put((int) words + s, start);
      to.put((int) lengths + s, sentences[s].length);
      start += sentences[s].length;
    }
    to.put((int) words + count, start);
    buffer.position((int) charts * Integer.BYTES);
    buffer.slice().order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().put(chartStarts, 0, count);
  }

  /** Allocates memory for the batch besides its sentences and results. */
  DeviceBuffer allocate(long size) {
    return arena.allocate(size);
  }

  /**
   * Divides the batch.
   *
   * @param function lat_grammar_divide or lat_grammar_viterbi_divide
   * @param grammar its first argument
   */
  void divide(String function, long[] grammar) {
    gpu.call(
        OWNER,
        function,
        grammar,
        here(lengths),
        (long) count,
        Math.max(1, arena.room()),
        plan,
        here(order),
        here(slots),
        here(parts));
  }

  /**
   * Queues the copy to the device, a function on the batch, and the copy back.
   *
   * @param function lat_grammar_check or lat_grammar_viterbi
   * @param grammar its first argument
   * @param roots where in the results lat_grammar_batch.d_roots is
   * @param chart lat_grammar_batch.d_chart
   * @param more arguments after the plan
   */
  void run(String function, long[] grammar, long roots, long chart, Object... more) {
    long[] batch = {
      count,
      here(lengths),
      here(order),
      here(slots),
      here(parts),
      input.address(),
      there(words),
      there(order),
      there(slots),
      there(parts),
      resultsAt(0),
      resultsAt(roots),
      chart,
      there(charts)
    };
    Object[] arguments = new Object[3 + more.length];
    arguments[0] = grammar;
    arguments[1] = batch;
    arguments[2] = plan;
    System.arraycopy(more, 0, arguments, 3, more.length);
    stream.copyIn(host, 0, input.bytes(), input);
    stream.callWithScratch(arena, function, arguments);
    stream.copyOut(results, results.bytes(), host, output * Integer.BYTES);
  }

  private long here(long word) {
    return host.address() + word * Integer.BYTES;
  }

  private long there(long word) {
    return input.address() + word * Integer.BYTES;
  }

  /** The device's address of a word of the results. */
  long resultsAt(long word) {
    return results.address() + word * Integer.BYTES;
  }

  /** The results, after {@link #stream} was synchronized. */
  IntBuffer results() {
    ByteBuffer buffer = host.bytes();
    buffer.position((int) output * Integer.BYTES);
    return buffer.slice().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
  }

  /** Where the work is queued. */
  Stream stream() {
    return stream;
  }

  /**
   * Processes a batch. If it does not fit beside the memory blocks of earlier batches, frees those
   * and tries again.
   */
  <T> T withRoom(Supplier<T> work) {
    boolean used = arena.capacity() > 0;
    try {
      return work.get();
    } catch (DeviceMemoryException e) {
      if (!used) {
        throw e;
      }
    }
    recover();
    return work.get();
  }

  /** Waits for what a failed batch had queued, and frees its memory. */
  void recover() {
    stream.synchronize();
    arena.close();
    arena = new Arena(gpu, OWNER, bytes);
  }

  @Override
  public void close() {
    closer.close();
  }
}
