package io.latimer.schemas;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.avro.io.DirectBinaryEncoder;

/** Avro's binary encoding, refusing the texts that Java would replace by question marks. */
final class StrictEncoder extends DirectBinaryEncoder {
  StrictEncoder(OutputStream out) {
    super(out);
  }

  @Override
  public void writeString(String text) throws IOException {
    byte[] bytes = Utf8Text.encode(text);
    writeBytes(bytes, 0, bytes.length);
  }
}
