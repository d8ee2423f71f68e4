package io.latimer.operators.lm.arpa;

import io.latimer.operators.util.PackedFile;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/**
 * Splits an ARPA file, plain or gzip, into blocks of whole lines. A read error is held back until
 * all blocks before it have been handed out. Not thread-safe.
 */
final class ArpaBlocks implements Closeable {
  private static final int BUFFER = 1 << 18;

  /** The best ratio of any format: deflate on zeros. */
  private static final long BEST_COMPRESSION = 1032;

  private final InputStream in;
  private final long mostBytes;
  private final int blockBytes;
  private byte[] rest = {}; // beginning of a line whose end is not yet read
  private int restLength;
  private IOException failure;
  private boolean streamEnded;
  private boolean ended;

  private ArpaBlocks(InputStream in, long mostBytes, int blockBytes) {
    this.in = in;
    this.mostBytes = mostBytes;
    this.blockBytes = blockBytes;
  }

  static ArpaBlocks open(Path file, int blockBytes) throws IOException {
    long length = Files.size(file);
    InputStream in = PackedFile.open(file, BUFFER);
    long mostBytes = in instanceof GZIPInputStream ? length * BEST_COMPRESSION : length;
    return new ArpaBlocks(in, mostBytes, blockBytes);
  }

  /** An upper bound of the file's unpacked size in bytes. */
  long mostBytes() {
    return mostBytes;
  }

  /** Whether all blocks have been handed out. */
  boolean ended() {
    return ended;
  }

  /**
   * Fails if the blocks ended because of a read error.
   *
   * @throws IOException the error
   */
  void requireEnd() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Reads the next block: whole lines, except for an unterminated last line of the file, and a line
   * longer than {@link ArpaLines#MAX_LINE}, which ends the blocks.
   *
   * @param used a block to reuse, null for none
   * @return null at the end
   */
  ArpaBlock read(ArpaBlock used) {
    ArpaBlock block = used == null ? new ArpaBlock(blockBytes) : used;
    int length = restLength;
    if (block.bytes().length < 2 * length) {
      block.grow(new byte[2 * length]);
    }
    System.arraycopy(rest, 0, block.bytes(), 0, length);
    restLength = 0;
    while (true) {
      int searched = length;
      length = fill(block.bytes(), length);
      int end = streamEnded && failure == null ? length : lastLine(block.bytes(), searched, length);
      if (end == 0 && !streamEnded) {
        if (length <= ArpaLines.MAX_LINE) {
          block.grow(Arrays.copyOf(block.bytes(), 2 * block.bytes().length));
          continue;
        }
        streamEnded = true;
        end = length;
      }
      keep(block.bytes(), end, length);
      block.set(0, end);
      ended = end == 0 || (streamEnded && restLength == 0);
      return end == 0 ? null : block;
    }
  }

  /** Reads until the buffer is full or the file ends; returns the end of the data. */
  private int fill(byte[] bytes, int from) {
    int length = from;
    while (!streamEnded && length < bytes.length) {
      try {
        int read = in.read(bytes, length, bytes.length - length);
        streamEnded = read < 0;
        length += Math.max(0, read);
      } catch (IOException e) {
        failure = e;
        streamEnded = true;
      }
    }
    return length;
  }

  /** The offset after the last line end; 0 if there is none. */
  private static int lastLine(byte[] bytes, int from, int to) {
    for (int at = to; at > from; at--) {
      if (bytes[at - 1] == '\n') {
        return at;
      }
    }
    return 0;
  }

  private void keep(byte[] bytes, int from, int to) {
    restLength = streamEnded ? 0 : to - from;
    if (rest.length < restLength) {
      rest = new byte[Math.max(restLength, 2 * rest.length)];
    }
    System.arraycopy(bytes, from, rest, 0, restLength);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
