package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A .npz file: a zip of .npy arrays, in which Amun, Nematus and Marian store their weights.
 *
 * <p>Accepts what numpy and Marian's cnpy write: entries stored or deflated, zip64, data
 * descriptors, .npy versions 1 to 3, {@code float16}, {@code float32} and {@code float64} (widened
 * or rounded to 32 bits) in shapes of at most two dimensions, and {@code int8} texts. Rejects
 * column-major and big-endian arrays, and never unpickles. The file is untrusted: the directory is
 * checked when the file is opened, an array's header when the array is read, each before memory is
 * allocated for the declared sizes; see {@link ZipDirectory} for the limits.
 *
 * <p>Arrays are read on demand, one at a time. Not thread-safe.
 *
 * <p>Sources: numpy/lib/format.py; PKWARE APPNOTE 6.3.10.
 */
public final class NpzFile implements WeightSource, AutoCloseable {
  private static final String SUFFIX = ".npy";
  private static final long MAX_TEXT = 1L << 20;

  private final Path file;
  private final FileChannel channel;
  private final Map<String, ZipDirectory.Entry> entries;

  private NpzFile(Path file, FileChannel channel, Map<String, ZipDirectory.Entry> entries) {
    this.file = file;
    this.channel = channel;
    this.entries = entries;
  }

  /**
   * Opens a file and reads its directory.
   *
   * @throws ModelFormatException if the file does not exist or is not a sound zip of .npy entries
   */
  public static NpzFile open(Path file) {
    if (Files.isDirectory(file)) {
      throw new ModelFormatException(file + " is a folder; expected a .npz file");
    }
    FileChannel channel = null;
    try {
      channel = FileChannel.open(file);
      Map<String, ZipDirectory.Entry> entries = new LinkedHashMap<>();
      for (ZipDirectory.Entry entry : ZipDirectory.read(channel, file, "a .npz file").values()) {
        if (!entry.name().endsWith(SUFFIX) || entry.name().length() == SUFFIX.length()) {
          throw new ModelFormatException(
              file + " entry " + entry.name() + ": expected a name that ends in .npy");
        }
        entries.put(entry.name().substring(0, entry.name().length() - SUFFIX.length()), entry);
      }
      NpzFile opened = new NpzFile(file, channel, Collections.unmodifiableMap(entries));
      channel = null;
      return opened;
    } catch (NoSuchFileException e) {
      throw new ModelFormatException(file + " does not exist", e);
    } catch (IOException e) {
      throw new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
    } finally {
      closeQuietly(channel);
    }
  }

  /** The file this was opened from. */
  public Path path() {
    return file;
  }

  @Override
  public String origin() {
    return file.toString();
  }

  /** The names of all arrays, in file order. */
  @Override
  public Set<String> names() {
    return entries.keySet();
  }

  /** Whether there is an array of that name, of any type and shape. */
  public boolean has(String name) {
    return entries.containsKey(name);
  }

  /**
   * Reads an array of numbers.
   *
   * @param name without the suffix {@code .npy}
   * @return shape {@code (r, c)} as r x c, {@code (n,)} as 1 x n, {@code ()} as 1 x 1
   * @throws ModelFormatException if it is missing, damaged, of another type, column-major, of more
   *     than two dimensions, too large, or holds a number that is not finite in 32 bits
   */
  @Override
  public Tensor floats(String name) {
    ZipDirectory.Entry entry = entries.get(name);
    if (entry == null) {
      throw new ModelFormatException(file + " has no tensor " + name);
    }
    try (NpyReader reader = new NpyReader(channel, file, name, entry)) {
      NpyHeader header = reader.header();
      int width = FloatType.width(header.descr());
      if (width == 0) {
        throw reader.refuse(
            "expected type <f2, <f4 or <f8 (float16, float32, float64 in little-endian order)",
            reader.describe(header.descr()));
      }
      int[] shape = reader.matrix(width);
      float[] numbers = new float[shape[0] * shape[1]];
      FloatType.read(reader, width, numbers, shape[1]);
      reader.finish();
      return Tensor.of(name, shape[0], shape[1], numbers);
    } catch (IOException e) {
      throw new ModelFormatException(file + " tensor " + name + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads an array of bytes as UTF-8 text, without trailing zeros: Marian's {@code
   * special:model.yml}.
   *
   * @return empty if there is no such array
   * @throws ModelFormatException if it is damaged, not of type int8 or uint8, longer than 1 MiB, or
   *     not UTF-8
   */
  @Override
  public Optional<String> text(String name) {
    ZipDirectory.Entry entry = entries.get(name);
    if (entry == null) {
      return Optional.empty();
    }
    try (NpyReader reader = new NpyReader(channel, file, name, entry)) {
      NpyHeader header = reader.header();
      if (!List.of("|i1", "<i1", "|u1", "<u1").contains(header.descr())) {
        throw reader.refuse("expected type |i1 (text in bytes)", reader.describe(header.descr()));
      }
      int[] shape = reader.matrix(1);
      long length = (long) shape[0] * shape[1];
      if (length > MAX_TEXT) {
        throw reader.refuse("expected at most " + MAX_TEXT + " bytes of text", "" + length);
      }
      ByteBuffer bytes = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
      reader.read(bytes);
      reader.finish();
      int end = bytes.limit();
      while (end > 0 && bytes.get(end - 1) == 0) {
        end--;
      }
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(bytes.slice(0, end)).toString());
    } catch (CharacterCodingException e) {
      throw new ModelFormatException(file + " tensor " + name + ": expected UTF-8 text", e);
    } catch (IOException e) {
      throw new ModelFormatException(file + " tensor " + name + ": " + e.getMessage(), e);
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
        org.slf4j.LoggerFactory.getLogger(NpzFile.class).debug("close failed", e);
      }
    }
  }
}
