package io.latimer.operators.phrases;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.DeviceMemoryException;
import io.latimer.operators.device.PinnedBuffer;
import io.latimer.operators.device.ReadBackRing;
import io.latimer.operators.device.ReadBackRing.Part;
import io.latimer.operators.device.Stream;
import io.latimer.operators.phrases.index.PhraseIndexException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
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
  private int reportAt; // in the host's buffer
  private DeviceBuffer room; // of all arrays, whose beginning is in the host's buffer; or null
  private final Map<GpuBatchField, Long> fields = new EnumMap<>(GpuBatchField.class);
  private final Map<GpuBatchField, DeviceBuffer> buffers = new EnumMap<>(GpuBatchField.class);

  /**
   * Begins a batch, for which both arenas are reset.
   *
   * @param host at least 8 * {@link #REPORT} bytes; what of the results of {@link #runWhole} has
   *     room there needs no transfer of its own
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
    requireSound();
    set(number, reported(number.nameInC, place, most));
  }

  private void requireSound() {
    if (reported(CORRUPT) != 0) {
      throw PhraseIndexException.corrupt("its suffixes and its text contradict each other");
    }
  }

  /**
   * Runs all steps in one kernel and waits for it.
   *
   * @param in memory for all arrays
   * @return false if it does not suffice; then the batch is as it was
   * @throws PhraseIndexException if the index contradicts itself
   */
  boolean runWhole(DeviceBuffer in) {
    stream.callWithin(in, "lat_phrases_whole", index.fields(), structure());
    stream.copyOut(in, Math.min(in.bytes(), host.size()), host, 0);
    stream.synchronize();
    Map<GpuBatchField, Long> made = new EnumMap<>(GpuBatchField.class);
    for (GpuBatchField field : GpuBatchField.values()) {
      made.put(field, reported(made.size()));
    }
    if (made.get(GpuBatchField.PAIR_STARTS) == 0) {
      return false;
    }
    fields.putAll(made);
    made.forEach(
        (field, value) -> {
          long at = value - in.address();
          if (field.isArray() && at >= 0 && at < in.bytes()) {
            buffers.put(field, in.slice(at, in.bytes() - at));
          }
        });
    room = in;
    reportAt = (int) (get(GpuBatchField.REPORT) - in.address());
    requireSound();
    return true;
  }

  /** Reads arrays back. */
  void read(ReadBackRing ring, List<Part> parts) {
    List<Part> missing = new ArrayList<>();
    for (Part part : parts) {
      long at = room == null ? Long.MAX_VALUE : part.from().address() - room.address();
      if (part.bytes() <= host.size() - at) {
        part.sink()
            .read(
                0, host.bytes().slice((int) at, (int) part.bytes()).order(ByteOrder.LITTLE_ENDIAN));
      } else {
        missing.add(part);
      }
    }
    ring.read(stream, missing);
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
    return host.bytes().getLong(reportAt + place * Long.BYTES);
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
