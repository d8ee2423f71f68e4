package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.util.FileErrors;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipEntry;

/**
 * An untrusted zip file of files. When it is opened, its directory is checked: duplicate names,
 * names that lead outside, links, overlapping and encrypted entries, impossible sizes, and more
 * content than models have are refused. An entry's content is checked when it is read: it must have
 * the directory's size and checksum.
 *
 * <p>Not thread-safe.
 */
public final class ZipArchive implements AutoCloseable {
  /** More than any published model of this kind takes by far. */
  private static final long MAX_CONTENT = 16L << 30;

  private static final int CHUNK = 1 << 16;

  private final Path file;
  private final FileChannel channel;
  private final Map<String, ZipDirectory.Entry> entries;

  private ZipArchive(Path file, FileChannel channel, Map<String, ZipDirectory.Entry> entries) {
    this.file = file;
    this.channel = channel;
    this.entries = entries;
  }

  /**
   * Opens a file and reads its directory.
   *
   * @param kind what the file should be, for messages, such as "Argos package"
   * @throws ModelFormatException if it cannot be read, or is not a sound zip file
   */
  public static ZipArchive open(Path file, String kind) {
    FileChannel channel = null;
    try {
      channel = FileChannel.open(file);
      Map<String, ZipDirectory.Entry> entries = ZipDirectory.read(channel, file, kind);
      long total = 0;
      for (ZipDirectory.Entry entry : entries.values()) {
        requireInside(file, entry);
        total += entry.size();
        if (total > MAX_CONTENT) {
          throw new ModelFormatException(
              file + ": expected at most " + MAX_CONTENT + " bytes of content, found more");
        }
      }
      ZipArchive opened = new ZipArchive(file, channel, entries);
      channel = null;
      return opened;
    } catch (IOException e) {
      throw new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
    } finally {
      closeQuietly(channel);
    }
  }

  private static void requireInside(Path file, ZipDirectory.Entry entry) {
    String name = entry.name();
    if (entry.link()) {
      throw new ModelFormatException(
          file + " entry " + name + ": expected files and folders, found a link");
    }
    String path = name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
    for (String part : path.split("/", -1)) {
      if (part.isEmpty() || part.equals(".") || part.equals("..") || part.indexOf(':') >= 0) {
        throw new ModelFormatException(
            file + " entry " + name + ": expected a name within the folder it is unpacked to");
      }
    }
  }

  /** The names of all entries, in the directory's order; those of folders end in a slash. */
  public Set<String> names() {
    return entries.keySet();
  }

  /**
   * Writes an entry's content to a new file.
   *
   * @param name one of {@link #names}
   * @throws ModelFormatException if the content is damaged; a part of it may have been written
   */
  public void extract(String name, Path to) {
    ZipDirectory.Entry entry = entries.get(name);
    try (InputStream in = content(entry);
        OutputStream out =
            new BufferedOutputStream(Files.newOutputStream(to, StandardOpenOption.CREATE_NEW))) {
      CRC32 crc = new CRC32();
      byte[] chunk = new byte[CHUNK];
      long left = entry.size();
      while (left > 0) {
        int count = in.read(chunk, 0, (int) Math.min(chunk.length, left));
        if (count < 0) {
          throw refuse(
              entry, "expected " + entry.size() + " bytes, found " + (entry.size() - left));
        }
        crc.update(chunk, 0, count);
        out.write(chunk, 0, count);
        left -= count;
      }
      if (in.read() >= 0) {
        throw refuse(entry, "expected " + entry.size() + " bytes, found more");
      }
      if ((int) crc.getValue() != entry.crc()) {
        throw refuse(
            entry, String.format("expected CRC-32 %08x, found %08x", entry.crc(), crc.getValue()));
      }
    } catch (IOException e) {
      throw new ModelFormatException(
          file + " entry " + name + " cannot be unpacked: " + FileErrors.reason(e), e);
    }
  }

  private ModelFormatException refuse(ZipDirectory.Entry entry, String what) {
    return new ModelFormatException(file + " entry " + entry.name() + ": " + what);
  }

  private InputStream content(ZipDirectory.Entry entry) throws IOException {
    InputStream stored =
        new Stored(channel, ZipDirectory.dataOffset(channel, file, entry), entry.compressed());
    return entry.method() == ZipEntry.DEFLATED ? new Inflated(stored) : stored;
  }

  /** Inflates raw deflated data, and frees its native memory when closed. */
  private static final class Inflated extends InflaterInputStream {
    Inflated(InputStream in) {
      super(in, new Inflater(true), CHUNK);
    }

    @Override
    public void close() throws IOException {
      inf.end();
      super.close();
    }
  }

  /** Some bytes of a file. */
  private static final class Stored extends InputStream {
    private final FileChannel channel;
    private final long end;
    private long at;

    Stored(FileChannel channel, long at, long length) {
      this.channel = channel;
      this.at = at;
      this.end = at + length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      if (at == end) {
        return -1;
      }
      int count = channel.read(ByteBuffer.wrap(to, offset, (int) Math.min(length, end - at)), at);
      at += Math.max(count, 0);
      return count;
    }
  }

  @Override
  public void close() {
    closeQuietly(channel);
  }

  private static void closeQuietly(FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        // opened only for reading: nothing is lost
        org.slf4j.LoggerFactory.getLogger(ZipArchive.class).debug("close failed", e);
      }
    }
  }
}
