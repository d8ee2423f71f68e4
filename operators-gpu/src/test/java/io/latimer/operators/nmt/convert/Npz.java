package io.latimer.operators.nmt.convert;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes .npz files byte by byte, so that tests can also write wrong ones: every field of the
 * directory can be set to a lie.
 */
final class Npz {
  /** One entry; fields start as the truth and may be changed before {@link #bytes()}. */
  static final class Entry {
    byte[] name;
    byte[] content;
    boolean deflated;
    boolean zip64;
    boolean dataDescriptor;
    int method = -1;
    int flags;
    Long size;
    Long compressed;
    Long offset;
    Integer crc;
    byte[] data;
  }

  private final List<Entry> entries = new ArrayList<>();
  boolean zip64End;
  Long declaredEntries;
  Long declaredDirectory;

  Npz add(String name, byte[] npy) {
    entry(name, npy);
    return this;
  }

  Npz floats(String name, String shape, float... values) {
    return add(name, npy("<f4", shape, floatBytes(values)));
  }

  Entry entry(String name, byte[] npy) {
    Entry entry = new Entry();
    entry.name = (name + ".npy").getBytes(StandardCharsets.UTF_8);
    entry.content = npy;
    entries.add(entry);
    return entry;
  }

  static byte[] floatBytes(float... values) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(values);
    return bytes.array();
  }

  static byte[] npy(String descr, String shape, byte[] data) {
    return npy(
        1, "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", data);
  }

  static byte[] npy(int version, String header, byte[] data) {
    int preamble = version == 1 ? 10 : 12;
    int length = (preamble + header.length() + 1 + 63) / 64 * 64 - preamble;
    ByteBuffer bytes =
        ByteBuffer.allocate(preamble + length + data.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put((byte) 0x93).put("NUMPY".getBytes(StandardCharsets.US_ASCII));
    bytes.put((byte) version).put((byte) 0);
    if (version == 1) {
      bytes.putShort((short) length);
    } else {
      bytes.putInt(length);
    }
    bytes.put(
        (header + " ".repeat(length - 1 - header.length()) + "\n")
            .getBytes(StandardCharsets.ISO_8859_1));
    return bytes.put(data).array();
  }

  byte[] bytes() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream directory = new ByteArrayOutputStream();
    for (Entry entry : entries) {
      byte[] data = entry.data != null ? entry.data : data(entry);
      CRC32 crc = new CRC32();
      crc.update(entry.content);
      int checksum = entry.crc != null ? entry.crc : (int) crc.getValue();
      long size = entry.size != null ? entry.size : entry.content.length;
      long compressed = entry.compressed != null ? entry.compressed : data.length;
      long offset = entry.offset != null ? entry.offset : out.size();
      int method = entry.method >= 0 ? entry.method : entry.deflated ? 8 : 0;
      int flags = entry.flags | (entry.dataDescriptor ? 8 : 0);

      ByteBuffer local = little(30);
      local.putInt(0x04034b50).putShort((short) 45).putShort((short) flags);
      local.putShort((short) method).putInt(0);
      if (entry.dataDescriptor) {
        local.putInt(0).putInt(0).putInt(0);
      } else if (entry.zip64) {
        local.putInt(checksum).putInt(-1).putInt(-1);
      } else {
        local.putInt(checksum).putInt((int) compressed).putInt((int) size);
      }
      local.putShort((short) entry.name.length).putShort((short) (entry.zip64 ? 20 : 0));
      out.writeBytes(raw(local));
      out.writeBytes(entry.name);
      if (entry.zip64) {
        out.writeBytes(
            raw(
                little(20)
                    .putShort((short) 1)
                    .putShort((short) 16)
                    .putLong(size)
                    .putLong(compressed)));
      }
      out.writeBytes(data);
      if (entry.dataDescriptor) {
        out.writeBytes(
            raw(
                little(16)
                    .putInt(0x08074b50)
                    .putInt(checksum)
                    .putInt((int) compressed)
                    .putInt((int) size)));
      }

      ByteBuffer central = little(46);
      central.putInt(0x02014b50).putShort((short) 45).putShort((short) 45);
      central.putShort((short) flags).putShort((short) method).putInt(0).putInt(checksum);
      central.putInt(entry.zip64 ? -1 : (int) compressed).putInt(entry.zip64 ? -1 : (int) size);
      central.putShort((short) entry.name.length).putShort((short) (entry.zip64 ? 28 : 0));
      central.position(42).putInt(entry.zip64 ? -1 : (int) offset);
      directory.writeBytes(raw(central));
      directory.writeBytes(entry.name);
      if (entry.zip64) {
        directory.writeBytes(
            raw(
                little(28)
                    .putShort((short) 1)
                    .putShort((short) 24)
                    .putLong(size)
                    .putLong(compressed)
                    .putLong(offset)));
      }
    }
    long at = out.size();
    long count = declaredEntries != null ? declaredEntries : entries.size();
    long length = declaredDirectory != null ? declaredDirectory : directory.size();
    out.writeBytes(directory.toByteArray());
    if (zip64End) {
      long end64 = out.size();
      out.writeBytes(
          raw(
              little(56)
                  .putInt(0x06064b50)
                  .putLong(44)
                  .putInt(0)
                  .putLong(0)
                  .putLong(count)
                  .putLong(count)
                  .putLong(length)
                  .putLong(at)));
      out.writeBytes(raw(little(20).putInt(0x07064b50).putInt(0).putLong(end64).putInt(1)));
    }
    ByteBuffer end = little(22).putInt(0x06054b50).putInt(0);
    end.putShort((short) (zip64End ? -1 : count)).putShort((short) (zip64End ? -1 : count));
    end.putInt(zip64End ? -1 : (int) length).putInt(zip64End ? -1 : (int) at);
    out.writeBytes(raw(end));
    return out.toByteArray();
  }

  static byte[] deflate(byte[] content) {
    Deflater deflater = new Deflater(9, true);
    deflater.setInput(content);
    deflater.finish();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] chunk = new byte[1 << 16];
    while (!deflater.finished()) {
      out.write(chunk, 0, deflater.deflate(chunk));
    }
    deflater.end();
    return out.toByteArray();
  }

  private static byte[] data(Entry entry) {
    return entry.deflated ? deflate(entry.content) : entry.content;
  }

  private static byte[] raw(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.capacity()];
    buffer.get(0, bytes);
    return bytes;
  }

  private static ByteBuffer little(int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }
}
