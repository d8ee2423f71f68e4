package io.latimer.operators.index;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The first 256 bytes of an index file, validated.
 *
 * @param bytes the header's bytes
 * @param kind the kind of the file
 * @param version the producer's version of the content
 */
record IndexHeader(ByteBuffer bytes, String kind, String version) {

  /**
   * Validates a header after the magic.
   *
   * @param length of the whole file
   */
  static IndexHeader read(Path path, ByteBuffer bytes, long length) {
    if (bytes.limit() < IndexLayout.HEADER_LENGTH) {
      throw new TruncatedIndexException(
          path + " is truncated: expected a header of 256 bytes, found " + length);
    }
    int format = bytes.getInt(IndexLayout.AT_FORMAT_VERSION);
    if (format == 0) {
      throw new IndexTooOldException(path + ": expected index format version 1, found 0");
    }
    if (format != IndexLayout.FORMAT_VERSION) {
      throw new IndexTooNewException(
          path
              + ": expected index format version 1, found "
              + Integer.toUnsignedString(format)
              + "; use the version of Latimer that wrote it, or a newer");
    }
    int crc = IndexLayout.crc32c(bytes.slice(0, IndexLayout.AT_HEADER_CRC));
    if (crc != bytes.getInt(IndexLayout.AT_HEADER_CRC)) {
      throw corrupt(
          path, "header", 0, "CRC-32C " + hex(bytes.getInt(IndexLayout.AT_HEADER_CRC)), hex(crc));
    }
    IndexHeader header =
        new IndexHeader(
            bytes,
            text(path, bytes, 0, IndexLayout.AT_KIND, IndexLayout.KIND_LENGTH, "kind"),
            text(path, bytes, 0, IndexLayout.AT_VERSION, IndexLayout.VERSION_LENGTH, "version"));
    header.check(path, length);
    return header;
  }

  private void check(Path path, long length) {
    if (length < fileLength()) {
      throw new TruncatedIndexException(
          path + " is truncated: expected " + fileLength() + " bytes, found " + length);
    }
    if (length > fileLength()) {
      throw corrupt(path, "file", fileLength(), fileLength() + " bytes", "" + length);
    }
    if (!IndexLayout.isName(kind, IndexLayout.KIND_LENGTH)) {
      throw corrupt(path, "header", IndexLayout.AT_KIND, "a kind in ASCII", "\"" + kind + "\"");
    }
    if (kindVersion() < 1) {
      throw corrupt(
          path, "header", IndexLayout.AT_KIND_VERSION, "a kind version from 1", "" + kindVersion());
    }
    if (sections() < 0 || sections() > IndexLayout.MAX_SECTIONS) {
      throw corrupt(
          path, "header", IndexLayout.AT_SECTIONS, "at most 65536 sections", "" + sections());
    }
    long tableLength = (long) sections() * IndexLayout.ENTRY_LENGTH;
    if (table() < IndexLayout.HEADER_LENGTH
        || table() % IndexLayout.ALIGNMENT != 0
        || table() != length - tableLength) {
      throw corrupt(
          path,
          "header",
          IndexLayout.AT_TABLE,
          "a table of " + tableLength + " bytes that ends the file",
          "one at offset " + table());
    }
    for (int at = IndexLayout.AT_RESERVED; at < IndexLayout.AT_HEADER_CRC; at++) {
      if (bytes.get(at) != 0) {
        throw corrupt(path, "header", at, "zero in the reserved bytes", "" + bytes.get(at));
      }
    }
  }

