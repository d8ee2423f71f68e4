package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.Utf8;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** The bytes of a weights file, read where they are asked for. Not thread-safe. */
public final class WeightChannel implements AutoCloseable {
  private static final int CHUNK = 1 << 18;

  private final Path file;
  private final FileChannel channel;

  private WeightChannel(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Makes a reader of a file. */
  @FunctionalInterface
  public interface Opening<T> {
    /** Makes the reader, which closes the channel. */
    T of(WeightChannel channel) throws IOException;
  }

  /**
   * Opens a file, and closes it again if no reader can be made of it.
   *
   * @throws ModelFormatException if it cannot be read
   */
  public static <T> T open(Path file, Opening<T> opening) {
    Closer opened = new Closer();
    try {
      return opening.of(new WeightChannel(file, opened.add(FileChannel.open(file))));
    } catch (IOException e) {
      ModelFormatException refused =
          new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
      opened.closeAfter(refused);
      throw refused;
    } catch (RuntimeException | Error e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  /** The file's length in bytes. */
  public long size() throws IOException {
    return channel.size();
  }

  /** Reads bytes, little-endian. */
  public ByteBuffer read(long at, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, at + bytes.position()) < 0) {
        throw new EOFException("the file became shorter");
      }
    }
    return bytes.flip();
  }

  /**
   * Reads bytes, little-endian.
   *
   * @param what names them in messages
   * @throws ModelFormatException if they cannot be read
   */
  public ByteBuffer read(String what, long at, int length) {
    try {
      return read(at, length);
    } catch (IOException e) {
      throw new ModelFormatException(
          file + ": " + what + " cannot be read: " + FileErrors.reason(e), e);
    }
  }

  /**
   * Numbers, read where they are asked for.
   *
   * @param what names them in messages
   * @param at their first byte
   * @return reads them from the file, which must be open, and throws {@link ModelFormatException}
   *     if it cannot
   */
  public Tensor.Numbers numbers(String what, WeightType type, long at) {
    int step = CHUNK / type.width();
    return (from, to, offset, count) -> {
      for (int done = 0; done < count; done += step) {
        int n = Math.min(step, count - done);
        long first = at + (long) (from + done) * type.width();
        ByteBuffer bytes = read(what, first, n * type.width());
        for (int i = 0; i < n; i++) {
          to[offset + done + i] = type.number(bytes, i);
        }
      }
    };
  }

  /**
   * Reads what precedes a file's numbers, from the first byte on. Nothing is trusted: no claim is
   * followed beyond the end of the file.
   */
  public abstract static class Header {
    private static final int WINDOW = 1 << 13;

    private final Path file;
    private final WeightChannel channel;
    private final long size;
    private String where = "header";
    private long at;
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowStart;

    protected Header(Path file, WeightChannel channel) throws IOException {
      this.file = file;
      this.channel = channel;
      this.size = channel.size();
    }

    /** The file's size in bytes. */
    protected long size() {
      return size;
    }

    /** Names the part that is read now, for messages. */
    protected void where(String part) {
      where = part;
    }

    /** The position of the next byte. */
    protected long at() {
      return at;
    }

    /** The number of bytes that are left. */
    protected long left() {
      return size - at;
    }

    /** Skips bytes, at most as many as are left. */
    protected void skip(long count) {
      at += count;
    }

    /** The next bytes, little-endian, at most {@value #WINDOW}. */
    protected ByteBuffer bytes(int n) throws IOException {
      if (n > left()) {
        throw wrong("expected " + n + " bytes, found " + left(), 0);
      }
      if (at < windowStart || at + n > windowStart + window.capacity()) {
        window = channel.read(at, (int) Math.min(WINDOW, left()));
        windowStart = at;
      }
      int from = (int) (at - windowStart);
      at += n;
      return window.limit(from + n).position(from);
    }

    /**
     * A name that ends with a byte 0.
     *
     * @param length with this byte; at least 1
     */
    protected String name(int length) throws IOException {
      ByteBuffer text = bytes(length);
      int end = text.limit() - 1;
      boolean ends = text.get(end) == 0;
      String name = Utf8.decode(text.limit(end));
      if (!ends || name == null || name.indexOf('\0') >= 0) {
        throw wrong("expected a name in UTF-8 that ends with a byte 0", length);
      }
      return name;
    }

    /** An error in the last bytes. */
    protected ModelFormatException wrong(String what, int bytes) {
      return new ModelFormatException(
          file + ": " + where + ": " + what + ", at byte " + (at - bytes));
    }
  }

  @Override
  public void close() {
    Closer closing = new Closer();
    closing.add(channel);
    closing.close();
  }
}
