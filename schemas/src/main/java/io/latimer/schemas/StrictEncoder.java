package io.latimer.schemas;

import java.io.IOException;
import java.util.Arrays;
import org.apache.avro.io.BinaryData;
import org.apache.avro.io.BinaryEncoder;

/**
 * Encodes Avro's binary encoding in memory, and refuses texts that Java would encode with question
 * marks. Avro's own encoders write to a stream, short numbers byte by byte.
 */
final class StrictEncoder extends BinaryEncoder {
  /** Maximum bytes of a number. */
  private static final int NUMBER = 10;

  private byte[] bytes;
  private int size;

  /**
   * Makes an encoder.
   *
   * @param room expected number of bytes, 1 or more
   */
  StrictEncoder(int room) {
    bytes = new byte[room];
  }

  /** The bytes written so far. */
  byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  @Override
  public void writeString(String text) throws IOException {
    byte[] utf8 = Utf8Text.encode(text);
    writeBytes(utf8, 0, utf8.length);
  }

  @Override
  public void writeBoolean(boolean value) {
    reserve(NUMBER);
    size += BinaryData.encodeBoolean(value, bytes, size);
  }

  @Override
  public void writeInt(int value) {
    reserve(NUMBER);
    size += BinaryData.encodeInt(value, bytes, size);
  }

  @Override
  public void writeLong(long value) {
    reserve(NUMBER);
    size += BinaryData.encodeLong(value, bytes, size);
  }

  @Override
  public void writeFloat(float value) {
    reserve(NUMBER);
    size += BinaryData.encodeFloat(value, bytes, size);
  }

  @Override
  public void writeDouble(double value) {
    reserve(NUMBER);
    size += BinaryData.encodeDouble(value, bytes, size);
  }

  @Override
  public void writeFixed(byte[] source, int start, int length) {
    reserve(length);
    System.arraycopy(source, start, bytes, size, length);
    size += length;
  }

  @Override
  protected void writeZero() {
    writeInt(0);
  }

  @Override
  public int bytesBuffered() {
    return size;
  }

  @Override
  public void flush() {
    // everything stays in memory
  }

  private void reserve(int more) {
    if (more > bytes.length - size) {
      long needed = (long) size + more;
      if (needed > Integer.MAX_VALUE - NUMBER) {
        throw new IllegalArgumentException("a record must be smaller than 2 GiB");
      }
      bytes =
          Arrays.copyOf(
              bytes, (int) Math.max(needed, Math.min(2L * size, Integer.MAX_VALUE - NUMBER)));
    }
  }
}
