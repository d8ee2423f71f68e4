package io.latimer.pipelines.beam;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.VarLongCoder;

/**
 * The counts of some records, which can be merged in any order.
 *
 * @param records how many were counted; 0 for {@link #NONE} only
 * @param first the lowest event time, in milliseconds since 1970
 * @param last the highest
 * @param counts in the stage's format, which includes its version; not copied, and must not be
 *     changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PartialCounts(long records, long first, long last, byte[] counts) {
  static final AtomicCoder<PartialCounts> CODER = new CountsCoder();

  /** The counts of a pane without records. */
  static final PartialCounts NONE = new PartialCounts(0, 0, 0, new byte[0]);

  private static final class CountsCoder extends AtomicCoder<PartialCounts> {
    private static final long serialVersionUID = 1L;
    private static final VarLongCoder NUMBER = VarLongCoder.of();
    private static final ByteArrayCoder BYTES = ByteArrayCoder.of();

    @Override
    public void encode(PartialCounts value, OutputStream out) throws IOException {
      NUMBER.encode(value.records, out);
      NUMBER.encode(value.first, out);
      NUMBER.encode(value.last, out);
      BYTES.encode(value.counts, out);
    }

    @Override
    public PartialCounts decode(InputStream in) throws IOException {
      return new PartialCounts(
          NUMBER.decode(in), NUMBER.decode(in), NUMBER.decode(in), BYTES.decode(in));
    }
  }
}
