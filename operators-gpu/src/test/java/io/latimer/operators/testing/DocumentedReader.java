package io.latimer.operators.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A reader of the container made from docs/formats.md alone: it uses nothing of the project's, not
 * even constants, and its checksum is the bitwise definition.
 */
public final class DocumentedReader {
  private DocumentedReader() {}

  /** What a stranger's reader finds. */
  public record Parsed(
      String kind, long kindVersion, String version, Map<String, byte[]> sections) {}

  /** Reads a file, failing the test at whatever is not as documented. */
  public static Parsed parse(byte[] file) throws Exception {
    ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(HexFormat.of().formatHex(file, 0, 8)).isEqualTo("8c4c4d580d0a1a0a");
    assertThat(in.getInt(8)).isEqualTo(1);
    assertThat(in.getInt(252)).isEqualTo(crc32c(file, 0, 252));
    assertThat(in.getLong(64)).isEqualTo(file.length);
    int count = in.getInt(12);
    int table = (int) in.getLong(56);
    assertThat(table + 128 * count).isEqualTo(file.length);
    assertThat(in.getInt(52)).isEqualTo(crc32c(file, table, 128 * count));

    MessageDigest content = MessageDigest.getInstance("SHA-256");
    content.update(file, 16, 32);
    content.update(file, 48, 4);
    content.update(file, 104, 64);
    Map<String, byte[]> sections = new LinkedHashMap<>();
    int expected = 256;
    for (int i = 0; i < count; i++) {
      int entry = table + 128 * i;
      int offset = (int) in.getLong(entry + 96);
      int length = (int) in.getLong(entry + 104);
      assertThat(offset).isEqualTo(expected);
      byte[] bytes = new byte[length];
      in.get(offset, bytes);
      assertThat(in.getInt(entry + 112)).isEqualTo(crc32c(bytes, 0, length));
      sections.put(text(file, entry, 96), bytes);
      content.update(file, entry, 96);
      content.update(file, entry + 104, 8);
      content.update(MessageDigest.getInstance("SHA-256").digest(bytes));
      expected = (offset + length + 255) / 256 * 256;
    }
    assertThat(table).isEqualTo(expected);
    byte[] id = new byte[32];
    in.get(72, id);
    assertThat(content.digest()).isEqualTo(id);
    return new Parsed(
        text(file, 16, 32), Integer.toUnsignedLong(in.getInt(48)), text(file, 104, 64), sections);
  }

  private static String text(byte[] file, int at, int length) {
    int end = at;
    while (end < at + length && file[end] != 0) {
      end++;
    }
    return new String(file, at, end - at, StandardCharsets.UTF_8);
  }

  private static int crc32c(byte[] bytes, int at, int length) {
    int crc = -1;
    for (int i = at; i < at + length; i++) {
      crc ^= bytes[i] & 0xff;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0x82f63b78;
      }
    }
    return ~crc;
  }
}
