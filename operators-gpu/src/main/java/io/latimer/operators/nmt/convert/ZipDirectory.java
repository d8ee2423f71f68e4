package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;

/**
 * The central directory of an untrusted zip file.
 *
 * <p>Source: PKWARE APPNOTE 6.3.10, sections 4.3 and 4.5.3 (zip64). Sizes come from the central
 * directory only, so that entries with data descriptors or zip64 read like any other, and are
 * checked against the file's own length. {@link java.util.zip.ZipFile} would hide duplicate names,
 * overlapping entries and impossible inflated sizes.
 */
final class ZipDirectory {
  /** Maximum number of entries, more than any model has tensors. */
  static final int MAX_ENTRIES = 1 << 14;

  private static final int MAX_NAME = 256;
  private static final long MAX_DIRECTORY = 16L << 20;
  private static final int END_LENGTH = 22;
  private static final int END_SEARCH = END_LENGTH + 0xffff;
  private static final int CENTRAL_LENGTH = 46;
  private static final int LOCAL_LENGTH = 30;

  /** The system whose file modes are in the upper half of external attributes. */
  private static final int UNIX = 3;

  /** The type of a symbolic link, S_IFLNK, in a mode. */
  private static final int LINK = 0xa;

  /** Deflate's maximum expansion of a byte (zlib documents a limit of 1032). */
  private static final long DEFLATE_LIMIT = 1032;

  /** Allowance for empty biases: zeros compress a thousandfold, weights hardly at all. */
  private static final long FREE_INFLATION = 64L << 20;

  private static final long TOTAL_RATIO = 100;

  /**
   * One entry.
   *
   * @param name printable ASCII, as stored in the directory
   * @param method 0 stored or 8 deflated
   * @param crc CRC-32 of the content
   * @param compressed size in the file in bytes
   * @param size of the content in bytes
   * @param header offset of the local header
   * @param link whether it is a symbolic link of Unix
   */
  record Entry(
      String name, int method, int crc, long compressed, long size, long header, boolean link) {}

  private ZipDirectory() {}

  /**
   * Reads the directory and checks it against the file.
   *
   * @param kind what the file should be, for messages
   * @return the entries by name, in directory order
   */
  static Map<String, Entry> read(FileChannel channel, Path file, String kind) throws IOException {
    long length = channel.size();
    End end = findEnd(channel, file, length, kind);
    if (end.entries > MAX_ENTRIES) {
      throw refuse(
          file, "has too many entries: expected at most " + MAX_ENTRIES + ", found " + end.entries);
    }
    if (end.size > MAX_DIRECTORY
        || end.size < end.entries * CENTRAL_LENGTH
        || end.offset < 0
        || end.offset > end.position - end.size) {
      throw refuse(
          file,
          "has a damaged end record: a directory of "
              + end.entries
              + " entries in "
              + end.size
              + " bytes at "
              + end.offset
              + " does not fit before byte "
              + end.position);
    }
    ByteBuffer directory = readFully(channel, end.offset, (int) end.size);
    Map<String, Entry> entries = new LinkedHashMap<>();
    for (long i = 0; i < end.entries; i++) {
      Entry entry = readEntry(directory, file, i);
      if (entries.put(entry.name, entry) != null) {
        throw refuse(file, "has two entries named " + entry.name);
      }
    }
    if (directory.hasRemaining()) {
      throw refuse(
          file,
          "has a damaged directory: " + directory.remaining() + " bytes after the last entry");
    }
    checkRanges(channel, file, entries, end.offset);
    checkInflation(file, entries, length);
    return entries;
  }

  /** Checks an entry's local header and returns the offset of its content. */
  static long dataOffset(FileChannel channel, Path file, Entry entry) throws IOException {
    ByteBuffer local = readFully(channel, entry.header, LOCAL_LENGTH);
    return entry.header + localLength(local, file, entry);
  }

