package io.latimer.operators.lm.estimate;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes sorted n-grams to a temporary file, a run: of each n-gram, only the words that it does not
 * share with its predecessor.
 */
final class RunWriter implements AutoCloseable {
  static final ByteOrder BYTES = ByteOrder.nativeOrder();
  static final int LENGTH_SHIFT = 4;
  static final int COUNT_SHIFT = 8;

  /** Counts from this value on are written as separate 64-bit numbers. */
  static final int LARGE_COUNT = (1 << 24) - 1;

  /** The maximum encoded size of an n-gram. */
  static final int LARGEST = Integer.BYTES + Long.BYTES + 8 * Integer.BYTES;

  private final FileChannel channel;
  private final ByteBuffer buffer;

  RunWriter(Path file, int bufferBytes) throws IOException {
    this.channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    this.buffer = ByteBuffer.allocateDirect(Math.max(bufferBytes, LARGEST)).order(BYTES);
  }

  /** Writes all n-grams of a cursor. */
  void writeAll(SortedNgrams.Cursor ngrams) throws IOException {
    while (ngrams.next()) {
      if (buffer.remaining() < LARGEST) {
        flush();
      }
      int length = ngrams.length();
      int shared = ngrams.shared();
      long count = ngrams.count();
      int small = (int) Math.min(count, LARGE_COUNT);
      buffer.putInt(small << COUNT_SHIFT | length << LENGTH_SHIFT | shared);
      if (small == LARGE_COUNT) {
        buffer.putLong(count);
      }
      for (int back = shared; back < length; back++) {
        buffer.putInt(ngrams.word(back));
      }
    }
  }

  private void flush() throws IOException {
    buffer.flip();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    buffer.clear();
  }

  /** Writes the rest of the buffer. */
  void finish() throws IOException {
    flush();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
