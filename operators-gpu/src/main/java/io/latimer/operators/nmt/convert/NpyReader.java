package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipEntry;

/** Reads one array of a .npz file: its header, its content, and that nothing follows. */
final class NpyReader implements AutoCloseable {
  private static final int MAX_HEADER = 1 << 16;
  private static final int CHUNK = 1 << 16;

  private final FileChannel channel;
  private final Path file;
  private final String name;
  private final ZipDirectory.Entry entry;
  private final Inflater inflater;
  private final CRC32 crc = new CRC32();
  private ByteBuffer input = ByteBuffer.allocate(0);
  private long next; // file offset of the next compressed bytes
  private long compressedLeft;
  private long left; // bytes of content not yet read
  private NpyHeader header;

  NpyReader(FileChannel channel, Path file, String name, ZipDirectory.Entry entry)
      throws IOException {
    this.channel = channel;
    this.file = file;
    this.name = name;
    this.entry = entry;
    this.next = ZipDirectory.dataOffset(channel, file, entry);
    this.compressedLeft = entry.compressed();
    this.left = entry.size();
    this.inflater = entry.method() == ZipEntry.DEFLATED ? new Inflater(true) : null;
  }

  /** Reads the header; must be called first, and only once. */
  NpyHeader header() throws IOException {
    ByteBuffer start = take(10, "a .npy header");
    if (start.get(0) != (byte) 0x93
        || !StandardCharsets.US_ASCII.decode(start.slice(1, 5)).toString().equals("NUMPY")) {
      throw refuse("expected a .npy array", "other content");
    }
    int version = start.get(6);
    if (version < 1 || version > 3 || start.get(7) != 0) {
      throw refuse("expected .npy version 1.0, 2.0 or 3.0", version + "." + start.get(7));
    }
    long length = Short.toUnsignedInt(start.getShort(8));
    if (version > 1) {
      ByteBuffer rest = take(2, "a .npy header");
      length |= (long) Short.toUnsignedInt(rest.getShort(0)) << 16;
    }
    if (length > Math.min(left, MAX_HEADER)) {
      throw refuse(
          "expected a header of at most " + Math.min(left, MAX_HEADER) + " bytes", "" + length);
    }
    ByteBuffer text = take((int) length, "a .npy header");
    try {
      header = NpyHeader.parse(StandardCharsets.ISO_8859_1.decode(text).toString());
    } catch (IllegalArgumentException e) {
      throw new ModelFormatException(
          file + " tensor " + name + ": damaged .npy header: " + e.getMessage(), e);
    }
    return header;
  }

  /**
   * Checks order, shape and size against the entry's size.
   *
   * @param width bytes per number
   * @return rows and columns, whose product is below 2^31
   */
  int[] matrix(int width) {
    if (header.fortranOrder()) {
      throw refuse(
          "expected row-major order",
          "fortran_order True (save the array with numpy.ascontiguousarray)");
    }
    List<Long> shape = header.shape();
    if (shape.size() > 2) {
      throw refuse("expected at most two dimensions", "shape " + shape);
    }
    long rows = shape.size() == 2 ? shape.get(0) : 1;
    long cols = shape.isEmpty() ? 1 : shape.get(shape.size() - 1);
    long most = (Integer.MAX_VALUE - 8L) / width;
    if (rows > most || cols > most || rows * cols > most) {
      throw refuse("expected at most " + most + " numbers", "shape " + shape);
    }
    if (rows * cols * width != left) {
      throw refuse(
          "expected " + rows * cols * width + " bytes for shape " + shape + " of " + header.descr(),
          left + " bytes");
    }
    return new int[] {(int) rows, (int) cols};
  }

  /** Describes a type for the user. */
  String describe(String descr) {
    String shown = descr.replaceAll("[^ -~]", "?");
    if (descr.contains("O")) {
      return shown + " (Python objects, which would have to be unpickled)";
    }
    return descr.startsWith(">") ? shown + " (big-endian)" : shown;
  }

  /** Fills a buffer to its limit and flips it for reading from position 0. */
  void read(ByteBuffer target) throws IOException {
    if (target.remaining() > left) {
      throw refuse("expected " + target.remaining() + " more bytes", left + " bytes");
    }
    left -= target.remaining();
    while (target.hasRemaining()) {
      int before = target.position();
      if (inflater == null) {
        refill();
        int count = Math.min(target.remaining(), input.remaining());
        target.put(before, input, input.position(), count).position(before + count);
        input.position(input.position() + count);
      } else if (inflate(target) == 0) {
        throw refuse(
            "expected " + entry.size() + " bytes after inflating",
            (entry.size() - left - target.remaining()) + " bytes");
      }
      ByteBuffer fresh = target.duplicate().flip().position(before);
      crc.update(fresh);
    }
    target.flip();
  }

  /** Checks that the content ends here and matches the directory's checksum. */
  void finish() throws IOException {
    if (inflater != null && inflate(ByteBuffer.allocate(1)) != 0) {
      throw refuse("expected " + entry.size() + " bytes after inflating", "more");
    }
    if ((int) crc.getValue() != entry.crc()) {
      throw refuse(
          String.format("damaged: expected CRC-32 %08x", entry.crc()),
          String.format("%08x", crc.getValue()));
    }
  }

  ModelFormatException refuse(String expected, String found) {
    return new ModelFormatException(
        file + " tensor " + name + ": " + expected + ", found " + found);
  }

  @Override
  public void close() {
    if (inflater != null) {
      inflater.end();
    }
  }

  private ByteBuffer take(int length, String what) throws IOException {
    if (length > left) {
      throw refuse("expected " + what, "an entry of " + entry.size() + " bytes");
    }
    ByteBuffer buffer = ByteBuffer.allocate(length).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    read(buffer);
    return buffer;
  }

  private int inflate(ByteBuffer target) throws IOException {
    try {
      while (true) {
        int count = inflater.inflate(target);
        if (count > 0 || inflater.finished() || inflater.needsDictionary()) {
          return count;
        }
        if (inflater.needsInput()) {
          if (!refill()) {
            return 0;
          }
          inflater.setInput(input);
        }
      }
    } catch (DataFormatException e) {
      throw new ModelFormatException(
          file + " tensor " + name + ": damaged deflated data: " + e.getMessage(), e);
    }
  }

  private boolean refill() throws IOException {
    if (!input.hasRemaining() && compressedLeft > 0) {
      int count = (int) Math.min(CHUNK, compressedLeft);
      input = ZipDirectory.readFully(channel, next, count);
      next += count;
      compressedLeft -= count;
    }
    return input.hasRemaining();
  }
}