  /** Validates the table's checksum and every entry. */
  Map<String, Section> readTable(Path path, ByteBuffer table) {
    int crc = IndexLayout.crc32c(table);
    if (crc != bytes.getInt(IndexLayout.AT_TABLE_CRC)) {
      throw corrupt(
          path,
          "section table",
          table(),
          "CRC-32C " + hex(bytes.getInt(IndexLayout.AT_TABLE_CRC)),
          hex(crc));
    }
    Map<String, Section> sections = new LinkedHashMap<>();
    long free = IndexLayout.HEADER_LENGTH;
    for (int i = 0; i < sections(); i++) {
      int at = i * IndexLayout.ENTRY_LENGTH;
      long place = table() + at;
      String name = text(path, table, table(), at, IndexLayout.NAME_LENGTH, "section name");
      if (!IndexLayout.isName(name, IndexLayout.NAME_LENGTH)) {
        throw corrupt(path, "section table", place, "a name in ASCII", "\"" + name + "\"");
      }
      long offset = table.getLong(at + IndexLayout.AT_ENTRY_OFFSET);
      long length = table.getLong(at + IndexLayout.AT_ENTRY_LENGTH);
      if (offset != IndexLayout.align(free) || length < 0 || length > table() - offset) {
        throw corrupt(
            path,
            "section table",
            place,
            name + " at offset " + IndexLayout.align(free) + ", ending before " + table(),
            length + " bytes at " + offset);
      }
      for (int j = IndexLayout.AT_ENTRY_RESERVED; j < IndexLayout.ENTRY_LENGTH; j++) {
        if (table.get(at + j) != 0) {
          throw corrupt(
              path,
              "section table",
              place + j,
              "zero in the reserved bytes",
              "" + table.get(at + j));
        }
      }
      long sum = Integer.toUnsignedLong(table.getInt(at + IndexLayout.AT_ENTRY_CRC));
      if (sections.put(name, new Section(name, offset, length, sum)) != null) {
        throw corrupt(path, "section table", place, "every name once", name + " twice");
      }
      free = offset + length;
    }
    if (IndexLayout.align(free) != table()) {
      throw corrupt(
          path,
          "header",
          IndexLayout.AT_TABLE,
          "the table at " + IndexLayout.align(free),
          "" + table());
    }
    return sections;
  }

  int sections() {
    return bytes.getInt(IndexLayout.AT_SECTIONS);
  }

  int kindVersion() {
    return bytes.getInt(IndexLayout.AT_KIND_VERSION);
  }

  long table() {
    return bytes.getLong(IndexLayout.AT_TABLE);
  }

  long fileLength() {
    return bytes.getLong(IndexLayout.AT_FILE_LENGTH);
  }

  byte[] contentId() {
    byte[] id = new byte[IndexLayout.CONTENT_ID_LENGTH];
    bytes.get(IndexLayout.AT_CONTENT_ID, id);
    return id;
  }

  MessageDigest contentDigest() {
    return IndexLayout.contentDigest(bytes);
  }

  static void addToContent(MessageDigest content, Section section, byte[] sha256) {
    ByteBuffer entry = ByteBuffer.allocate(IndexLayout.ENTRY_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    IndexLayout.putText(entry, 0, IndexLayout.NAME_LENGTH, section.name());
    entry.putLong(IndexLayout.AT_ENTRY_LENGTH, section.length());
    IndexLayout.addToContent(content, entry, sha256);
  }

  private static String text(
      Path path, ByteBuffer bytes, long base, int at, int length, String what) {
    int end = at;
    while (end < at + length && bytes.get(end) != 0) {
      end++;
    }
    for (int i = end; i < at + length; i++) {
      if (bytes.get(i) != 0) {
        throw corrupt(path, what, base + i, "zeros behind the text", "" + bytes.get(i));
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes.slice(at, end - at)).toString();
    } catch (CharacterCodingException e) {
      throw corrupt(path, what, base + at, "UTF-8", "other bytes");
    }
  }

  private static CorruptIndexException corrupt(
      Path path, String where, long offset, String expected, String found) {
    return new CorruptIndexException(
        path
            + " is corrupt: "
            + where
            + ", offset "
            + offset
            + ": expected "
            + expected
            + ", found "
            + found);
  }

  private static String hex(int value) {
    return String.format("%08x", value);
  }
}
