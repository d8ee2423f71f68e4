package io.latimer.schemas;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Conversion;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecord;

/**
 * Encodes and decodes records of one type in Avro's single-object encoding: {@code C3 01}, the
 * writer's schema as an 8-byte little-endian CRC-64-AVRO fingerprint, then the record.
 *
 * <p>Records are written with the newest schema. Records of every released schema can be read;
 * fields that the writer did not know get their defaults. The bytes are untrusted: lengths are
 * checked before memory is allocated, and surplus bytes are an error.
 *
 * <p>Immutable and thread-safe; create one and keep it. It is not serializable: jobs create it when
 * they open their functions.
 *
 * @param <T> one of the records named by {@link ReleasedSchemas#NAMES}
 */
public final class RecordCodec<T extends SpecificRecord> {
  private static final byte MARK_0 = (byte) 0xC3;
  private static final byte MARK_1 = 0x01;
  private static final int HEADER_BYTES = 10;
  private static final int FIRST_SIZE = 1024;

  private final ReleasedSchemas released;
  private final long fingerprint;
  private final byte[] header;
  private final SpecificDatumWriter<T> writer;
  private final Map<Long, SpecificDatumReader<T>> readers = new HashMap<>();

  private RecordCodec(ReleasedSchemas released, Schema schema, Class<T> type) {
    SpecificData model = model(type);
    this.released = released;
    this.fingerprint = SchemaNormalization.parsingFingerprint64(schema);
    this.header =
        ByteBuffer.allocate(HEADER_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(MARK_0)
            .put(MARK_1)
            .putLong(fingerprint)
            .array();
    // records without times write themselves; readers do not, because generated code trusts lengths
    SpecificData writing = model(type);
    writing.setCustomCoders(true);
    this.writer = new Writer<>(schema, writing);
    for (int version = 1; version <= released.newest(); version++) {
      Schema written = released.version(version);
      readers.put(
          SchemaNormalization.parsingFingerprint64(written),
          new SpecificDatumReader<>(written, schema, model));
    }
  }

  /**
   * The codec of a record type.
   *
   * @throws IllegalStateException if its current schema was not released, so that no reader would
   *     know it
   */
  public static <T extends SpecificRecord> RecordCodec<T> of(Class<T> type) {
    ReleasedSchemas released = ReleasedSchemas.of(type.getSimpleName());
    RecordCodec<T> codec = new RecordCodec<>(released, model(type).getSchema(type), type);
    if (!codec.readers.containsKey(codec.fingerprint)) {
      throw new IllegalStateException(
          "the current schema of "
              + released.name()
              + " is not among the released ones; schemas/README.md says how to release it");
    }
    return codec;
  }

  /**
   * Not the generated class's own model, which looks for records in Avro's class loader; on Flink,
   * that is not the job's.
   */
  static SpecificData model(Class<?> type) {
    SpecificData model = new SpecificData(type.getClassLoader());
    for (Conversion<?> conversion : SpecificData.getForClass(type).getConversions()) {
      model.addLogicalTypeConversion(conversion);
    }
    return model;
  }

  /**
   * Whether bytes claim to be a record in single-object encoding. UTF-8 text never does: in it no
   * {@code 01} follows a {@code C3}.
   */
  public static boolean isSingleObject(byte[] bytes) {
    return bytes.length >= 2 && bytes[0] == MARK_0 && bytes[1] == MARK_1;
  }

  /**
   * Encodes a record with the newest schema.
   *
   * @throws IllegalArgumentException if a required field is null, or a text contains an unpaired
   *     surrogate
   */
  public byte[] encode(T record) {
    StrictEncoder encoder = new StrictEncoder(FIRST_SIZE);
    encoder.writeFixed(header, 0, HEADER_BYTES);
    try {
      writer.write(record, encoder);
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          "cannot encode a " + released.name() + ": " + e.getMessage(), e);
    }
    return encoder.toBytes();
  }

  /**
   * Decodes a record that was written with any released schema.
   *
   * @throws RecordFormatException if the bytes are not exactly one such record
   */
  public T decode(byte[] bytes) throws RecordFormatException {
    if (!isSingleObject(bytes)) {
      throw new RecordFormatException(
          "not a " + released.name() + " in Avro single-object encoding: it must begin with C3 01",
          0);
    }
    if (bytes.length < HEADER_BYTES) {
      throw new RecordFormatException(
          "the record ends inside its schema fingerprint (at byte " + bytes.length + ")",
          bytes.length);
    }
    long written = fingerprint(bytes);
    SpecificDatumReader<T> reader = readers.get(written);
    if (reader == null) {
      throw unknown(written);
    }
    BoundedDecoder decoder = new BoundedDecoder(bytes, HEADER_BYTES);
    T record;
    try {
      record = reader.read(null, decoder);
    } catch (RecordFormatException e) {
      throw new RecordFormatException(
          "cannot decode a " + released.name() + ": " + e.getMessage(), e.position(), e);
    } catch (IOException | RuntimeException e) {
      // such as the index of a missing branch of a union
      throw new RecordFormatException(
          String.format(
              "cannot decode a %s: the bytes before byte %d do not fit version %d of its schema",
              released.name(), decoder.position(), released.versionOf(written)),
          decoder.position(),
          e);
    }
    if (decoder.remaining() > 0) {
      throw new RecordFormatException(
          String.format(
              "%d surplus bytes follow a %s (at byte %d)",
              decoder.remaining(), released.name(), decoder.position()),
          decoder.position());
    }
    return record;
  }

  /** Whether bytes begin like a record of this type, of any released version. */
  public boolean reads(byte[] bytes) {
    return isSingleObject(bytes)
        && bytes.length >= HEADER_BYTES
        && readers.containsKey(fingerprint(bytes));
  }

  private static long fingerprint(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(2);
  }

  private RecordFormatException unknown(long written) {
    for (String other : ReleasedSchemas.NAMES) {
      int version = ReleasedSchemas.of(other).versionOf(written);
      if (version > 0) {
        return new RecordFormatException(
            String.format(
                "the record is a %s (version %d), but a %s is expected here",
                other, version, released.name()),
            2);
      }
    }
    return new RecordFormatException(
        String.format(
            "no released schema has fingerprint %016x (at byte 2); versions 1 to %d of %s are"
                + " known: is the record from a newer Latimer?",
            written, released.newest(), released.name()),
        2);
  }

  /** Resolves a union of null and another type without looking up the type's name. */
  private static final class Writer<T> extends SpecificDatumWriter<T> {
    Writer(Schema schema, SpecificData model) {
      super(schema, model);
    }

    @Override
    protected int resolveUnion(Schema union, Object datum) {
      boolean optional =
          union.getTypes().size() == 2 && union.getTypes().get(0).getType() == Schema.Type.NULL;
      if (optional) {
        return datum == null ? 0 : 1;
      }
      return super.resolveUnion(union, datum);
    }
  }
}
