package io.latimer.operators.nmt.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Shortlist;
import io.latimer.operators.nmt.model.TranslationModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader of Marian's binary shortlists, sound ones and others. */
public final class BinaryShortlistTest {
  private static final long MAGIC = Long.parseUnsignedLong("F11A48D5013417F5", 16);
  private static final BigInteger MODULUS = BigInteger.ONE.shiftLeft(64);
  private static final BigInteger GOLDEN = BigInteger.valueOf(0x9e3779b9L);

  private static final long KNOWN_CHECKSUM = 0x5e77df1ce71a4d40L;

  @TempDir private Path folder;

  /** A shortlist with the checksum that belongs to it. */
  public static byte[] bytes(long first, long best, long[] offsets, int... ids) {
    return withChecksum(sized(first, best, offsets.length, ids.length, offsets, ids));
  }

  private static byte[] sized(
      long first, long best, long nOffsets, long nIds, long[] offsets, int... ids) {
    ByteBuffer out =
        ByteBuffer.allocate(48 + 8 * offsets.length + 4 * ids.length)
            .order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(MAGIC).putLong(0).putLong(first).putLong(best).putLong(nOffsets).putLong(nIds);
    Arrays.stream(offsets).forEach(out::putLong);
    Arrays.stream(ids).forEach(out::putInt);
    return out.array();
  }

  /**
   * Gives a file the checksum of its content: in whole numbers without a limit, modulo 2^64 at the
   * end of each step.
   */
  public static byte[] withChecksum(byte[] bytes) {
    if (bytes.length < 16) {
      return bytes;
    }
    ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    BigInteger hash = BigInteger.ZERO;
    for (int at = 16; at + 8 <= bytes.length; at += 8) {
      BigInteger number = new BigInteger(Long.toUnsignedString(all.getLong(at)));
      BigInteger sum = number.add(GOLDEN).add(hash.shiftLeft(6)).add(hash.shiftRight(2));
      hash = hash.xor(sum.mod(MODULUS)).mod(MODULUS);
    }
    all.putLong(8, hash.longValue());
    return bytes;
  }