  static ByteBuffer readFully(FileChannel channel, long offset, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, offset + buffer.position()) < 0) {
        throw new EOFException("the file ends before byte " + (offset + length));
      }
    }
    return buffer.flip();
  }

  private record End(long position, long entries, long size, long offset) {}

  private static End findEnd(FileChannel channel, Path file, long length, String kind)
      throws IOException {
    if (length < END_LENGTH) {
      throw refuse(file, "is not " + kind + ": " + length + " bytes are too few for a zip file");
    }
    if (readFully(channel, 0, 4).getInt(0) == 0x4d554e93) { // "\x93NUM"
      throw refuse(file, "is a .npy array; expected " + kind + ", a zip of named files");
    }
    int tail = (int) Math.min(length, END_SEARCH);
    ByteBuffer bytes = readFully(channel, length - tail, tail);
    for (int at = tail - END_LENGTH; at >= 0; at--) {
      if (bytes.getInt(at) == 0x06054b50
          && at + END_LENGTH + Short.toUnsignedInt(bytes.getShort(at + 20)) == tail) {
        return readEnd(channel, file, bytes, at, length - tail + at);
      }
    }
    String cut =
        readFully(channel, 0, 4).getInt(0) == 0x04034b50 ? "is truncated" : "is not " + kind;
    throw refuse(file, cut + ": expected a zip directory at its end, found none");
  }

  private static End readEnd(
      FileChannel channel, Path file, ByteBuffer bytes, int at, long position) throws IOException {
    int disks = bytes.getInt(at + 4);
    int here = Short.toUnsignedInt(bytes.getShort(at + 8));
    int entries = Short.toUnsignedInt(bytes.getShort(at + 10));
    long size = Integer.toUnsignedLong(bytes.getInt(at + 12));
    long offset = Integer.toUnsignedLong(bytes.getInt(at + 16));
    if (entries == 0xffff || size == 0xffffffffL || offset == 0xffffffffL) {
      return readEnd64(channel, file, position);
    }
    if (disks != 0 || here != entries) {
      throw refuse(file, "is one part of a split zip file; expected a complete file");
    }
    return new End(position, entries, size, offset);
  }

  private static End readEnd64(FileChannel channel, Path file, long position) throws IOException {
    if (position >= 20) {
      ByteBuffer locator = readFully(channel, position - 20, 20);
      long at = locator.getLong(8);
      if (locator.getInt(0) == 0x07064b50 && at >= 0 && at <= position - 20 - 56) {
        ByteBuffer end = readFully(channel, at, 56);
        long entries = end.getLong(32);
        if (end.getInt(0) == 0x06064b50 && entries >= 0 && end.getLong(24) == entries) {
          return new End(at, entries, Math.max(-1, end.getLong(40)), end.getLong(48));
        }
      }
    }
    throw refuse(file, "has a damaged zip64 end record before byte " + position);
  }

  private static Entry readEntry(ByteBuffer directory, Path file, long number) {
    int at = directory.position();
    if (directory.remaining() < CENTRAL_LENGTH || directory.getInt(at) != 0x02014b50) {
      throw refuse(
          file, "has a damaged directory: entry " + number + " is truncated or has no signature");
    }
    int flags = Short.toUnsignedInt(directory.getShort(at + 8));
    int method = Short.toUnsignedInt(directory.getShort(at + 10));
    int nameLength = Short.toUnsignedInt(directory.getShort(at + 28));
    int extraLength = Short.toUnsignedInt(directory.getShort(at + 30));
    int commentLength = Short.toUnsignedInt(directory.getShort(at + 32));
    if (directory.remaining() < CENTRAL_LENGTH + nameLength + extraLength + commentLength) {
      throw refuse(file, "has a damaged directory: entry " + number + " reaches beyond its end");
    }
    String name = name(directory, at + CENTRAL_LENGTH, nameLength, file, number);
    ByteBuffer extra =
        directory
            .slice(at + CENTRAL_LENGTH + nameLength, extraLength)
            .order(ByteOrder.LITTLE_ENDIAN);
    long[] sizes = {
      Integer.toUnsignedLong(directory.getInt(at + 24)),
      Integer.toUnsignedLong(directory.getInt(at + 20)),
      Integer.toUnsignedLong(directory.getInt(at + 42))
    };
    widen(sizes, extra, file, name);
    if ((flags & 0x2041) != 0) {
      throw refuse(file, "has an encrypted entry: " + name);
    }
    if (method != ZipEntry.STORED && method != ZipEntry.DEFLATED) {
      throw refuse(
          file,
          "entry "
              + name
              + ": expected stored (0) or deflated (8), found compression method "
              + method);
    }
    directory.position(at + CENTRAL_LENGTH + nameLength + extraLength + commentLength);
    int host = directory.get(at + 5);
    boolean link = host == UNIX && directory.getInt(at + 38) >>> 28 == LINK;
    return new Entry(name, method, directory.getInt(at + 16), sizes[1], sizes[0], sizes[2], link);
  }

  private static String name(ByteBuffer directory, int at, int length, Path file, long number) {
    if (length == 0 || length > MAX_NAME) {
      throw refuse(
          file,
          "entry " + number + ": expected a name of 1 to " + MAX_NAME + " bytes, found " + length);
    }
    byte[] bytes = new byte[length];
    directory.get(at, bytes);
    for (byte b : bytes) {
      if (b <= ' ' || b > '~' || b == '\\') {
        throw refuse(
            file,
            String.format(
                "entry %d: expected a name of printable ASCII characters, found byte 0x%02x in it",
                number, b & 0xff));
      }
    }
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  /** Takes size, compressed size and offset from the zip64 field if the directory refers to it. */
  private static void widen(long[] sizes, ByteBuffer extra, Path file, String name) {
    if (sizes[0] != 0xffffffffL && sizes[1] != 0xffffffffL && sizes[2] != 0xffffffffL) {
      return;
    }
    while (extra.remaining() >= 4) {
      int id = Short.toUnsignedInt(extra.getShort());
      int length = Short.toUnsignedInt(extra.getShort());
      if (length > extra.remaining()) {
        break;
      }
      int end = extra.position() + length;
      if (id == 1) {
        for (int i = 0; i < 3; i++) {
          if (sizes[i] == 0xffffffffL) {
            if (end - extra.position() < 8) {
              throw refuse(file, "entry " + name + ": its zip64 sizes are truncated");
            }
            sizes[i] = extra.getLong();
            if (sizes[i] < 0) {
              throw refuse(file, "entry " + name + ": a zip64 size is beyond 2^63");
            }
          }
        }
        return;
      }
      extra.position(end);
    }
    throw refuse(file, "entry " + name + ": expected zip64 sizes, found none");
  }

  private static int localLength(ByteBuffer local, Path file, Entry entry) {
    if (local.getInt(0) != 0x04034b50) {
      throw refuse(file, entry, "expected a local header at byte " + entry.header);
    }
    return LOCAL_LENGTH
        + Short.toUnsignedInt(local.getShort(26))
        + Short.toUnsignedInt(local.getShort(28));
  }

  /** Entries must not overlap each other or the directory: zip bombs share data between entries. */
  private static void checkRanges(
      FileChannel channel, Path file, Map<String, Entry> entries, long directory)
      throws IOException {
    List<Entry> ordered = new ArrayList<>(entries.values());
    ordered.sort(Comparator.comparingLong(Entry::header));
    long free = 0;
    for (Entry entry : ordered) {
      if (entry.header < free) {
        throw refuse(file, "entry " + entry.name + " overlaps the entry before it");
      }
      if (entry.header > directory - LOCAL_LENGTH) {
        throw refuse(
            file, entry, "expected its data before byte " + directory + ", found " + entry.header);
      }
      long data = dataOffset(channel, file, entry);
      if (entry.compressed > directory - data) {
        long found = Math.max(0, directory - data);
        throw refuse(
            file, entry, "expected " + entry.compressed + " bytes of data, found " + found);
      }
      free = data + entry.compressed;
    }
  }

  private static void checkInflation(Path file, Map<String, Entry> entries, long length) {
    long limit = FREE_INFLATION + TOTAL_RATIO * length;
    long total = 0;
    for (Entry entry : entries.values()) {
      boolean possible =
          entry.method == ZipEntry.STORED
              ? entry.size == entry.compressed
              : entry.size / DEFLATE_LIMIT <= entry.compressed;
      if (!possible) {
        throw refuse(
            file,
            entry,
            entry.compressed + " bytes of data cannot hold the declared " + entry.size);
      }
      total += Math.min(entry.size, Long.MAX_VALUE - total);
      if (total > limit) {
        throw refuse(
            file,
            entry,
            "the file of "
                + length
                + " bytes would inflate to more than "
                + limit
                + ", which no weights do");
      }
    }
  }

  private static ModelFormatException refuse(Path file, Entry entry, String what) {
    return refuse(file, "entry " + entry.name + ": " + what);
  }

  private static ModelFormatException refuse(Path file, String what) {
    return new ModelFormatException(file + " " + what);
  }
}
