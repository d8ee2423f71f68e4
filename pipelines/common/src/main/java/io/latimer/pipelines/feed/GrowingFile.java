package io.latimer.pipelines.feed;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * An open file that another program appends to, and may truncate or replace. A stream reads from
 * any offset to the current end.
 */
final class GrowingFile implements Closeable {
  private static final int HEAD_BYTES = 1 << 10;

  /** A change of the file. */
  enum Change {
    /** Nothing, or it has grown. */
    NONE,
    /** Its beginning has changed, or it is shorter than what was read. */
    REWRITTEN,
    /** Another file has its name. */
    REPLACED
  }

  private final Path path;
  private final RandomAccessFile file;
  private final Object key;
  private byte[] head = new byte[0];
  private String fullFingerprint = "";

  /**
   * Opens a file.
   *
   * @throws IOException if it cannot be opened now
   */
  GrowingFile(Path path) throws IOException {
    this.path = path;
    BasicFileAttributes before = Files.readAttributes(path, BasicFileAttributes.class);
    if (!before.isRegularFile()) {
      throw new FileSystemException(path.toString(), null, "not a regular file");
    }
    if (!Files.isReadable(path)) {
      throw new FileSystemException(path.toString(), null, "permission denied");
    }
    file = new RandomAccessFile(path.toFile(), "r");
    key = before.fileKey();
    if (isReplaced()) {
      file.close();
      throw new FileSystemException(path.toString(), null, "replaced while it was opened");
    }
  }

  /**
   * Identifies the file by its first bytes.
   *
   * @param offset number of bytes that have been read; later ones are ignored
   * @return the first 128 bits of the SHA-256 of up to 1 KiB, in hexadecimal; empty for offset 0
   */
  String fingerprint(long offset) throws IOException {
    if (offset >= HEAD_BYTES && !fullFingerprint.isEmpty()) {
      return fullFingerprint;
    }
    int length = (int) Math.min(HEAD_BYTES, offset);
    if (head.length < length) {
      head = readHead(length);
    }
    String fingerprint = hash(head, Math.min(length, head.length));
    if (length == HEAD_BYTES && head.length == HEAD_BYTES) {
      fullFingerprint = fingerprint;
    }
    return fingerprint;
  }

  private byte[] readHead(int length) throws IOException {
    byte[] bytes = new byte[length];
    file.seek(0);
    int size = 0;
    while (size < length) {
      int n = file.read(bytes, size, length - size);
      if (n < 0) {
        break;
      }
      size += n;
    }
    return Arrays.copyOf(bytes, size);
  }

  private static String hash(byte[] bytes, int length) {
    return length == 0
        ? ""
        : HexFormat.of().formatHex(FeedPosition.sha256(Arrays.copyOf(bytes, length)), 0, 16);
  }

  /** Whether the bytes before a cursor are those that were read. */
  boolean continues(FileCursor cursor) throws IOException {
    if (file.length() < cursor.offset()) {
      return false;
    }
    int length = (int) Math.min(HEAD_BYTES, cursor.offset());
    return hash(readHead(length), length).equals(cursor.fingerprint());
  }

  /** How the file has changed since a cursor was reached. */
  Change change(FileCursor cursor) throws IOException {
    if (isReplaced()) {
      return Change.REPLACED;
    }
    return continues(cursor) ? Change.NONE : Change.REWRITTEN;
  }

  /**
   * Whether another file has its name; false while no file has it, because the next one may take a
   * while.
   */
  boolean isReplaced() throws IOException {
    try {
      return !Objects.equals(key, Files.readAttributes(path, BasicFileAttributes.class).fileKey());
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** Its current length in bytes. */
  long length() throws IOException {
    return file.length();
  }

  /** Reads from an offset to the end; one stream at a time. */
  InputStream from(long offset) {
    return new InputStream() {
      private long next = offset;

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] bytes, int from, int length) throws IOException {
        file.seek(next);
        int n = file.read(bytes, from, length);
        next += Math.max(0, n);
        return n;
      }
    };
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