  private Path write(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("lex.bin"), bytes);
  }

  private ShortlistReport read(byte[] bytes) throws IOException {
    return BinaryShortlist.read(write(bytes), false, 5, 6);
  }

  @Test
  void theChecksumIsMarians() throws IOException {
    byte[] known = bytes(2, 2, new long[] {0, 2}, 2, 3);
    // by hand, with Python's whole numbers, of 2, 2, 2, 2, 0, 2 and 3 << 32 | 2
    assertThat(ByteBuffer.wrap(known).order(ByteOrder.LITTLE_ENDIAN).getLong(8))
        .isEqualTo(KNOWN_CHECKSUM);
    assertThat(read(known).shortlist().words(new int[] {0})).containsExactly(0, 1, 2, 3);
  }

  @Test
  void readsWhatEachSourceWordAllows() throws IOException {
    byte[] made = bytes(3, 2, new long[] {0, 0, 1, 4, 4, 5}, 5, 4, 3, 4, 1);
    ShortlistReport report = read(made);
    assertThat(report.read()).isEqualTo(5);
    assertThat(report.unknown()).isZero();
    Shortlist shortlist = report.shortlist();
    assertThat(shortlist.first()).isEqualTo(3);
    assertThat(shortlist.ownWords()).isFalse();
    assertThat(shortlist.words(new int[] {0})).containsExactly(0, 1, 2);
    assertThat(shortlist.words(new int[] {1})).containsExactly(0, 1, 2, 5);
    assertThat(shortlist.words(new int[] {2})).containsExactly(0, 1, 2, 3, 4);
    assertThat(shortlist.words(new int[] {4})).containsExactly(0, 1, 2);
    assertThat(shortlist.pairs()).isEqualTo(3);
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(made);
    }
    assertThat(read(packed.toByteArray()).shortlist()).isEqualTo(shortlist);
    assertThat(BinaryShortlist.isOne(write(packed.toByteArray()))).isTrue();
  }

  @Test
  void theLastSourceWordsMayHaveNone() throws IOException {
    Shortlist shortlist = read(bytes(2, 9, new long[] {0, 1, 2}, 5, 4)).shortlist();
    assertThat(shortlist.sourceWords()).isEqualTo(5);
    assertThat(shortlist.words(new int[] {1})).containsExactly(0, 1, 4);
    assertThat(shortlist.words(new int[] {2, 3, 4})).containsExactly(0, 1);
    assertThat(read(bytes(1000, 9, new long[] {0})).shortlist().first()).isEqualTo(6);
  }

  @Test
  void travelsInTheModel() throws IOException {
    TinyModel tiny = new TinyModel(folder);
    Path table = write(bytes(2, 50, new long[] {0, 0, 0, 2, 3, 3}, 4, 5, 3));
    ImportReport report =
        ModelImporter.importModel(tiny.request().shortlist(table, ShortlistSettings.DEFAULTS));
    try (IndexFile file = IndexFile.open(report.file());
        TranslationModel model = TranslationModel.open(file)) {
      Shortlist shortlist = model.network().shortlist().orElseThrow();
      assertThat(shortlist.words(model.pipeline().prepare("s2").get(0).ids()))
          .containsExactly(0, 1, 4, 5);
    }
    assertThatThrownBy(
            () ->
                ModelImporter.importModel(
                    tiny.request().shortlist(table, new ShortlistSettings(50, 50, 0))))
        .isInstanceOf(OperatorException.class)
        .hasMessage(
            table
                + " is a binary shortlist, which holds no probabilities and has its own number of"
                + " first words; leave out those of the shortlist's settings");
  }

  @Test
  void refusesWhatDoesNotFit() throws IOException {
    long[] offsets = {0, 2};
    refused(new byte[8], "at byte 0: expected 48 bytes, found 8");
    refused(new byte[48], "at byte 0: expected a binary shortlist");
    refused(
        bytes(1, 2, offsets, 2, 3), "at byte 16: expected 2 to 2147483647 first words, found 1");
    refused(bytes(2, -1, offsets, 2, 3), "best words, found 18446744073709551615");
    refused(sized(2, 2, 7, 2, offsets, 2, 3), "at byte 32: expected 1 to 6 offsets, found 7");
    refused(
        sized(2, 2, 2, 1L << 40, offsets, 2, 3),
        "at byte 40: expected 0 to 268435455 target ids, found 1099511627776");
    refused(
        sized(2, 2, 2, 1 << 27, offsets, 2),
        "at byte 56: expected the last offset to be 134217728, found 2");
    refused(
        sized(2, 2, 2, 1 << 27, new long[] {0, 1 << 27}, 2),
        "at byte 64: expected 65536 bytes, found 4");
    refused(sized(2, 2, 2, 9, new long[] {0, 9}, 2), "at byte 64: expected 36 bytes, found 4");
    refused(bytes(2, 2, new long[] {1, 2}, 2, 3), "at byte 48: expected an offset from 0 to 0");
    refused(bytes(2, 2, new long[] {0, 2, 1}, 2), "at byte 56: expected an offset from 0 to 1");
    refused(bytes(2, 2, new long[] {0, 1}, 2, 3), "at byte 56: expected the last offset to be 2");
    refused(bytes(2, 2, offsets, 2, 6), "at byte 68: expected a target id from 0 to 5, found 6");
    refused(bytes(2, 2, offsets, 2, -1), "expected a target id from 0 to 5, found 4294967295");
    byte[] sound = bytes(2, 2, offsets, 2, 3);
    refused(Arrays.copyOf(sound, sound.length + 1), "at byte 72: expected the end of the file");
    for (int length = 0; length < sound.length; length++) {
      refused(Arrays.copyOf(sound, length), "bytes, found ");
    }
    for (int at = 0; at < sound.length; at++) {
      byte[] changed = sound.clone();
      changed[at] ^= 1;
      refused(changed, "expected");
    }
    sound[8] ^= 1;
    refused(sound, "at byte 8: expected the checksum " + String.format("%016x", KNOWN_CHECKSUM));
  }

  private void refused(byte[] bytes, String message) {
    assertThatThrownBy(() -> read(bytes))
        .isInstanceOf(ModelFormatException.class)
        .hasMessageStartingWith(folder.resolve("lex.bin").toString())
        .hasMessageContaining(message);
  }
}
