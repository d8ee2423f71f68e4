package io.latimer.pipelines.beam;

import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordFormatException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.coders.CustomCoder;
import org.apache.beam.sdk.values.TypeDescriptor;

/**
 * Encodes one of our Avro records in single-object encoding. The bytes name their schema, so that
 * the state of a pipeline can be read by later versions of Latimer.
 *
 * @param <T> a released record, such as {@link io.latimer.schemas.Sentence}
 */
public final class RecordCoder<T extends SpecificRecord> extends CustomCoder<T> {
  private static final long serialVersionUID = 1L;
  private static final ByteArrayCoder BYTES = ByteArrayCoder.of();

  private final Class<T> type;
  private transient RecordCodec<T> codec;

  private RecordCoder(Class<T> type) {
    this.type = type;
  }

  /**
   * The coder of a record type.
   *
   * @throws IllegalArgumentException if it is not a released record
   */
  public static <T extends SpecificRecord> RecordCoder<T> of(Class<T> type) {
    RecordCoder<T> coder = new RecordCoder<>(type);
    coder.codec();
    return coder;
  }

  /**
   * The codec, created lazily. Threads share coders, but codecs are immutable, so a race is
   * harmless.
   */
  private RecordCodec<T> codec() {
    RecordCodec<T> known = codec;
    if (known == null) {
      known = RecordCodec.of(type);
      codec = known;
    }
    return known;
  }

  @Override
  public void encode(T record, OutputStream out) throws IOException {
    if (record == null) {
      throw new CoderException("cannot encode a null " + type.getSimpleName());
    }
    byte[] bytes;
    try {
      bytes = codec().encode(record);
    } catch (IllegalArgumentException e) {
      throw new CoderException(e.getMessage(), e);
    }
    BYTES.encode(bytes, out);
  }

  @Override
  public T decode(InputStream in) throws IOException {
    try {
      return codec().decode(BYTES.decode(in));
    } catch (RecordFormatException e) {
      throw new CoderException(e.getMessage(), e);
    }
  }

  /** Always deterministic: the records have no maps, so equal ones have equal bytes. */
  @Override
  public void verifyDeterministic() {}

  @Override
  public TypeDescriptor<T> getEncodedTypeDescriptor() {
    return TypeDescriptor.of(type);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordCoder<?> that && type.equals(that.type);
  }

  @Override
  public int hashCode() {
    return type.hashCode();
  }

  @Override
  public String toString() {
    return "RecordCoder(" + type.getSimpleName() + ")";
  }
}
