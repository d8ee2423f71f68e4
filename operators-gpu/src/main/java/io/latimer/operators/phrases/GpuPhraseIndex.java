package io.latimer.operators.phrases;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.UploadRing;
import io.latimer.operators.index.MappedSection;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.Segment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A phrase index on a GPU: the same bytes as the sections of its segments and of its lexicon; the
 * vocabularies stay on the host. Immutable; shared by all extractors of a process.
 *
 * <p>Of each source word it takes 16 bytes (text, suffix, prefix lengths, extents), 20 in a segment
 * with wide extents; of each target word 6 or 8. Then 8 bytes per id of the source vocabulary, 4 of
 * the target vocabulary, and 32 per distinct pair of words that are linked. So it stays within 64
 * bytes per source word and 8 per target word unless there are more than 1.1 distinct links per
 * source word.
 */
public final class GpuPhraseIndex implements AutoCloseable {
  private static final String OWNER = "phrase index";

  /** 64-bit fields of lat_phrases_segment. */
  private static final int SEGMENT_FIELDS = 11;

  private final PhraseIndex index;
  private final Gpu gpu;
  private final Arena arena;
  private final long[] fields;

  /**
   * Copies an index to a device.
   *
   * @param index must stay open as long as this
   * @param device a GPU
   * @throws io.latimer.operators.device.DeviceMemoryException if it does not fit
   */
  public GpuPhraseIndex(PhraseIndex index, Device device) {
    this.index = index;
    this.gpu = Gpu.open(device);
    List<MappedSection> sections = new ArrayList<>();
    index.segments().forEach(segment -> sections.addAll(segment.sections()));
    sections.addAll(index.lexicon().sections());
    long[] sizes = new long[sections.size() + 1];
    for (int i = 0; i < sections.size(); i++) {
      sizes[i] = sections.get(i).length();
    }
    sizes[sections.size()] = segmentsBytes(index);
    this.arena = Arena.exact(gpu, OWNER, sizes);
    try (UploadRing ring = new UploadRing(gpu, OWNER)) {
      long[] addresses = new long[sections.size()];
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = copied(sections.get(i), ring);
      }
      this.fields = fields(addresses, ring);
      ring.stream().synchronize();
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  private static long segmentsBytes(PhraseIndex index) {
    return (long) Long.BYTES * SEGMENT_FIELDS * index.segments().size();
  }

  private long copied(MappedSection section, UploadRing ring) {
    DeviceBuffer there = arena.allocate(section.length());
    long at = 0;
    for (ByteBuffer piece : section.pieces()) {
      ring.upload(piece, there.slice(at, piece.limit()));
      at += piece.limit();
    }
    return there.address();
  }

  /** The fields of lat_phrases_index; those of its segments go to the device. */
  private long[] fields(long[] addresses, UploadRing ring) {
    DeviceBuffer there = arena.allocate(segmentsBytes(index));
    ByteBuffer segments = ByteBuffer.allocate((int) there.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    for (Segment segment : index.segments()) {
      for (int i = segment.sections().size(); i > 0; i--) {
        segments.putLong(addresses[at++]);
      }
      segments.putLong(segment.sourceLength()).putLong(segment.targetLength());
      segments.putLong(segment.sourceWords()).putLong(segment.isWide() ? 1 : 0);
    }
    ring.upload(segments.flip(), there);
    return new long[] {
      there.address(),
      index.segments().size(),
      addresses[at],
      index.lexicon().slots(),
      addresses[at + 1],
      index.source().size(),
      addresses[at + 2],
      index.target().size()
    };
  }

  /** The index. */
  public PhraseIndex index() {
    return index;
  }

  Gpu gpu() {
    return gpu;
  }

  /** The fields of lat_phrases_index. */
  long[] fields() {
    return fields;
  }

  /** Bytes allocated on the device. */
  public long bytes() {
    return arena.capacity();
  }

  /** Frees its memory. Closing twice is safe. */
  @Override
  public void close() {
    arena.close();
  }
}
