package io.latimer.schemas;

import java.nio.ByteBuffer;
import org.apache.avro.io.Decoder;
import org.apache.avro.util.Utf8;

/**
 * Decodes Avro's binary encoding from an array of untrusted bytes. Every length is checked against
 * the remaining bytes before memory is allocated, texts must be well-formed UTF-8, and every error
 * gives its byte offset. Avro's own decoder trusts lengths.
 *
 * <p>A block of an array or map must not announce more items than there are remaining bytes, and
 * the items of earlier blocks must have had as many bytes: in our schemas every item takes at least
 * one byte. So the work is proportional to the bytes, whatever their schema.
 */
final class BoundedDecoder extends Decoder {
  private static final int MAX_INT_BYTES = 5;
  private static final int MAX_LONG_BYTES = 10;

  /** Maximum array items that take no bytes, which other schemas allow. */
  private static final int FREE_ITEMS = 1024;

  private final byte[] bytes;
  private final int end;
  private int at;
  private long items;
  private long itemsBefore;
  private long keep = Long.MAX_VALUE;
  private boolean tooLong;
  private boolean text;

  BoundedDecoder(byte[] bytes, int start) {
    this(bytes, start, bytes.length);
  }

  /**
   * Makes a decoder of a part of an array.
   *
   * @param end exclusive
   */
  BoundedDecoder(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  /**
   * Limits what the next record may keep in memory.
   *
   * @param most bytes of its texts and byte fields, and items of its arrays, together; what is
   *     skipped does not count
   */
  void limit(long most) {
    keep = most;
    tooLong = false;
    itemsBefore = items;
  }

  /** Whether decoding failed because the record would keep more than its limit. */
  boolean isTooLong() {
    return tooLong;
  }

  /** Goes back to the start of the record, to skip it. */
  void rewind(int position) {
    at = position;
    items = itemsBefore;
  }

  /** Whether bytes are read for a text, as Avro promotes them; they must then be UTF-8. */
  void expectText(boolean expected) {
    text = expected;
  }

  private void keep(long count) throws RecordFormatException {
    keep -= count;
    if (keep < 0) {
      tooLong = true;
      throw RecordFormatException.at("the record is longer than the maximum", at);
    }
  }

  /** Position of the next byte. */
  int position() {
    return at;
  }

  /** Number of remaining bytes. */
  int remaining() {
    return end - at;
  }

  @Override
  public void readNull() {}

  @Override
  public boolean readBoolean() throws RecordFormatException {
    need(1, "a boolean");
    byte value = bytes[at];
    if (value != 0 && value != 1) {
      throw RecordFormatException.at("a boolean must be 0 or 1, not " + (value & 0xFF), at);
    }
    at++;
    return value == 1;
  }

  @Override
  public int readInt() throws RecordFormatException {
    int start = at;
    long value = varint(MAX_INT_BYTES, "an int");
    if (value >>> 32 != 0) {
      throw RecordFormatException.at("an int is longer than 32 bits", start);
    }
    int raw = (int) value;
    return (raw >>> 1) ^ -(raw & 1);
  }

  @Override
  public long readLong() throws RecordFormatException {
    long raw = varint(MAX_LONG_BYTES, "a long");
    return (raw >>> 1) ^ -(raw & 1);
  }

  @Override
  public float readFloat() throws RecordFormatException {
    need(Float.BYTES, "a float");
    return Float.intBitsToFloat((int) littleEndian(Float.BYTES));
  }

  @Override
  public double readDouble() throws RecordFormatException {
    need(Double.BYTES, "a double");
    return Double.longBitsToDouble(littleEndian(Double.BYTES));
  }

  @Override
  public Utf8 readString(Utf8 old) throws RecordFormatException {
    return new Utf8(readString());
  }

  @Override
  public String readString() throws RecordFormatException {
    int length = length("a string");
    keep(length);
    String text = Utf8Text.decode(bytes, at, length);
    at += length;
    return text;
  }

  @Override
  public void skipString() throws RecordFormatException {
    int length = length("a string"); // moves the position
    at += length;
  }

  @Override
  public ByteBuffer readBytes(ByteBuffer old) throws RecordFormatException {
    int length = length("bytes");
    keep(length);
    if (text) {
      Utf8Text.check(bytes, at, length);
    }
    byte[] copy = new byte[length];
    System.arraycopy(bytes, at, copy, 0, length);
    at += length;
    return ByteBuffer.wrap(copy);
  }

  @Override
  public void skipBytes() throws RecordFormatException {
    int length = length("bytes"); // moves the position
    at += length;
  }

  @Override
  public void readFixed(byte[] target, int start, int length) throws RecordFormatException {
    need(length, "a fixed");
    System.arraycopy(bytes, at, target, start, length);
    at += length;
  }

  @Override
  public void skipFixed(int length) throws RecordFormatException {
    need(length, "a fixed");
    at += length;
  }

  @Override
  public int readEnum() throws RecordFormatException {
    return readInt();
  }

  @Override
  public int readIndex() throws RecordFormatException {
    return readInt();
  }

  @Override
  public long readArrayStart() throws RecordFormatException {
    long count = block();
    keep(count);
    return count;
  }

  @Override
  public long arrayNext() throws RecordFormatException {
    return readArrayStart();
  }

  @Override
  public long skipArray() throws RecordFormatException {
    return block();
  }

  @Override
  public long readMapStart() throws RecordFormatException {
    return block();
  }

  @Override
  public long mapNext() throws RecordFormatException {
    return block();
  }

  @Override
  public long skipMap() throws RecordFormatException {
    return block();
  }

  /** Number of items in the block that starts here; 0 ends the array or map. */
  private long block() throws RecordFormatException {
    int start = at;
    long count = readLong();
    if (count < 0) {
      count = -count; // still negative if it is Long.MIN_VALUE
      long size = readLong();
      if (size < 0 || size > remaining()) {
        throw RecordFormatException.at(lying("a block of " + size + " bytes"), start);
      }
    }
    if (count < 0 || count > remaining()) {
      throw RecordFormatException.at(
          lying("a block of " + Long.toUnsignedString(count) + " items"), start);
    }
    if (items > start + FREE_ITEMS) {
      throw RecordFormatException.at(items + " items of arrays have fewer bytes than items", start);
    }
    items += count;
    return count;
  }

  private int length(String what) throws RecordFormatException {
    int start = at;
    long length = readLong();
    if (length < 0 || length > remaining()) {
      throw RecordFormatException.at(lying(what + " of length " + length), start);
    }
    return (int) length;
  }

  private long varint(int maxBytes, String what) throws RecordFormatException {
    int start = at;
    long value = 0;
    for (int i = 0; i < maxBytes; i++) {
      if (at == end) {
        throw RecordFormatException.at("the record ends inside " + what, start);
      }
      byte next = bytes[at++];
      if (i == MAX_LONG_BYTES - 1 && (next & 0xFE) != 0) {
        break;
      }
      value |= (next & 0x7FL) << (7 * i);
      if (next >= 0) {
        return value;
      }
    }
    throw RecordFormatException.at(what + " is longer than it can be", start);
  }

  private long littleEndian(int width) {
    long value = 0;
    for (int i = 0; i < width; i++) {
      value |= (bytes[at++] & 0xFFL) << (8 * i);
    }
    return value;
  }

  private void need(int count, String what) throws RecordFormatException {
    if (count > remaining()) {
      throw RecordFormatException.at("the record ends inside " + what, at);
    }
  }

  private String lying(String what) {
    return what + " is announced, but " + remaining() + " bytes remain";
  }
}
