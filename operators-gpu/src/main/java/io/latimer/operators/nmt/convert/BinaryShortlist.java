package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Shortlist;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.PackedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads Marian's binary shortlist ({@code lex.s2t.bin}), plain or gzip, which Bergamot's models
 * have instead of a lexical table: six 64-bit numbers (magic, checksum, number of first words, best
 * words per source word, number of offsets, number of target ids), the offsets (64 bits), the
 * target ids (32 bits). The target words of source id s are those from offset s to offset s + 1.
 *
 * <p>Ids are those of the model's vocabularies, so that the file belongs to one model. It may have
 * fewer offsets than the vocabulary has words: the last words have no target words then. The file
 * is untrusted: numbers are compared with the vocabularies before memory is taken for them, and ids
 * take memory as they are read.
 *
 * <p>Sources: marian-nmt/marian-dev, src/data/shortlist.h and shortlist.cpp; src/common/hash.h for
 * the checksum.
 */
final class BinaryShortlist {
  private static final long MAGIC = 0xF11A48D5013417F5L;
  private static final int HEADER = 48;
  private static final int CHUNK = 1 << 16;
  private static final long MAX_IDS = Integer.MAX_VALUE / 8;

  private final Path file;
  private final InputStream in;
  private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK).order(ByteOrder.LITTLE_ENDIAN);
  private long at;
  private long checksum;

  private BinaryShortlist(Path file, InputStream in) {
    this.file = file;
    this.in = in;
  }

  /**
   * Whether a file begins like a binary shortlist; no text in UTF-8 or UTF-16 does.
   *
   * @throws ModelFormatException if it cannot be read
   */
  static boolean isOne(Path file) {
    try (InputStream in = PackedFile.open(file, Long.BYTES)) {
      byte[] start = in.readNBytes(Long.BYTES);
      return start.length == Long.BYTES
          && ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN).getLong() == MAGIC;
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /**
   * Reads a shortlist.
   *
   * @param ownWords whether both sides have one vocabulary, so that source words are allowed, too
   * @param sourceWords rows of the source embedding
   * @param targetWords rows of the target embedding
   * @throws ModelFormatException if it cannot be read, is damaged, or is for larger vocabularies;
   *     the message names file and byte
   */
  static ShortlistReport read(Path file, boolean ownWords, int sourceWords, int targetWords) {
    try (InputStream in = PackedFile.open(file, CHUNK)) {
      return new BinaryShortlist(file, in).read(ownWords, sourceWords, targetWords);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private ShortlistReport read(boolean ownWords, int sourceWords, int targetWords)
      throws IOException {
    ByteBuffer header = next(HEADER);
    if (header.getLong() != MAGIC) {
      throw wrong(0, "expected a binary shortlist, found other bytes");
    }
    long expected = header.getLong();
    int first = number(header, "first words", Shortlist.LEAST_FIRST, Integer.MAX_VALUE);
    number(header, "best words", 0, Integer.MAX_VALUE);
    int offsets = number(header, "offsets", 1, sourceWords + 1L);
    int ids = number(header, "target ids", 0, MAX_IDS);
    checksum(header.position(2 * Long.BYTES));

    int[] starts = starts(offsets, ids, sourceWords);
    int[] words = words(ids, targetWords);
    if (in.read() >= 0) {
      throw wrong(at, "expected the end of the file, found more");
    }
    if (checksum != expected) {
      throw wrong(
          Long.BYTES,
          String.format("expected the checksum %016x, found %016x", checksum, expected));
    }
    int kept = Math.min(first, targetWords);
    Shortlist shortlist =
        ModelFormatException.within(
            file.toString(), () -> sorted(kept, ownWords, targetWords, starts, words));
    return new ShortlistReport(ids, 0, shortlist);
  }

  private int[] starts(int offsets, int ids, int sourceWords) throws IOException {
    int[] starts = new int[sourceWords + 1];
    for (int i = 0; i < offsets; ) {
      ByteBuffer some = next(Long.BYTES * Math.min(CHUNK / Long.BYTES, offsets - i));
      checksum(some.duplicate().order(ByteOrder.LITTLE_ENDIAN));
      for (; some.hasRemaining(); i++) {
        long found = some.getLong();
        int least = i == 0 ? 0 : starts[i - 1];
        int most = i == 0 ? 0 : ids;
        if (found < least || found > most) {
          throw wrong(
              at - some.remaining() - Long.BYTES,
              "expected an offset from "
                  + least
                  + " to "
                  + most
                  + ", found "
                  + Long.toUnsignedString(found));
        }
        starts[i] = (int) found;
      }
    }
    if (starts[offsets - 1] != ids) {
      throw wrong(
          at - Long.BYTES,
          "expected the last offset to be " + ids + ", found " + starts[offsets - 1]);
    }
    Arrays.fill(starts, offsets, starts.length, ids);
    return starts;
  }

  private int[] words(int ids, int targetWords) throws IOException {
    int[] words = new int[Math.min(ids, CHUNK)];
    for (int i = 0; i < ids; ) {
      ByteBuffer some = next(Integer.BYTES * Math.min(CHUNK / Integer.BYTES, ids - i));
      checksum(some.duplicate().order(ByteOrder.LITTLE_ENDIAN));
      int more = some.remaining() / Integer.BYTES;
      if (i + more > words.length) {
        words = Arrays.copyOf(words, Math.min(ids, 2 * words.length));
      }
      for (; some.hasRemaining(); i++) {
        words[i] = some.getInt();
        if (words[i] < 0 || words[i] >= targetWords) {
          throw wrong(
              at - some.remaining() - Integer.BYTES,
              "expected a target id from 0 to "
                  + (targetWords - 1)
                  + ", found "
                  + Integer.toUnsignedString(words[i]));
        }
      }
    }
    return words;
  }

  /** Target words below {@code first} are allowed anyway; the others must ascend. */
  private static Shortlist sorted(
      int first, boolean ownWords, int targetWords, int[] starts, int[] words) {
    int[] ends = new int[starts.length];
    int[] kept = new int[words.length];
    int n = 0;
    for (int source = 0; source + 1 < starts.length; source++) {
      int[] own = Arrays.copyOfRange(words, starts[source], starts[source + 1]);
      for (int word : Arrays.stream(own).filter(w -> w >= first).sorted().distinct().toArray()) {
        kept[n++] = word;
      }
      ends[source + 1] = n;
    }
    return Shortlist.of(first, ownWords, targetWords, ends, Arrays.copyOf(kept, n));
  }

  private int number(ByteBuffer header, String what, int least, long most) {
    long found = header.getLong();
    if (found < least || found > most) {
      throw wrong(
          header.position() - Long.BYTES,
          "expected "
              + least
              + " to "
              + most
              + " "
              + what
              + ", found "
              + Long.toUnsignedString(found));
    }
    return (int) found;
  }

  /** Adds 64-bit numbers to the checksum, which leaves out what remains at the end. */
  private void checksum(ByteBuffer bytes) {
    while (bytes.remaining() >= Long.BYTES) {
      checksum ^= bytes.getLong() + 0x9e3779b9L + (checksum << 6) + (checksum >>> 2);
    }
  }

  /** The next bytes, at most as many as a chunk has. */
  private ByteBuffer next(int length) throws IOException {
    int found = in.readNBytes(chunk.array(), 0, length);
    if (found < length) {
      throw wrong(at, "expected " + length + " bytes, found " + found);
    }
    at += length;
    return chunk.clear().limit(length);
  }

  private ModelFormatException wrong(long place, String what) {
    return new ModelFormatException(file + ", at byte " + place + ": " + what);
  }

  private static ModelFormatException unreadable(Path file, IOException e) {
    return new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
  }
}
