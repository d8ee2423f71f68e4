package io.latimer.schemas;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.file.SeekableInput;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.Decoder;
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
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /** Maximum header size. */
  public static final int MAX_HEADER_BYTES = 1 << 20;

  /** Blocks are handed out in parts of about this many bytes and at most the following records. */
  static final int PART_BYTES = 1 << 20;

  static final int PART_RECORDS = 1 << 10;

  /**
   * Maximum bytes that are read in vain because a block announced a false size. After that, blocks
   * are found by their sync markers alone, so that each byte is read once.
   */
  private static final long MAX_VAIN_BYTES = MAX_BLOCK_BYTES;

  private final ContainerInput in;
  private final byte[] sync = new byte[ContainerInput.SYNC_BYTES];
  private final Schema written;
  private final SpecificDatumReader<T> reader;
  private final boolean deflated;
  private final int maxRecordBytes;
  private long inVain;
  private Open open;

  /**
   * The content of a block, or the next part of a large one.
   *
   * @param offset byte offset of the block in the file
   * @param records readable records, in order
   * @param rest the bytes of what is unreadable: a record that is too long, or everything from the
   *     first unreadable record on, decompressed if possible; empty if there is nothing
   * @param damage what is wrong with the rest, with its position in the file; null if nothing is
   */
  public record Block<T>(
      long offset, List<T> records, ByteBuffer rest, RecordFormatException damage) {}

  /** A block that was not read to its end. */
  private static final class Open {
    private final long start;
    private final long count;
    private final ByteBuffer bytes;
    private final BoundedDecoder decoder;
    private long read;

    Open(long start, long count, ByteBuffer bytes) {
      this.start = start;
      this.count = count;
      this.bytes = bytes;
      int at = bytes.arrayOffset();
      this.decoder = new BoundedDecoder(bytes.array(), at + bytes.position(), at + bytes.limit());
    }

    /** A part of its bytes. */
    ByteBuffer part(int from, int to) {
      int at = bytes.arrayOffset();
      return bytes.duplicate().limit(to - at).position(from - at).slice();
    }
  }

  private ContainerFile(ContainerInput in, List<Class<? extends T>> types, int maxRecordBytes)
      throws IOException {
    this.in = in;
    this.maxRecordBytes = maxRecordBytes;
    if (!isContainer(in.bytes(MAGIC.length))) {
      throw RecordFormatException.at("an Avro container file must start with \"Obj\" and 1", 0);
    }
    Map<String, byte[]> metadata = metadata();
    System.arraycopy(in.bytes(ContainerInput.SYNC_BYTES), 0, sync, 0, ContainerInput.SYNC_BYTES);
    byte[] codec = metadata.getOrDefault("avro.codec", bytes("null"));
    this.deflated = Arrays.equals(codec, bytes("deflate"));
    if (!deflated && !Arrays.equals(codec, bytes("null"))) {
      throw RecordFormatException.at(
          "codec "
              + new String(codec, StandardCharsets.UTF_8)
              + " is not supported; write the file with codec null or deflate",
          0);
    }
    this.written = schema(metadata.get("avro.schema"));
    this.reader = reader(types);
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
   * @param maxRecordBytes a record with more bytes of texts and items of lists is not read, so that
   *     small files do not take much memory
   * @throws RecordFormatException if the header is damaged, or its schema, codec or size is not one
   *     that is read here
   */
  public static <T extends SpecificRecord> ContainerFile<T> read(
      SeekableInput file, List<Class<? extends T>> types, int maxRecordBytes) throws IOException {
    return new ContainerFile<>(new ContainerInput(file), types, maxRecordBytes);
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
    if (length < 0 || length > MAX_HEADER_BYTES - start) {
      throw RecordFormatException.at(
          "the header announces an entry of " + length + " bytes", start);
    }
    return in.bytes((int) length);
  }

  private static Schema schema(byte[] json) throws RecordFormatException {
    if (json == null) {
      throw RecordFormatException.at("the header has no avro.schema", 0);
    }
    try {
      return new Schema.Parser().parse(new String(json, StandardCharsets.UTF_8));
    } catch (RuntimeException | StackOverflowError e) { // of any kind, such as for a fixed of 2 GiB
      throw notASchema(e);
    }
  }

  private static RecordFormatException notASchema(Throwable e) {
    return RecordFormatException.at(
        "the header's avro.schema is not an Avro schema: " + e.getMessage(), 0);
  }

  private SpecificDatumReader<T> reader(List<Class<? extends T>> types)
      throws RecordFormatException {
    try {
      for (Class<? extends T> type : types) {
        SpecificData model = RecordCodec.model(type);
        Schema wanted = model.getSchema(type);
        var result = SchemaCompatibility.checkReaderWriterCompatibility(wanted, written).getType();
        if (result == SchemaCompatibilityType.COMPATIBLE) {
          return new Reader<>(written, wanted, model);
        }
      }
    } catch (RuntimeException | StackOverflowError e) {
      throw notASchema(e);
    }
    throw RecordFormatException.at(
        "its records, of schema "
            + written.getFullName()
            + ", cannot be read as "
            + types.stream().map(Class::getName).collect(Collectors.joining(" or ")),
        0);
  }

  /** Avro promotes bytes to texts unchecked, and Java would replace those that are not UTF-8. */
  private static final class Reader<T> extends SpecificDatumReader<T> {
    private BoundedDecoder decoder;

    Reader(Schema written, Schema wanted, SpecificData model) {
      super(written, wanted, model);
    }

    @Override
    public T read(T reuse, Decoder in) throws IOException {
      decoder = (BoundedDecoder) in;
      return super.read(reuse, in);
    }

    @Override
    protected Object readString(Object old, Schema expected, Decoder in) throws IOException {
      decoder.expectText(true);
      try {
        return super.readString(old, expected, in);
      } finally {
        decoder.expectText(false);
      }
    }
  }

  /**
   * Reads the next block, or the next part of it; after a damaged one, the next that follows a sync
   * marker.
   *
   * @return null at the end of the file
   * @throws IOException if the file cannot be read
   */
  public Block<T> next() throws IOException {
    if (open == null) {
      if (in.atEnd()) {
        return null;
      }
      Block<T> damaged = openBlock(in.position());
      if (damaged != null) {
        return damaged;
      }
    }
    return part();
  }

  /** Opens the block that starts here, or says what is wrong with it. */
  private Block<T> openBlock(long start) throws IOException {
    if (inVain > MAX_VAIN_BYTES) {
      return openBetweenMarkers(start);
    }
    try {
      long count = in.number();
      long size = in.number();
      checkAnnounced(count, size, start);
      byte[] data = in.bytes((int) size);
      if (!Arrays.equals(in.bytes(ContainerInput.SYNC_BYTES), sync)) {
        throw RecordFormatException.at("it does not end in the sync marker", start);
      }
      return openBlock(start, count, ByteBuffer.wrap(data));
    } catch (RecordFormatException e) {
      inVain += in.position() - start + ContainerInput.BUFFER_BYTES;
      return damaged(start, ByteBuffer.wrap(in.skipFrom(start, sync)), e);
    }
  }

  private Block<T> openBetweenMarkers(long start) throws IOException {
    byte[] block = in.skip(sync);
    BoundedDecoder header = new BoundedDecoder(block, 0);
    try {
      long count = header.readLong();
      long size = header.readLong();
      checkAnnounced(count, size, start);
      if (size != header.remaining()) {
        throw RecordFormatException.at("it does not end in the sync marker", start);
      }
      return openBlock(start, count, ByteBuffer.wrap(block, header.position(), (int) size));
    } catch (RecordFormatException e) {
      return damaged(start, ByteBuffer.wrap(block), e);
    }
  }

  private static void checkAnnounced(long count, long size, long start)
      throws RecordFormatException {
    if (size < 0 || size > MAX_BLOCK_BYTES || count < 0) {
      throw RecordFormatException.at(
          "it announces " + count + " records in " + size + " bytes", start);
    }
  }

  private Block<T> openBlock(long start, long count, ByteBuffer data) {
    try {
      open = new Open(start, count, deflated ? inflate(data) : data);
      return null;
    } catch (IOException e) {
      return damaged(start, data.slice(), e);
    }
  }

  /** Reads the next records of the open block. */
  private Block<T> part() {
    Open block = open;
    BoundedDecoder decoder = block.decoder;
    List<T> records = new ArrayList<>();
    int start = decoder.position();
    int good = start;
    try {
      while (block.read < block.count) {
        if (records.size() == PART_RECORDS || good - start >= PART_BYTES) {
          return new Block<>(block.start, records, NOTHING, null);
        }
        if (decoder.remaining() == 0) {
          throw RecordFormatException.at(
              "it ends after " + block.read + " of " + block.count + " records", block.start);
        }
        decoder.limit(maxRecordBytes);
        T record = readOrSkip(decoder);
        block.read++;
        if (record == null) {
          return new Block<>(
              block.start, records, block.part(good, decoder.position()), tooLong(block));
        }
        records.add(record);
        if (decoder.position() == good) {
          throw RecordFormatException.at("its records have no bytes", block.start);
        }
        good = decoder.position();
      }
      if (decoder.remaining() > 0) {
        throw RecordFormatException.at(
            decoder.remaining() + " surplus bytes follow its records", block.start);
      }
    } catch (IOException | RuntimeException | StackOverflowError e) {
      open = null;
      return new Block<>(
          block.start,
          records,
          block.part(good, decoder.position() + decoder.remaining()),
          damage(block.start, e));
    }
    open = null;
    return new Block<>(block.start, records, NOTHING, null);
  }

  /** The next record, or null if it was skipped because it is too long. */
  private T readOrSkip(BoundedDecoder decoder) throws IOException {
    int start = decoder.position();
    try {
      return reader.read(null, decoder);
    } catch (RecordFormatException e) {
      if (!decoder.isTooLong()) {
        throw e;
      }
      decoder.rewind(start);
      GenericDatumReader.skip(written, decoder);
      return null;
    }
  }

  private RecordFormatException tooLong(Open block) {
    return new RecordFormatException(
        "record "
            + block.read
            + " of the block at byte "
            + block.start
            + " has more than "
            + maxRecordBytes
            + " bytes, the maximum; split it, or raise input.max-record-bytes",
        block.start);
  }

  private static <T> Block<T> damaged(long start, ByteBuffer rest, Exception why) {
    return new Block<>(start, List.of(), rest, damage(start, why));
  }

  private static RecordFormatException damage(long start, Throwable why) {
    return new RecordFormatException(
        "the block at byte " + start + " cannot be read: " + why.getMessage(), start, why);
  }

  private static ByteBuffer inflate(ByteBuffer data) throws IOException {
    Inflater inflater = new Inflater(true);
    try (InputStream in =
        new InflaterInputStream(
            new ByteArrayInputStream(
                data.array(), data.arrayOffset() + data.position(), data.remaining()),
            inflater)) {
      byte[] out = in.readNBytes(MAX_BLOCK_BYTES + 1);
      if (out.length > MAX_BLOCK_BYTES) {
        throw new IOException("it decompresses to more than " + MAX_BLOCK_BYTES + " bytes");
      }
      return ByteBuffer.wrap(out);
    } finally {
      inflater.end();
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
