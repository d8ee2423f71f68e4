package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.feed.text.ByteLines;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.reader.SimpleStreamFormat;
import org.apache.flink.connector.file.src.reader.StreamFormat;
import org.apache.flink.core.fs.FSDataInputStream;

/** The lines of a text file as bytes; see {@link ByteLines}. */
final class LineFormat extends SimpleStreamFormat<byte[]> {
  private static final long serialVersionUID = 1L;

  private final int keptBytes;

  LineFormat(int keptBytes) {
    this.keptBytes = keptBytes;
  }

  @Override
  public StreamFormat.Reader<byte[]> createReader(Configuration config, FSDataInputStream stream) {
    ByteLines lines = new ByteLines(stream, keptBytes);
    return new StreamFormat.Reader<>() {
      @Override
      public byte[] read() throws IOException {
        return lines.read();
      }

      @Override
      public void close() throws IOException {
        lines.close();
      }
    };
  }

  @Override
  public TypeInformation<byte[]> getProducedType() {
    return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
  }
}
