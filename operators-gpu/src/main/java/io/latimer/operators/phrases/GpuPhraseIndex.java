package io.latimer.operators.phrases;

import io.latimer.operators.device.Arena;
import io.latimer.operators.device.Device;
import io.latimer.operators.device.DeviceBuffer;
import io.latimer.operators.device.Gpu;
import io.latimer.operators.device.UploadRing;
import io.latimer.operators.index.MappedSection;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.Lexicon;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.Segment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A phrase index on a GPU: the same bytes as the sections of its segments and of its lexicon; the
 * vocabularies stay on the host. Immutable; shared by all extractors of a process.
 *
 * <p>Takes 16 bytes per source word (text, suffix, prefix lengths, extents), 20 in a segment with
 * wide extents; 6 or 8 per target word; 8 per id of the source vocabulary, 4 per id of the target
 * vocabulary, and 32 per distinct pair of linked words. So it stays within 64 bytes per source word
 * and 8 per target word unless there are more than 1.1 distinct links per source word.
 *
 * <p>With learned pairs, it shares all of that but the links per id with its base index, and adds
 * the same for the pairs: one more segment, and one more table of links.
 */
public final class GpuPhraseIndex implements AutoCloseable {
  private static final String OWNER = "phrase index";

  /** 64-bit fields of lat_phrases_segment. */
  private static final int SEGMENT_FIELDS = 11;

  /** Place of the lexicon's table in lat_phrases_index. */
  private static final int LEXICON = 2;

  private final PhraseIndex index;
  private final Gpu gpu;
  private final Arena arena;
  private final long[] segmentFields;
  private final long[] fields;

  /**
   * Copies an index to a device.
   *
   * @param index must stay open as long as this; has no learned pairs
   * @param device a GPU
   * @throws io.latimer.operators.device.DeviceMemoryException if it does not fit
   */
  public GpuPhraseIndex(PhraseIndex index, Device device) {
    this(index, Gpu.open(device), null);
  }

  /**
   * Adds learned pairs: copies their segment, their links and the new totals of all words' links to
   * the device, and shares the rest with this index.
   *
   * @param pairs that this index does not have, 1 or more
   * @return must be closed before this
   * @throws io.latimer.operators.device.DeviceMemoryException if they do not fit
   * @throws io.latimer.operators.phrases.index.PhraseTextException if they do not fit into an index
   */
  GpuPhraseIndex with(LearnedPairs pairs) {
    return new GpuPhraseIndex(index.with(pairs), gpu, this);
  }

  /** Copies what the base does not have. */
  private GpuPhraseIndex(PhraseIndex index, Gpu gpu, GpuPhraseIndex base) {
    this.index = index;
    this.gpu = gpu;
    int from = base == null ? 0 : base.index.segments().size();
    List<Segment> segments = index.segments().subList(from, index.segments().size());
    Lexicon lexicon = index.lexicon();
    List<MappedSection> sections = new ArrayList<>();
    segments.forEach(segment -> sections.addAll(segment.sections()));
    sections.add(base == null ? lexicon.table() : lexicon.added());
    sections.add(lexicon.sourceLinks());
    sections.add(lexicon.targetLinks());
    long[] sizes = new long[sections.size() + 1];
    for (int i = 0; i < sections.size(); i++) {
      sizes[i] = sections.get(i).length();
    }
    sizes[sections.size()] = (long) Long.BYTES * SEGMENT_FIELDS * index.segments().size();
    this.arena = Arena.exact(gpu, OWNER, sizes);
    try (UploadRing ring = new UploadRing(gpu, OWNER)) {
      long[] addresses = new long[sections.size()];
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = copied(sections.get(i), ring);
      }
      this.segmentFields = segmentFields(segments, addresses, base);
      ByteBuffer bytes =
          ByteBuffer.allocate(Long.BYTES * segmentFields.length).order(ByteOrder.LITTLE_ENDIAN);
      bytes.asLongBuffer().put(segmentFields);
      DeviceBuffer there = arena.allocate(bytes.limit());
      ring.upload(bytes, there);
      int links = addresses.length - 3;
      this.fields =
          new long[] {
            there.address(),
            index.segments().size(),
            base == null ? addresses[links] : base.fields[LEXICON],
            lexicon.slots(),
            addresses[links + 1],
            index.source().size(),
            addresses[links + 2],
            index.target().size(),
            base == null ? 0 : addresses[links],
            base == null ? 0 : Lexicon.slots(lexicon.added()),
            index.learnedSegment() == null ? 0 : 1
          };
      ring.stream().synchronize();
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** The fields of each lat_phrases_segment: those of the base, then those of new segments. */
  private static long[] segmentFields(
      List<Segment> segments, long[] addresses, GpuPhraseIndex base) {
    long[] before = base == null ? new long[0] : base.segmentFields;
    long[] all = Arrays.copyOf(before, before.length + SEGMENT_FIELDS * segments.size());
    int to = before.length;
    int at = 0;
    for (Segment segment : segments) {
      for (int i = segment.sections().size(); i > 0; i--) {
        all[to++] = addresses[at++];
      }
      all[to++] = segment.sourceLength();
      all[to++] = segment.targetLength();
      all[to++] = segment.sourceWords();
      all[to++] = segment.isWide() ? 1 : 0;
    }
    return all;
  }

  private long copied(MappedSection section, UploadRing ring) {
    DeviceBuffer there = arena.allocate(section.length());
    ring.upload(section.pieces(), there);
    return there.address();
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

  /** Bytes allocated on the device; without those of the index that it shares. */
  public long bytes() {
    return arena.capacity();
  }

  /** Frees its memory. Closing twice is safe. */
  @Override
  public void close() {
    arena.close();
  }
}
