package io.latimer.operators.lm.estimate;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Reads the output of {@link RunWriter}. */
final class RunReader extends CountedCursor {
  private final FileChannel channel;
  private final ByteBuffer buffer;

  RunReader(Path file, int order, int bufferBytes) {
    super(order);
    this.buffer =
        ByteBuffer.allocateDirect(Math.max(bufferBytes, RunWriter.LARGEST)).order(RunWriter.BYTES);
    buffer.flip();
    try {
      this.channel = FileChannel.open(file, StandardOpenOption.READ);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean next() {
    if (!fill(Integer.BYTES)) {
      return false;
    }
    int head = buffer.getInt();
    shared = head & 0xf;
    length = (head >>> RunWriter.LENGTH_SHIFT) & 0xf;
    int small = head >>> RunWriter.COUNT_SHIFT;
    count = small;
    boolean large = small == RunWriter.LARGE_COUNT;
    if (!fill((large ? Long.BYTES : 0) + (length - shared) * Integer.BYTES)) {
      throw new UncheckedIOException(new EOFException("a temporary file is truncated"));
    }
    if (large) {
      count = buffer.getLong();
    }
    for (int back = shared; back < length; back++) {
      words[back] = buffer.getInt();
    }
    return true;
  }

  private boolean fill(int wanted) {
    if (buffer.remaining() >= wanted) {
      return true;
    }
    buffer.compact();
    try {
      int read = 0;
      while (read >= 0 && buffer.position() < wanted) {
        read = channel.read(buffer);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    buffer.flip();
    return buffer.remaining() >= wanted;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
