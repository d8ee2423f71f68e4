package io.latimer.operators.index;

import io.latimer.operators.util.AtExit;
import io.latimer.operators.util.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Writes one index file: the sections in order, then {@link #commit}.
 *
 * <p>The bytes go to a temporary file in the same folder, whose header stays empty until the end.
 * {@code commit} syncs and renames it; {@link #close} without a commit removes it, as does an
 * orderly end of the process. So the final name never shows a partial file. The same sections give
 * the same bytes. Not thread-safe.
 */
public final class IndexFileWriter implements AutoCloseable {
  private final Path out;
  private final Path temporary;
  private final FileChannel channel;
  private final ByteBuffer header =
      ByteBuffer.allocate(IndexLayout.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
  private final AtExit cleanup;
  private final MessageDigest content;
  private final List<ByteBuffer> table = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private long position = IndexLayout.HEADER_LENGTH;
  private boolean inSection;
  private boolean ended;

  private IndexFileWriter(
      Path out, Path temporary, FileChannel channel, IndexKind kind, String version) {
    this.out = out;
    this.temporary = temporary;
    this.channel = channel;
    header.put(0, IndexLayout.MAGIC);
    header.putInt(IndexLayout.AT_FORMAT_VERSION, IndexLayout.FORMAT_VERSION);
    IndexLayout.putText(header, IndexLayout.AT_KIND, IndexLayout.KIND_LENGTH, kind.id());
    header.putInt(IndexLayout.AT_KIND_VERSION, kind.version());
    IndexLayout.putText(header, IndexLayout.AT_VERSION, IndexLayout.VERSION_LENGTH, version);
    this.content = IndexLayout.contentDigest(header);
    this.cleanup = new AtExit(() -> removeQuietly(temporary), "latimer-unfinished-index");
  }

  /**
   * Starts a file.
   *
   * @param out the file to be; replaced when it exists. Its folder must exist
   * @param kind what the file is for; its version is the one that the sections have
   * @param version the producer's version of the content, at most 64 bytes of UTF-8, may be empty
   * @throws IndexFormatException if the file cannot be created
   */
  public static IndexFileWriter create(Path out, IndexKind kind, String version) {
    if (version.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException("the version must not contain control characters");
    }
    Path whole = out.toAbsolutePath();
    if (Files.isDirectory(whole) || whole.getFileName() == null) {
      throw new IndexFormatException(out + " is a folder; give the name of a file");
    }
    Path temporary =
        whole.resolveSibling("." + whole.getFileName() + "." + UUID.randomUUID() + ".tmp");
    FileChannel channel = null;
    try {
      channel =
          FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
      return new IndexFileWriter(whole, temporary, channel, kind, version);
    } catch (NoSuchFileException e) {
      throw new IndexFormatException(
          out + " cannot be written: the folder " + whole.getParent() + " does not exist", e);
    } catch (IOException e) {
      throw new IndexFormatException(out + " cannot be written: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      discard(channel, temporary, e);
      throw e;
    }
  }

  /**
   * Adds a section.
   *
   * @param name 1 to 96 printable ASCII characters without blanks, not yet in the file
   * @param bytes from position to limit; the position is not changed
   */
  public void add(String name, ByteBuffer bytes) {
    Appender section = begin(name);
    section.append(bytes.duplicate());
    section.end();
  }

  /** Adds a section; see {@link #add(String, ByteBuffer)}. */
  public void add(String name, byte[] bytes) {
    add(name, ByteBuffer.wrap(bytes));
  }

  /**
   * Adds a section of any length in pieces.
   *
   * @param name as for {@link #add(String, ByteBuffer)}
   * @param body receives a consumer for the pieces, each from position to limit; a buffer may be
   *     reused after it was consumed
   */
  public void add(String name, Consumer<Consumer<ByteBuffer>> body) {
    Appender section = begin(name);
    body.accept(piece -> section.append(piece.duplicate()));
    section.end();
  }

  /**
   * Completes the file under its final name, durably: once this returns, the file survives a power
   * failure.
   */
  public void commit() {
    if (ended) {
      throw new IllegalStateException(out + " is already closed");
    }
    if (inSection) {
      throw new IllegalStateException(out + " has a failed section");
    }
    try {
      ByteBuffer entries =
          ByteBuffer.allocate(table.size() * IndexLayout.ENTRY_LENGTH)
              .order(ByteOrder.LITTLE_ENDIAN);
      table.forEach(entry -> entries.put(entry.duplicate()));
      entries.flip();
      long at = IndexLayout.align(position);
      header.putInt(IndexLayout.AT_SECTIONS, table.size());
      header.putLong(IndexLayout.AT_TABLE, at);
      header.putLong(IndexLayout.AT_FILE_LENGTH, at + entries.limit());
      header.putInt(IndexLayout.AT_TABLE_CRC, IndexLayout.crc32c(entries));
      header.put(IndexLayout.AT_CONTENT_ID, content.digest());
      header.putInt(
          IndexLayout.AT_HEADER_CRC,
          IndexLayout.crc32c(header.slice(0, IndexLayout.AT_HEADER_CRC)));
      pad(at);
      writeFully(entries);
      // the sections must be on disk before the header
      channel.force(false);
      position = 0;
      writeFully(header.duplicate().clear());
      channel.force(true);
      channel.close();
      move();
      ended = true;
      cleanup.close();
      syncFolder();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Removes the temporary file unless it was committed. Closing twice is safe. */
  @Override
  public void close() {
    if (!ended) {
      ended = true;
      cleanup.close();
      discard(channel, temporary, null);
    }
  }

  private void move() throws IOException {
    try {
      Files.move(temporary, out, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(temporary, out, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private void syncFolder() throws IOException {
    try (FileChannel folder = FileChannel.open(out.getParent())) {
      folder.force(true);
    }
  }

  private Appender begin(String name) {
    if (ended || inSection) {
      throw new IllegalStateException(
          out + (ended ? " is already closed" : " has a failed section"));
    }
    if (!IndexLayout.isName(name, IndexLayout.NAME_LENGTH)) {
      throw new IllegalArgumentException(
          "a section's name must be 1 to 96 printable ASCII characters, found \"" + name + "\"");
    }
    if (!names.add(name)) {
      throw new IllegalArgumentException("section " + name + " is a duplicate");
    }
    if (table.size() == IndexLayout.MAX_SECTIONS) {
      throw new IllegalArgumentException("an index file takes " + table.size() + " sections");
    }
    inSection = true;
    return new Appender(name);
  }

  /** The section being written. */
  private final class Appender {
    private final ByteBuffer entry =
        ByteBuffer.allocate(IndexLayout.ENTRY_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private final MessageDigest sha = Sha256.digest();
    private final long start = IndexLayout.align(position);

    Appender(String name) {
      IndexLayout.putText(entry, 0, IndexLayout.NAME_LENGTH, name);
      try {
        pad(start);
      } catch (IOException e) {
        throw failed(e);
      }
    }

    void append(ByteBuffer bytes) {
      crc.update(bytes.duplicate());
      sha.update(bytes.duplicate());
      try {
        writeFully(bytes);
      } catch (IOException e) {
        throw failed(e);
      }
    }

    void end() {
      entry.putLong(IndexLayout.AT_ENTRY_OFFSET, start);
      entry.putLong(IndexLayout.AT_ENTRY_LENGTH, position - start);
      entry.putInt(IndexLayout.AT_ENTRY_CRC, (int) crc.getValue());
      IndexLayout.addToContent(content, entry, sha.digest());
      table.add(entry);
      inSection = false;
    }
  }

  private IndexFormatException failed(IOException e) {
    return new IndexFormatException(out + " cannot be written: " + e.getMessage(), e);
  }

  private void pad(long to) throws IOException {
    writeFully(ByteBuffer.allocate((int) (to - position)));
  }

  private void writeFully(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      position += channel.write(bytes, position);
    }
  }

  /** Removes a file at the end of the process, where errors cannot be reported. */
  private static void removeQuietly(Path temporary) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      return;
    }
  }

  private static void discard(FileChannel channel, Path temporary, RuntimeException reason) {
    try {
      if (channel != null) {
        channel.close();
      }
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      if (reason == null) {
        throw new UncheckedIOException(temporary + " cannot be removed", e);
      }
      reason.addSuppressed(e);
    }
  }
}
