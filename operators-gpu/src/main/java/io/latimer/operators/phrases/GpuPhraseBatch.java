package io.latimer.operators.phrases;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.ReadBackRing.Part;
import io.latimer.operators.device.Stream;
import io.latimer.operators.phrases.index.PhraseIndexException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * A batch on its way through the phrase functions of latimer_kernels.h: the structure that they
 * take, and the memory that it points to.
 */
final class GpuPhraseBatch {
  /** Numbers in lat_phrases_batch.d_report. */
  static final int REPORT = 8;

  private static final int PLACES = 2;
  private static final int CORRUPT = 6;

  private static final String OWNER = "phrases";

  private final GpuPhraseIndex index;
  private final Stream stream;
  private final Arena results;
  private final Arena scratch;
  private final PinnedBuffer host;
  private final Map<GpuBatchField, Long> fields = new EnumMap<>(GpuBatchField.class);
  private final Map<GpuBatchField, DeviceBuffer> buffers = new EnumMap<>(GpuBatchField.class);

  /**
   * Begins a batch, for which both arenas are reset.
   *
   * @param host at least 8 * {@link #REPORT} bytes
   */
  GpuPhraseBatch(
      GpuPhraseIndex index, Stream stream, Arena results, Arena scratch, PinnedBuffer host) {
    this.index = index;
    this.stream = stream;
    this.results = results;
    this.scratch = scratch;
    this.host = host;
    results.reset();
    allocate(GpuBatchField.REPORT, REPORT, Long.BYTES);
  }

  /** Sets a number. */
  void set(GpuBatchField field, long value) {
    fields.put(field, value);
  }

  /** A number. */
  long get(GpuBatchField field) {
    return fields.getOrDefault(field, 0L);
  }

  /**
   * Allocates an array.
   *
   * @param bytes of an element
   * @throws DeviceMemoryException if it does not fit
   */
  DeviceBuffer allocate(GpuBatchField field, long elements, int bytes) {
    boolean fits = elements <= Long.MAX_VALUE / bytes;
    DeviceBuffer buffer = results.allocate(fits ? elements * bytes : Long.MAX_VALUE);
    buffers.put(field, buffer);
    set(field, buffer.address());
    return buffer;
  }

  private long[] structure() {
    return Arrays.stream(GpuBatchField.values()).mapToLong(this::get).toArray();
  }

  /** Queues a step. Steps follow each other in the stream, and so does their use of scratch. */
  void queue(String function) {
    scratch.reset();
    stream.callWithScratch(scratch, function, index.fields(), structure());
  }

  /**
   * Queues a step, waits for it and sets a number that it reports.
   *
   * @param place of the number in the report
   * @param most that can be counted
   * @throws DeviceMemoryException if there are more
   * @throws PhraseIndexException if the index contradicts itself
   */
  void run(String function, GpuBatchField number, int place, long most) {
    queue(function);
    stream.copyOut(buffers.get(GpuBatchField.REPORT), (long) REPORT * Long.BYTES, host, 0);
    stream.synchronize();
    if (reported(CORRUPT) != 0) {
      throw PhraseIndexException.corrupt("its suffixes and its text contradict each other");
    }
    set(number, reported(number.nameInC, place, most));
  }

  /**
   * The phrases of all sentences, once they are found.
   *
   * @throws DeviceMemoryException if there are more than arrays have elements
   */
  int places() {
    return (int) reported("places", PLACES, PhraseResults.MAX_ROWS);
  }

  /**
   * A number that a step has reported.
   *
   * @throws DeviceMemoryException if it is above a maximum
   */
  private long reported(String what, int place, long most) {
    long found = reported(place);
    if (found > most) {
      throw DeviceMemoryException.tooMany(OWNER, what, found, most);
    }
    return found;
  }

  private long reported(int place) {
    return host.bytes().getLong(place * Long.BYTES);
  }

  /** The transfer of an array to the host. */
  Part part(GpuBatchField field, int[] to) {
    return Part.of(buffers.get(field), to);
  }

  Part part(GpuBatchField field, long[] to) {
    return Part.of(buffers.get(field), to);
  }

  Part part(GpuBatchField field, double[] to) {
    return new Part(
        buffers.get(field),
        (long) Double.BYTES * to.length,
        (at, slot) ->
            slot.asDoubleBuffer()
                .get(to, (int) (at / Double.BYTES), slot.remaining() / Double.BYTES));
  }

  Part part(GpuBatchField field, byte[] to) {
    return new Part(
        buffers.get(field), to.length, (at, slot) -> slot.get(to, (int) at, slot.remaining()));
  }
}
