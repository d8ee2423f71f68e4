package io.latimer.pipelines.index;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.function.LongSupplier;

/**
 * Copies a source to a file, hashes the bytes on the way, and syncs the file.
 *
 * @param maxBytes maximum length of the file
 * @param clock nanoseconds, to measure the speed
 */
record Transfer(long maxBytes, LongSupplier clock) {
  private static final int BUFFER = 1 << 18;

  /** A source that sends less than {@link #LEAST_BYTES} in this time is considered stuck. */
  static final Duration WINDOW = Duration.ofMinutes(1);

  static final long LEAST_BYTES = 64 << 10;

  /**
   * A file that was written.
   *
   * @param sha256 64 lower-case hexadecimal digits
   * @param complete whether the source announced a length and the file has it
   */
  record Received(String sha256, boolean complete) {}

  /**
   * Writes a file.
   *
   * @param content from the start
   * @param file overwritten
   * @param location of the source, for messages
   * @throws IndexFormatException if the content exceeds the limit
   * @throws IOException if the source fails, is too slow, or has another length than announced; the
   *     message is a reason
   * @throws OperatorException if the file cannot be written
   */
  Received write(IndexSource.Content content, Path file, String location) throws IOException {
    requireRoom(content.length(), location);
    MessageDigest digest = sha256();
    FileChannel out = create(file);
    try (out) {
      byte[] buffer = new byte[BUFFER];
      long total = 0;
      long windowStart = clock.getAsLong();
      long windowTotal = 0;
      while (true) {
        int n = content.bytes().read(buffer);
        if (n < 0) {
          break;
        }
        total += n;
        requireRoom(total, location);
        if (content.length() >= 0 && total > content.length()) {
          throw new IOException("more came than the " + content.length() + " bytes announced");
        }
        digest.update(buffer, 0, n);
        append(out, ByteBuffer.wrap(buffer, 0, n), file);
        long now = clock.getAsLong();
        if (now - windowStart > WINDOW.toNanos()) {
          if (total - windowTotal < LEAST_BYTES) {
            throw new IOException(
                "only "
                    + (total - windowTotal)
                    + " bytes came in "
                    + Duration.ofNanos(now - windowStart).toSeconds()
                    + " s");
          }
          windowStart = now;
          windowTotal = total;
        }
      }
      if (total < content.length()) {
        throw new IOException("it ended after " + total + " of " + content.length() + " bytes");
      }
      sync(out, file);
      return new Received(HexFormat.of().formatHex(digest.digest()), content.length() >= 0);
    }
  }

  private void requireRoom(long length, String location) {
    if (length > maxBytes) {
      throw new IndexFormatException(
          location
              + " has "
              + length
              + " bytes or more, but its copy may have "
              + maxBytes
              + "; raise indexes.max-size, or set indexes.directory to a folder on a larger disk");
    }
  }

  private static FileChannel create(Path file) {
    try {
      return FileChannel.open(
          file,
          StandardOpenOption.WRITE,
          StandardOpenOption.TRUNCATE_EXISTING,
          LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw unwritable(file, e);
    }
  }

  private static void append(FileChannel out, ByteBuffer bytes, Path file) {
    try {
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
    } catch (IOException e) {
      throw unwritable(file, e);
    }
  }

  private static void sync(FileChannel out, Path file) {
    try {
      out.force(true);
    } catch (IOException e) {
      throw unwritable(file, e);
    }
  }

  private static OperatorException unwritable(Path file, IOException e) {
    return new OperatorException(file + " cannot be written: " + FileErrors.reason(e), e);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
