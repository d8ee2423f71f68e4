package io.latimer.operators.index;

import io.latimer.operators.OperatorException;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.Sha256;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * An open, memory-mapped index file.
 *
 * <p>Opening reads and validates only the header and the table; the sections are validated by
 * {@link #checkedSha256}, {@link #verify} and their readers. Buffers stay valid after {@link
 * #close}. An index file must not be modified or truncated while it is open: replace index files
 * with a rename. Thread-safe.
 */
public final class IndexFile implements AutoCloseable {
  private static final int SLICE = 1 << 26;
  private static final int ZIP = 0x04034b50;

  private final Path path;
  private final FileChannel channel;
  private final IndexHeader header;
  private final Map<String, Section> sections;
  private ByteBuffer whole;

  private IndexFile(
      Path path, FileChannel channel, IndexHeader header, Map<String, Section> sections) {
    this.path = path;
    this.channel = channel;
    this.header = header;
    this.sections = sections;
  }

  /**
   * Opens a file.
   *
   * @throws NotAnIndexException if it does not exist or is not an index file
   * @throws IndexTooNewException if a newer Latimer wrote it
   * @throws IndexTooOldException if its container format is no longer supported
   * @throws TruncatedIndexException if its end is missing
   * @throws CorruptIndexException if its header or table is damaged
   * @throws OperatorException if the thread is interrupted, here as in all that reads the file
   */
  public static IndexFile open(Path path) {
    if (Files.isDirectory(path)) {
      throw new NotAnIndexException(path + " is a folder, not an index file");
    }
    FileChannel channel = null;
    try {
      channel = FileChannel.open(path);
      IndexFile file = open(path, channel);
      channel = null;
      return file;
    } catch (NoSuchFileException e) {
      throw new NotAnIndexException(path + " does not exist", e);
    } catch (IOException e) {
      throw failure(path, "read", e);
    } finally {
      close(channel);
    }
  }

  private static IndexFile open(Path path, FileChannel channel) throws IOException {
    long length = channel.size();
    ByteBuffer start = read(channel, 0, (int) Math.min(length, IndexLayout.HEADER_LENGTH));
    if (start.limit() < IndexLayout.MAGIC.length
        || !start.slice(0, IndexLayout.MAGIC.length).equals(ByteBuffer.wrap(IndexLayout.MAGIC))) {
      String hint =
          start.limit() >= 4 && start.getInt(0) == ZIP
              ? ": it is a zip file, as model weights (.npz) are; import them first"
              : "";
      throw new NotAnIndexException(path + " is not a Latimer index file" + hint);
    }
    IndexHeader header = IndexHeader.read(path, start, length);
    ByteBuffer table = read(channel, header.table(), header.sections() * IndexLayout.ENTRY_LENGTH);
    return new IndexFile(path, channel, header, header.readTable(path, table));
  }

  /** The path of the file. */
  public Path path() {
    return path;
  }

  /** The kind of the file; see {@link IndexKind#id}. */
  public String kind() {
    return header.kind();
  }

  /** The version of the kind's sections, 1 or more. */
  public int kindVersion() {
    return header.kindVersion();
  }

  /** The producer's version of the content, free text, may be empty. */
  public String version() {
    return header.version();
  }

  /**
   * SHA-256 of the file's content, in lower-case hexadecimal digits, as given in the header: over
   * kind, versions, names and bytes of the sections, but not their offsets. {@link #verify}
   * compares it with the content.
   */
  public String contentId() {
    return HexFormat.of().formatHex(header.contentId());
  }

  /** The file's length in bytes. */
  public long length() {
    return header.fileLength();
  }

  /** The sections, in the order of the file. */
  public List<Section> sections() {
    return List.copyOf(sections.values());
  }

  /** Whether there is a section of that name. */
  public boolean has(String name) {
    return sections.containsKey(name);
  }

  /**
   * Checks that the file is of a kind, and of a version that can be read.
   *
   * @throws IndexFormatException when it is of another kind
   * @throws IndexTooOldException when its version is below {@link IndexKind#oldest}
   * @throws IndexTooNewException when its version is above {@link IndexKind#version}
   */
  public void expect(IndexKind kind) {
    if (!kind().equals(kind.id())) {
      throw new IndexFormatException(
          path + ": expected an index of kind " + kind.id() + ", found " + kind());
    }
    if (kindVersion() < kind.oldest()) {
      throw new IndexTooOldException(
          versions(kind) + "; create the file again with this version of Latimer");
    }
    if (kindVersion() > kind.version()) {
      throw new IndexTooNewException(
          versions(kind) + "; use the version of Latimer that wrote it, or a newer");
    }
  }

  /**
   * Checks that the file has the sections of its kind and no others.
   *
   * @throws IndexFormatException naming those it should have and those it has
   */
  public void requireSections(Set<String> expected) {
    if (!sections.keySet().equals(expected)) {
      throw new IndexFormatException(
          path
              + ": expected the sections "
              + new TreeSet<>(expected)
              + ", found "
              + new TreeSet<>(sections.keySet()));
    }
  }

  /**
   * Checks the length of a section.
   *
   * @param least bytes
   * @param most bytes
   * @throws IndexFormatException if the section is missing, or its length out of range
   */
  public void requireLength(String name, long least, long most) {
    long length = find(name).length();
    if (length < least || length > most) {
      throw new IndexFormatException(
          path
              + " section "
              + name
              + ": expected "
              + (least == most ? "" + least : least + " to " + most)
              + " bytes, found "
              + length);
    }
  }

  private String versions(IndexKind kind) {
    return path
        + ": expected "
        + kind.id()
        + " version "
        + (kind.oldest() == kind.version() ? "" : kind.oldest() + " to ")
        + kind.version()
        + ", found "
        + kindVersion();
  }

  /**
   * The length of a section in bytes.
   *
   * @throws IndexFormatException if there is none of that name
   */
  public long length(String name) {
    return find(name).length();
  }

  /**
   * Maps a whole section.
   *
   * @return its bytes, read-only, in little-endian order
   * @throws IndexFormatException if there is none of that name, or it has 2 GB or more and must be
   *     read with {@link #section(String, long, int)}
   */
  public ByteBuffer section(String name) {
    Section section = find(name);
    if (section.length() > Integer.MAX_VALUE) {
      throw new IndexFormatException(
          path + " section " + name + " has " + section.length() + " bytes: read it in slices");
    }
    return map(section, 0, (int) section.length());
  }

  /**
   * Maps a part of a section of any length.
   *
   * @param offset of the first byte, from the section's start
   * @param length in bytes
   * @return the bytes, read-only, in little-endian order
   */
  public ByteBuffer section(String name, long offset, int length) {
    Section section = find(name);
    if (offset < 0 || length < 0 || offset > section.length() - length) {
      throw new IndexOutOfBoundsException(
          length + " bytes at " + offset + " of section " + name + " of " + section.length());
    }
    return map(section, offset, length);
  }

  /**
   * Verifies every byte against the checksums and the content id.
   *
   * @throws CorruptIndexException naming the first damaged section and its offset
   */
  public void verify() {
    MessageDigest content = header.contentDigest();
    long end = IndexLayout.HEADER_LENGTH;
    for (Section section : sections.values()) {
      padding(end, section.offset());
      MessageDigest sha = Sha256.digest();
      check(section, sha::update);
      IndexHeader.addToContent(content, section, sha.digest());
      end = section.offset() + section.length();
    }
    padding(end, header.table());
    String found = HexFormat.of().formatHex(content.digest());
    if (!found.equals(contentId())) {
      throw new CorruptIndexException(
          path + " is corrupt: expected content id " + contentId() + ", found " + found);
    }
  }

  /**
   * Computes SHA-256 over every byte of the file, as {@code sha256sum} does, without any checks.
   *
   * @return 64 lower-case hexadecimal digits
   */
  public String sha256() {
    MessageDigest digest = Sha256.digest();
    for (long at = 0; at < length(); at += SLICE) {
      digest.update(map(at, (int) Math.min(SLICE, length() - at)));
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /**
   * Computes {@link #sha256} for an {@link IndexRef}. The same pass verifies every section's
   * checksum, so that a damaged file is never referred to or loaded.
   *
   * @return 64 lower-case hexadecimal digits
   * @throws CorruptIndexException naming the first damaged section and its offset
   */
  public String checkedSha256() {
    MessageDigest digest = Sha256.digest();
    digest.update(map(0, IndexLayout.HEADER_LENGTH));
    long end = IndexLayout.HEADER_LENGTH;
    for (Section section : sections.values()) {
      digest.update(padding(end, section.offset()));
      check(section, digest::update);
      end = section.offset() + section.length();
    }
    digest.update(padding(end, header.table()));
    digest.update(map(header.table(), (int) (length() - header.table())));
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Verifies a section's checksum, and passes its bytes to a consumer. */
  private void check(Section section, Consumer<ByteBuffer> other) {
    CRC32C crc = new CRC32C();
    for (long at = 0; at < section.length(); at += SLICE) {
      ByteBuffer slice = map(section, at, (int) Math.min(SLICE, section.length() - at));
      crc.update(slice.duplicate());
      other.accept(slice);
    }
    if (crc.getValue() != section.crc32c()) {
      throw new CorruptIndexException(
          String.format(
              "%s is corrupt: section %s, %d bytes from offset %d: expected CRC-32C %08x, found"
                  + " %08x",
              path,
              section.name(),
              section.length(),
              section.offset(),
              section.crc32c(),
              crc.getValue()));
    }
  }

  /** Checks the zeros between two sections. */
  private ByteBuffer padding(long from, long to) {
    ByteBuffer padding = map(from, (int) (to - from));
    for (int i = 0; i < padding.limit(); i++) {
      if (padding.get(i) != 0) {
        throw new CorruptIndexException(
            path + " is corrupt: expected zero between sections at offset " + (from + i));
      }
    }
    return padding;
  }

  /** Closes the file; its buffers stay valid. Closing twice is safe. */
  @Override
  public void close() {
    close(channel);
  }

  private Section find(String name) {
    Section section = sections.get(name);
    if (section == null) {
      throw new IndexFormatException(path + " has no section " + name);
    }
    return section;
  }

  private ByteBuffer map(Section section, long offset, int length) {
    return map(section.offset() + offset, length);
  }

  private ByteBuffer map(long offset, int length) {
    ByteBuffer bytes =
        length() > Integer.MAX_VALUE
            ? mapPart(offset, length)
            : whole().slice((int) offset, length);
    return bytes.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Mapped once: a process may have 65,530 mappings by default, and the JVM ends without one. */
  private synchronized ByteBuffer whole() {
    if (whole == null) {
      whole = mapPart(0, (int) length());
    }
    return whole;
  }

  private ByteBuffer mapPart(long offset, int length) {
    try {
      return channel.map(FileChannel.MapMode.READ_ONLY, offset, length);
    } catch (IOException e) {
      throw failure(path, "mapped", e);
    }
  }

  private static OperatorException failure(Path path, String what, IOException e) {
    return e instanceof ClosedByInterruptException // it says nothing of the file
        ? new OperatorException(path + ": interrupted while reading it", e)
        : new IndexFormatException(path + " cannot be " + what + ": " + FileErrors.reason(e), e);
  }

  private static ByteBuffer read(FileChannel channel, long offset, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, offset + bytes.position()) < 0) {
        throw new IOException("it ended at byte " + (offset + bytes.position()));
      }
    }
    return bytes.flip();
  }

  private static void close(FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        // it was only read: nothing is lost
        org.slf4j.LoggerFactory.getLogger(IndexFile.class).debug("close failed", e);
      }
    }
  }
}
