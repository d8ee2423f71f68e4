package io.latimer.operators.index;

import io.latimer.operators.util.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.zip.CRC32C;

/** The layout of an index file; {@code docs/formats.md} is the specification. */
final class IndexLayout {
  /**
   * A byte above 127, the name, both line ends and a DOS end-of-file: transfers that treat the file
   * as text break it detectably.
   */
  static final byte[] MAGIC = {(byte) 0x8c, 'L', 'M', 'X', '\r', '\n', 0x1a, '\n'};

  static final int FORMAT_VERSION = 1;
  static final int ALIGNMENT = 256;
  static final int HEADER_LENGTH = 256;
  static final int MAX_SECTIONS = 1 << 16;

  static final int AT_FORMAT_VERSION = 8;
  static final int AT_SECTIONS = 12;
  static final int AT_KIND = 16;
  static final int KIND_LENGTH = 32;
  static final int AT_KIND_VERSION = 48;
  static final int AT_TABLE_CRC = 52;
  static final int AT_TABLE = 56;
  static final int AT_FILE_LENGTH = 64;
  static final int AT_CONTENT_ID = 72;
  static final int CONTENT_ID_LENGTH = 32;
  static final int AT_VERSION = 104;
  static final int VERSION_LENGTH = 64;
  static final int AT_RESERVED = 168;
  static final int AT_HEADER_CRC = 252;

  static final int ENTRY_LENGTH = 128;
  static final int NAME_LENGTH = 96;
  static final int AT_ENTRY_OFFSET = 96;
  static final int AT_ENTRY_LENGTH = 104;
  static final int AT_ENTRY_CRC = 112;
  static final int AT_ENTRY_RESERVED = 116;

  private IndexLayout() {}

  static long align(long offset) {
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  static int crc32c(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  /**
   * Starts the digest of the content: kind, kind version and producer's version as in the header.
   */
  static MessageDigest contentDigest(ByteBuffer header) {
    MessageDigest digest = Sha256.digest();
    digest.update(header.slice(AT_KIND, KIND_LENGTH));
    digest.update(header.slice(AT_KIND_VERSION, 4));
    digest.update(header.slice(AT_VERSION, VERSION_LENGTH));
    return digest;
  }

  /** Adds one section: its name and length as in the table, then the SHA-256 of its bytes. */
  static void addToContent(MessageDigest content, ByteBuffer entry, byte[] sectionSha256) {
    content.update(entry.slice(0, NAME_LENGTH));
    content.update(entry.slice(AT_ENTRY_LENGTH, 8));
    content.update(sectionSha256);
  }

  static boolean isName(String name, int limit) {
    return !name.isEmpty()
        && name.length() <= limit
        && name.chars().allMatch(c -> c > ' ' && c <= '~');
  }

  /** Writes a text into a zero-padded field. */
  static void putText(ByteBuffer buffer, int at, int length, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > length) {
      throw new IllegalArgumentException(
          "\"" + text + "\" has " + bytes.length + " bytes, the index file takes " + length);
    }
    buffer.put(at, bytes);
  }
}
