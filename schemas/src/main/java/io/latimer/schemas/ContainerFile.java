package io.latimer.schemas;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Conversion;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.file.SeekableInput;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificRecord;

/**
 * Reads an Avro object container file (Avro specification 1.12, "Object Container Files") of
 * untrusted bytes: lengths are checked before memory is allocated, and a damaged block does not
 * affect others, because the file's sync marker shows where the next one starts.
 *
 * <p>Supports codecs {@code null} and {@code deflate}, and any schema that Avro's rules resolve to
 * the record. Not thread-safe.
 *
 * @param <T> the records
 */
public final class ContainerFile<T extends SpecificRecord> implements AutoCloseable {
  /** Maximum block size, compressed and uncompressed; writers use about 64 KiB. */
  public static final int MAX_BLOCK_BYTES = 1 << 26;

  /** Number of bytes that identify a container. */
  public static final int MAGIC_BYTES = 4;

  private static final byte[] MAGIC = {'O', 'b', 'j', 1};
  private static final int SYNC_BYTES = 16;

  /** Maximum header size. */
  public static final int MAX_HEADER_BYTES = 1 << 20;

  private final Input in;
  private final byte[] sync = new byte[SYNC_BYTES];
  private final SpecificDatumReader<T> reader;
  private final boolean deflated;

  /**
   * The content of a block.
   *
   * @param offset byte offset of the block in the file
   * @param records the readable records, in order
   * @param rest the bytes from the first unreadable record on, decompressed if possible; empty if
   *     all records were read
   * @param damage what is wrong with the rest, with its position in the file; null if nothing is
   */
  public record Block<T>(
      long offset, List<T> records, ByteBuffer rest, RecordFormatException damage) {}

  private ContainerFile(Input in, List<Class<? extends T>> types) throws IOException {
    this.in = in;
    if (!isContainer(in.bytes(MAGIC.length))) {
      throw Input.error("an Avro container file must start with \"Obj\" and 1", 0);
    }
    Map<String, byte[]> metadata = metadata();
    System.arraycopy(in.bytes(SYNC_BYTES), 0, sync, 0, SYNC_BYTES);
    byte[] codec = metadata.getOrDefault("avro.codec", bytes("null"));
    this.deflated = Arrays.equals(codec, bytes("deflate"));
    if (!deflated && !Arrays.equals(codec, bytes("null"))) {
      throw Input.error(
          "codec "
              + new String(codec, StandardCharsets.UTF_8)
              + " is not supported; write the file with codec null or deflate",
          0);
    }
    this.reader = reader(metadata.get("avro.schema"), types);
  }

  /** Whether a file that starts with these bytes, at least four, claims to be a container. */
  public static boolean isContainer(byte[] start) {
    return start.length >= MAGIC_BYTES
        && Arrays.equals(start, 0, MAGIC_BYTES, MAGIC, 0, MAGIC_BYTES);
  }

