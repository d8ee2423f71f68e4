package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.util.Closer;
import io.latimer.operators.util.FileErrors;
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

  @Override
  public void close() {
    Closer closing = new Closer();
    closing.add(channel);
    closing.close();
  }
}
