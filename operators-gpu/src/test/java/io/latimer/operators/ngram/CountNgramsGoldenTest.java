package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.latimer.operators.OperatorException;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Counts real text and compares with tables that another program made. The training text with n of
 * 4 and more takes long on a CPU: the system property {@value #ALL} turns these rows on.
 */
public abstract class CountNgramsGoldenTest {
  /** System property: {@code true} to compare every row. */
  public static final String ALL = "latimer.golden.all";

  private static final String COUNTS = "data/lm/counts/bytes.";
  private static final int PIECE = 1 << 22;

  // The text and the table of the row before, which the next test may want, too.
  private static String textName;
  private static byte[] text;

  /** Opens a counter of byte n-grams. */
  protected abstract CountNgrams<byte[]> open(NgramOptions options);

  /** The strategies that the tests run with. */
  protected List<NgramStrategy> strategies() {
    return List.of(NgramStrategy.AUTO);
  }

  @AfterAll
  static void forgetTheText() {
    text = null;
    textName = null;
  }

  @ParameterizedTest(name = "{0}, n = {1}")
  @CsvSource({
    "heldout, 1",
    "heldout, 2",
    "heldout, 3",
    "heldout, 4",
    "heldout, 5",
    "heldout, 6",
    "heldout, 7",
    "heldout, 8",
    "train, 1",
    "train, 2",
    "train, 3"
  })
  void countsAsTheTablesSay(String name, int order) throws IOException {
    compare(name, order);
  }

  @ParameterizedTest(name = "train, n = {0}")
  @ValueSource(ints = {4, 5, 6, 7, 8})
  void countsTheLongRowsAsTheTablesSay(int order) throws IOException {
    assumeTrue(Boolean.getBoolean(ALL), "long rows are compared with -D" + ALL + "=true only");
    compare("train", order);
  }

  private void compare(String name, int order) throws IOException {
    byte[] wholeText = text(name);
    for (NgramStrategy strategy : strategies()) {
      Optional<NgramOptions> options = options(order, strategy);
      if (options.isEmpty()) {
        continue;
      }
      try (CountNgrams<byte[]> counter = open(options.get())) {
        for (byte[] piece : overlapping(wholeText, order)) {
          counter.apply(List.of(piece)).get(0).orElseThrow();
        }
        NgramCounts counts = counter.counts();
        compareSummary(name, counts);
        compareTop(name, counts);
        compareAll(name, counts);
      }
    }
  }

  /** The options, if the strategy counts n-grams of this order. */
  private static Optional<NgramOptions> options(int order, NgramStrategy strategy) {
    try {
      return Optional.of(new NgramOptions(NgramUnit.BYTES, order, strategy));
    } catch (OperatorException e) {
      return Optional.empty();
    }
  }

  private static void compareSummary(String name, NgramCounts counts) throws IOException {
    String[] row =
        Files.readAllLines(SharedData.require(COUNTS + name + ".summary.tsv"))
            .get(counts.order())
            .split("\t", -1);
    assertThat(row[0]).isEqualTo(String.valueOf(counts.order()));
    assertThat(counts.total()).isEqualTo(Long.parseLong(row[1]));
    assertThat(counts.size()).isEqualTo(Integer.parseInt(row[2]));
    int most = counts.top(1)[0];
    assertThat(counts.count(most)).isEqualTo(Long.parseLong(row[3]));
    assertThat(hex(counts, most)).isEqualTo(row[4]);
    assertThat(checksum(counts)).isEqualTo(row[5]);
  }

  private static void compareTop(String name, NgramCounts counts) throws IOException {
    List<String> found = new ArrayList<>();
    for (int place : counts.top(200)) {
      found.add(hex(counts, place) + "\t" + counts.count(place));
    }
    Path file = SharedData.require(COUNTS + name + ".top200.n" + counts.order() + ".tsv");
    assertThat(found).isEqualTo(rows(Files.readString(file)));
  }

  private static void compareAll(String name, NgramCounts counts) throws IOException {
    if (!name.equals("heldout") || counts.order() > 3) {
      return;
    }
    Path file = SharedData.require(COUNTS + name + ".full.n" + counts.order() + ".tsv.gz");
    List<String> found = new ArrayList<>();
    for (int i = 0; i < counts.size(); i++) {
      found.add(hex(counts, i) + "\t" + counts.count(i));
    }
    assertThat(found).isEqualTo(rows(new String(unpack(file), StandardCharsets.UTF_8)));
  }

  /** The rows of a table without its head, if it has one. */
  private static List<String> rows(String table) {
    return table.lines().filter(row -> row.matches("[0-9a-f]+\t[0-9]+")).toList();
  }

  private static String hex(NgramCounts counts, int place) {
    return HexFormat.of().formatHex(counts.bytes(place));
  }

  /** The SHA-256 of the rows: the bytes of the n-gram, its count as 8 bytes, little end first. */
  private static String checksum(NgramCounts counts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      ByteBuffer row =
          ByteBuffer.allocate(counts.order() + Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < counts.size(); i++) {
        row.clear();
        digest.update(row.put(counts.bytes(i)).putLong(counts.count(i)).flip());
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** A text in pieces that overlap, so that they count like one. */
  private static List<byte[]> overlapping(byte[] whole, int order) {
    List<byte[]> pieces = new ArrayList<>();
    for (int from = 0; from < whole.length; from += PIECE) {
      int to = (int) Math.min(whole.length, (long) from + PIECE + order - 1);
      pieces.add(Arrays.copyOfRange(whole, from, to));
    }
    return pieces;
  }

  private static byte[] text(String name) throws IOException {
    if (!name.equals(textName)) {
      text = unpack(SharedData.require("data/lm/en." + name + ".txt.gz"));
      textName = name;
    }
    return text;
  }

  private static byte[] unpack(Path file) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file), 1 << 16)) {
      return in.readAllBytes();
    }
  }
}
