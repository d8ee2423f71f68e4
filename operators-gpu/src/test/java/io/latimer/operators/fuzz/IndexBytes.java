package io.latimer.operators.fuzz;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.Section;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

/** Index files with changed sections or headers, whose checksums are right; see docs/formats.md. */
final class IndexBytes {
  private static final int HEADER = 256;
  private static final int ENTRY = 128;
  private static final int TABLE_CRC = 52;
  private static final int TABLE = 56;
  private static final int FILE_LENGTH = 64;
  private static final int CONTENT_ID = 72;
  private static final int HEADER_CRC = 252;

  /** A section. */
  private static final class Part {
    private final String name;
    private final byte[] bytes;

    Part(String name, byte[] bytes) {
      this.name = name;
      this.bytes = bytes;
    }
  }

  private final byte[] file;
  private final List<Part> parts;

  private IndexBytes(byte[] file, List<Part> parts) {
    this.file = file;
    this.parts = parts;
  }

  static IndexBytes of(Path path) {
    List<Part> parts = new ArrayList<>();
    try (IndexFile index = IndexFile.open(path)) {
      for (Section section : index.sections()) {
        byte[] bytes = new byte[(int) section.length()];
        index.section(section.name()).get(bytes);
        parts.add(new Part(section.name(), bytes));
      }
      return new IndexBytes(Files.readAllBytes(path), parts);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The file with one or a few sections changed, or rarely one away or twice. */
  static byte[] changedSections(List<IndexBytes> seeds, Random random) {
    IndexBytes seed = seeds.get(random.nextInt(seeds.size()));
    List<Part> changed = new ArrayList<>(seed.parts);
    for (int n = 1 + random.nextInt(2); n > 0; n--) {
      int at = random.nextInt(changed.size());
      Part part = changed.get(at);
      List<byte[]> contents =
          List.of(part.bytes, changed.get(random.nextInt(changed.size())).bytes);
      byte[] bytes =
          Mutations.of(random.nextInt(8) == 0 ? contents : contents.subList(0, 1), random);
      if (random.nextInt(50) == 0) {
        changed.remove(at);
      } else {
        changed.set(at, new Part(part.name, bytes));
      }
      if (changed.isEmpty()) {
        break;
      }
    }
    return seed.written(changed);
  }

  /** The file with its header or table changed, and their checksums made right. */
  static byte[] changedTable(List<IndexBytes> seeds, Random random) {
    byte[] file = seeds.get(random.nextInt(seeds.size())).file.clone();
    ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    int table = (int) bytes.getLong(TABLE);
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      boolean header = random.nextInt(3) == 0;
      int from = header ? 8 : table;
      int length = header ? HEADER_CRC - 8 : file.length - table;
      byte[] part = new byte[length];
      bytes.get(from, part);
      byte[] changed = Mutations.of(List.of(part), random);
      bytes.put(from, changed, 0, Math.min(changed.length, length));
    }
    bytes.putInt(TABLE_CRC, crc(bytes.slice(table, file.length - table)));
    bytes.putInt(HEADER_CRC, crc(bytes.slice(0, HEADER_CRC)));
    return file;
  }

  /** The file as it was written. */
  byte[] bytes() {
    return file;
  }

  private byte[] written(List<Part> changed) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(file, 0, HEADER);
    ByteBuffer table = ByteBuffer.allocate(ENTRY * changed.size()).order(ByteOrder.LITTLE_ENDIAN);
    MessageDigest content = sha256();
    content.update(file, 16, 32);
    content.update(file, 48, 4);
    content.update(file, 104, 64);
    for (int i = 0; i < changed.size(); i++) {
      align(out);
      Part part = changed.get(i);
      ByteBuffer entry = table.slice(ENTRY * i, ENTRY).order(ByteOrder.LITTLE_ENDIAN);
      entry.put(0, part.name.getBytes(StandardCharsets.UTF_8));
      entry.putLong(96, out.size());
      entry.putLong(104, part.bytes.length);
      entry.putInt(112, crc(ByteBuffer.wrap(part.bytes)));
      content.update(entry.slice(0, 96));
      content.update(entry.slice(104, 8));
      content.update(sha256().digest(part.bytes));
      out.writeBytes(part.bytes);
    }
    align(out);
    int at = out.size();
    out.writeBytes(table.array());
    byte[] made = out.toByteArray();
    ByteBuffer header = ByteBuffer.wrap(made).order(ByteOrder.LITTLE_ENDIAN);
    header.putInt(12, changed.size());
    header.putInt(TABLE_CRC, crc(table));
    header.putLong(TABLE, at);
    header.putLong(FILE_LENGTH, made.length);
    header.put(CONTENT_ID, content.digest());
    header.putInt(HEADER_CRC, crc(header.slice(0, HEADER_CRC)));
    return made;
  }

  private static void align(ByteArrayOutputStream out) {
    while (out.size() % 256 != 0) {
      out.write(0);
    }
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