  /**
   * Reads the header.
   *
   * @param file closed with the result; not closed where there is none
   * @param types what its records may be; they are read as the first that Avro's rules resolve
   * @throws RecordFormatException if the header is damaged, or its schema, codec or size is not one
   *     that is read here
   */
  public static <T extends SpecificRecord> ContainerFile<T> read(
      SeekableInput file, List<Class<? extends T>> types) throws IOException {
    return new ContainerFile<>(new Input(file), types);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Map<String, byte[]> metadata() throws IOException {
    Map<String, byte[]> metadata = new HashMap<>();
    for (long count = in.number(); count != 0; count = in.number()) {
      if (count < 0) {
        in.number(); // the size of the entries, for readers that skip them
        count = -count;
      }
      for (; count != 0; count--) {
        String key = new String(headerBytes(), StandardCharsets.UTF_8);
        metadata.put(key, headerBytes());
      }
    }
    return metadata;
  }

  private byte[] headerBytes() throws IOException {
    long start = in.position();
    long length = in.number();
    if (length < 0 || start + length > MAX_HEADER_BYTES) {
      throw Input.error("the header announces an entry of " + length + " bytes", start);
    }
    return in.bytes((int) length);
  }

  private SpecificDatumReader<T> reader(byte[] json, List<Class<? extends T>> types)
      throws RecordFormatException {
    if (json == null) {
      throw Input.error("the header has no avro.schema", 0);
    }
    try {
      Schema written = new Schema.Parser().parse(new String(json, StandardCharsets.UTF_8));
      for (Class<? extends T> type : types) {
        SpecificData model = model(type);
        Schema wanted = model.getSchema(type);
        var result = SchemaCompatibility.checkReaderWriterCompatibility(wanted, written).getType();
        if (result == SchemaCompatibilityType.COMPATIBLE) {
          return new SpecificDatumReader<>(written, wanted, model);
        }
      }
      throw Input.error(
          "its records, of schema "
              + written.getFullName()
              + ", cannot be read as "
              + types.stream().map(Class::getName).collect(Collectors.joining(" or ")),
          0);
    } catch (AvroRuntimeException | StackOverflowError e) {
      throw Input.error("the header's avro.schema is not an Avro schema: " + e.getMessage(), 0);
    }
  }

  private static SpecificData model(Class<? extends SpecificRecord> type) {
    SpecificData model = new SpecificData(type.getClassLoader());
    for (Conversion<?> conversion : SpecificData.getForClass(type).getConversions()) {
      model.addLogicalTypeConversion(conversion);
    }
    return model;
  }

  /**
   * Reads the next block; after a damaged one, the next that follows a sync marker.
   *
   * @return null at the end of the file
   * @throws IOException if the file cannot be read
   */
  public Block<T> next() throws IOException {
    if (in.atEnd()) {
      return null;
    }
    long start = in.position();
    byte[] data;
    long count;
    try {
      count = in.number();
      long size = in.number();
      if (size < 0 || size > MAX_BLOCK_BYTES || count < 0) {
        throw Input.error("it announces " + count + " records in " + size + " bytes", start);
      }
      data = in.bytes((int) size);
      if (!Arrays.equals(in.bytes(SYNC_BYTES), sync)) {
        throw Input.error("it does not end in the sync marker", start);
      }
    } catch (RecordFormatException e) {
      return new Block<>(start, List.of(), ByteBuffer.wrap(in.skip(start, sync)), damage(start, e));
    }
    return block(start, count, data);
  }

  private Block<T> block(long start, long count, byte[] data) {
    byte[] plain;
    try {
      plain = deflated ? inflate(data) : data;
    } catch (DataFormatException e) {
      return new Block<>(start, List.of(), ByteBuffer.wrap(data), damage(start, e));
    }
    List<T> records = new ArrayList<>();
    BoundedDecoder decoder = new BoundedDecoder(plain, 0);
    int good = 0;
    try {
      while (records.size() < count) {
        if (decoder.remaining() == 0) {
          throw Input.error("it ends after " + records.size() + " of " + count + " records", start);
        }
        records.add(reader.read(null, decoder));
        if (decoder.position() == good) {
          throw Input.error("its records have no bytes", start);
        }
        good = decoder.position();
      }
      if (decoder.remaining() > 0) {
        throw Input.error(decoder.remaining() + " surplus bytes follow its records", start);
      }
    } catch (IOException | RuntimeException | StackOverflowError e) {
      return new Block<>(
          start,
          records,
          ByteBuffer.wrap(plain, good, plain.length - good).slice(),
          damage(start, e));
    }
    return new Block<>(start, records, ByteBuffer.allocate(0), null);
  }

  private static RecordFormatException damage(long start, Throwable why) {
    return new RecordFormatException(
        "the block at byte " + start + " cannot be read: " + why.getMessage(), start, why);
  }

  private static byte[] inflate(byte[] data) throws DataFormatException {
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(data);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[1 << 16];
      while (!inflater.finished()) {
        int length = inflater.inflate(buffer);
        if (length == 0 && (inflater.needsInput() || inflater.needsDictionary())) {
          throw new DataFormatException("its compressed bytes end early");
        }
        if (out.size() + length > MAX_BLOCK_BYTES) {
          throw new DataFormatException(
              "it decompresses to more than " + MAX_BLOCK_BYTES + " bytes");
        }
        out.write(buffer, 0, length);
      }
      return out.toByteArray();
    } finally {
      inflater.end();
    }
  }

  @Override
  public void close() throws IOException {
    in.file.close();
  }

  /** Reads a file from start to end, with limited rewinding. */
  private static final class Input {
    private static final int BUFFER_BYTES = 1 << 16;

    private final SeekableInput file;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int next;
    private int end;
    private long position;

    Input(SeekableInput file) {
      this.file = file;
    }

    long position() {
      return position;
    }

    boolean atEnd() throws IOException {
      if (next == end) {
        next = 0;
        end = Math.max(0, file.read(buffer, 0, BUFFER_BYTES));
      }
      return end == 0;
    }

    int one() throws IOException {
      if (atEnd()) {
        throw error("the file ends too early", position);
      }
      position++;
      return buffer[next++] & 0xFF;
    }

    byte[] bytes(int count) throws IOException {
      // grows with the actual bytes, not the announced ones
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(Math.min(count, BUFFER_BYTES));
      while (bytes.size() < count) {
        if (atEnd()) {
          throw error("the file ends too early", position);
        }
        int length = Math.min(count - bytes.size(), end - next);
        bytes.write(buffer, next, length);
        next += length;
        position += length;
      }
      return bytes.toByteArray();
    }

    /** A zigzag varint. */
    long number() throws IOException {
      long start = position;
      long value = 0;
      for (int shift = 0; shift < Long.SIZE; shift += 7) {
        int b = one();
        value |= (long) (b & 0x7F) << shift;
        if (b < 0x80) {
          return (value >>> 1) ^ -(value & 1);
        }
      }
      throw error("a number is longer than it can be", start);
    }

    /**
     * Skips past the first sync marker from an offset on, or to the end of the file.
     *
     * @return the skipped bytes without the marker, at most {@link #MAX_BLOCK_BYTES}
     */
    byte[] skip(long start, byte[] sync) throws IOException {
      file.seek(start);
      position = start;
      next = 0;
      end = 0;
      ByteBuffer marker = ByteBuffer.wrap(sync);
      long high = 0;
      long low = 0;
      ByteArrayOutputStream skipped = new ByteArrayOutputStream();
      for (int count = 1; !atEnd(); count = Math.min(count + 1, SYNC_BYTES)) {
        int b = one();
        if (skipped.size() < MAX_BLOCK_BYTES) {
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

    static RecordFormatException error(String what, long position) {
      return new RecordFormatException(what + " (at byte " + position + ")", position);
    }
  }
}
