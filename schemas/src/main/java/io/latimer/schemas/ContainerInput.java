package io.latimer.schemas;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.avro.file.SeekableInput;

/** Reads a container file from start to end, with limited rewinding. */
final class ContainerInput implements Closeable {
  static final int SYNC_BYTES = 16;
  static final int BUFFER_BYTES = 1 << 16;
  private static final int MAX_NUMBER_BYTES = 10;

  private final SeekableInput file;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).limit(0);

  ContainerInput(SeekableInput file) {
    this.file = file;
  }

  long position() throws IOException {
    return file.tell() - buffer.remaining();
  }

  boolean atEnd() throws IOException {
    if (!buffer.hasRemaining()) {
      int read = file.read(buffer.array(), 0, BUFFER_BYTES);
      buffer.position(0).limit(Math.max(0, read));
    }
    return !buffer.hasRemaining();
  }

  private int one() throws IOException {
    if (atEnd()) {
      throw endsTooEarly();
    }
    return buffer.get() & 0xFF;
  }

  private RecordFormatException endsTooEarly() throws IOException {
    return RecordFormatException.at("the file ends too early", position());
  }

  byte[] bytes(int count) throws IOException {
    if (count > file.length() - position()) { // before memory is allocated
      throw endsTooEarly();
    }
    byte[] bytes = new byte[count];
    for (int read = 0; read < count; ) {
      if (atEnd()) {
        throw endsTooEarly();
      }
      int length = Math.min(count - read, buffer.remaining());
      buffer.get(bytes, read, length);
      read += length;
    }
    return bytes;
  }

  /** A zigzag varint. */
  long number() throws IOException {
    long start = position();
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      int b = one();
      value |= (long) (b & 0x7F) << shift;
      if (b < 0x80) {
        return (value >>> 1) ^ -(value & 1);
      }
    }
    throw RecordFormatException.at("a number is longer than it can be", start);
  }

  /** Skips past the first sync marker from an offset on, or to the end of the file. */
  byte[] skipFrom(long start, byte[] sync) throws IOException {
    file.seek(start);
    buffer.limit(0);
    return skip(sync);
  }

  /**
   * Skips past the next sync marker, or to the end of the file.
   *
   * @return the skipped bytes without the marker, at most {@link ContainerFile#MAX_BLOCK_BYTES} and
   *     a header
   */
  byte[] skip(byte[] sync) throws IOException {
    ByteBuffer marker = ByteBuffer.wrap(sync);
    long high = 0;
    long low = 0;
    ByteArrayOutputStream skipped = new ByteArrayOutputStream();
    for (int count = 1; !atEnd(); count = Math.min(count + 1, SYNC_BYTES)) {
      int b = one();
      if (skipped.size() < ContainerFile.MAX_BLOCK_BYTES + 2 * MAX_NUMBER_BYTES + SYNC_BYTES) {
        skipped.write(b);
      }
      high = (high << Byte.SIZE) | (low >>> (Long.SIZE - Byte.SIZE));
      low = (low << Byte.SIZE) | b;
      if (count == SYNC_BYTES && high == marker.getLong(0) && low == marker.getLong(8)) {
        return Arrays.copyOf(skipped.toByteArray(), Math.max(0, skipped.size() - SYNC_BYTES));
      }
    }
    return skipped.toByteArray();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
