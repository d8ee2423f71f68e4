package io.latimer.operators.index;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A section of any length, in pieces whose size is a power of two: mapped, or in memory.
 * Thread-safe.
 */
public final class MappedSection {
  /** Pieces have 1 GiB. */
  public static final int PIECE_SHIFT = 30;

  private static final int PAGE = 4096;

  private final ByteBuffer[] pieces;
  private final long length;
  private final int shift;
  private final int mask;

  private MappedSection(ByteBuffer[] pieces, long length, int shift) {
    this.pieces = pieces;
    this.length = length;
    this.shift = shift;
    this.mask = (1 << shift) - 1;
  }

  /**
   * Maps a section.
   *
   * @param shift pieces have 2^shift bytes; at least 8
   */
  public static MappedSection of(IndexFile file, String name, int shift) {
    long length = file.length(name);
    List<ByteBuffer> pieces = new ArrayList<>();
    for (long at = 0; at < length; at += 1L << shift) {
      pieces.add(file.section(name, at, (int) Math.min(1L << shift, length - at)));
    }
    return new MappedSection(pieces.toArray(ByteBuffer[]::new), length, shift);
  }

  /**
   * A section on the Java heap, for content made while a job runs: it is garbage-collected.
   *
   * @param length bytes of the section
   * @param content writes them, in parts of any size
   * @throws IllegalArgumentException if it writes more or fewer bytes
   */
  public static MappedSection inMemory(long length, Consumer<Consumer<ByteBuffer>> content) {
    return inMemory(length, content, PIECE_SHIFT);
  }

  /** As {@link #inMemory(long, Consumer)}, in pieces of 2^shift bytes. */
  static MappedSection inMemory(long length, Consumer<Consumer<ByteBuffer>> content, int shift) {
    ByteBuffer[] pieces = new ByteBuffer[(int) ((length + (1L << shift) - 1) >>> shift)];
    for (int i = 0; i < pieces.length; i++) {
      long left = length - ((long) i << shift);
      pieces[i] =
          ByteBuffer.allocate((int) Math.min(1L << shift, left)).order(ByteOrder.LITTLE_ENDIAN);
    }
    long[] written = {0};
    content.accept(
        part -> {
          if (part.remaining() > length - written[0]) {
            throw wrongLength(length, written[0] + part.remaining());
          }
          while (part.hasRemaining()) {
            ByteBuffer to = pieces[(int) (written[0] >>> shift)];
            int size = Math.min(part.remaining(), to.remaining());
            to.put(part.slice().limit(size));
            part.position(part.position() + size);
            written[0] += size;
          }
        });
    if (written[0] != length) {
      throw wrongLength(length, written[0]);
    }
    for (ByteBuffer piece : pieces) {
      piece.flip();
    }
    return new MappedSection(pieces, length, shift);
  }

  private static IllegalArgumentException wrongLength(long length, long written) {
    return new IllegalArgumentException(
        "the section has " + length + " bytes, " + written + " were written");
  }

  /**
   * Copies the bytes to native memory, outside the Java heap.
   *
   * @throws OutOfMemoryError if there is no room for them
   */
  public MappedSection copied() {
    return new MappedSection(
        pieces().stream().map(MappedSection::copied).toArray(ByteBuffer[]::new), length, shift);
  }

  /** A page-aligned copy, so that no 32-byte bucket spans two cache lines. */
  public static ByteBuffer copied(ByteBuffer bytes) {
    if (bytes.remaining() > Integer.MAX_VALUE - 2 * PAGE) {
      return bytes; // stays mapped: no buffer has room for it and the alignment
    }
    return ByteBuffer.allocateDirect(bytes.remaining() + 2 * PAGE)
        .alignedSlice(PAGE)
        .limit(bytes.remaining())
        .slice()
        .put(bytes.duplicate())
        .flip()
        .asReadOnlyBuffer()
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  public long length() {
    return length;
  }

  /** The bytes in order; all pieces except the last have the same length. */
  public List<ByteBuffer> pieces() {
    List<ByteBuffer> copies = new ArrayList<>();
    for (ByteBuffer piece : pieces) {
      copies.add(piece.duplicate().order(ByteOrder.LITTLE_ENDIAN));
    }
    return copies;
  }

  /** All of it as 64-bit numbers if one buffer can hold it; else null. */
  public LongBuffer whole() {
    return pieces.length == 1 ? pieces[0].asLongBuffer() : null;
  }

  /** The 64-bit number at an offset that is a multiple of eight. */
  public long getLong(long offset) {
    return pieces[(int) (offset >>> shift)].getLong((int) offset & mask);
  }

  /** The 32-bit number at an offset that is a multiple of four. */
  public int getInt(long offset) {
    return pieces[(int) (offset >>> shift)].getInt((int) offset & mask);
  }
}
