package io.latimer.operators.glossary.text;

import io.latimer.operators.util.BuildProgress;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reports the bytes of a file as they are read, and refuses files that are too large. */
final class CountedStream extends FilterInputStream {
  /** Maximum size of a glossary file, unpacked, in bytes. */
  static final long MAX_BYTES = 1L << 30;

  private final BuildProgress progress;
  private long bytes;

  CountedStream(InputStream in, BuildProgress progress) {
    super(in);
    this.progress = progress;
  }

  /** The bytes read so far. */
  long bytes() {
    return bytes;
  }

  @Override
  public int read() throws IOException {
    int b = super.read();
    count(b < 0 ? 0 : 1);
    return b;
  }

  @Override
  public int read(byte[] to, int from, int length) throws IOException {
    int n = super.read(to, from, length);
    count(Math.max(0, n));
    return n;
  }

  private void count(int more) throws IOException {
    bytes += more;
    if (bytes > MAX_BYTES) {
      throw new IOException("it has more than " + MAX_BYTES + " bytes; split the glossary");
    }
    progress.read(more);
  }
}
