package io.latimer.operators.phrases.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.ngram.WordIds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParallelReaderTest {
  @TempDir private Path folder;

  private Path file(String name, byte[] bytes) throws IOException {
    return Files.write(folder.resolve(name), bytes);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private PhraseTextFiles files(byte[] source, byte[] target, byte[] alignment) throws IOException {
    return new PhraseTextFiles(
        file("text.en", source), file("text.de", target), file("text.align", alignment));
  }

  private PhraseTextFiles files(String source, String target, String alignment) throws IOException {
    return files(utf8(source), utf8(target), utf8(alignment));
  }

  /** The pairs, as text; skipped lines as the last. */
  private static List<String> read(PhraseTextFiles files, boolean skipBad) {
    WordIds source = new WordIds();
    WordIds target = new WordIds();
    List<String> pairs = new ArrayList<>();
    try (ParallelReader reader = new ParallelReader(files, source::id, target::id, skipBad)) {
      for (SentencePair pair = reader.next(); pair != null; pair = reader.next()) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < pair.sourceWords(); i++) {
          text.append(source.word(pair.source(i))).append(' ');
        }
        text.append("|||");
        for (int i = 0; i < pair.targetWords(); i++) {
          text.append(' ').append(target.word(pair.target(i)));
        }
        text.append(" |||");
        for (int i = 0; i < pair.links(); i++) {
          text.append(' ').append(pair.sourcePlace(i)).append('-').append(pair.targetPlace(i));
        }
        pairs.add(text.toString());
      }
      if (skipBad) {
        pairs.add("skipped " + reader.skipped());
      }
    }
    return pairs;
  }

  @Test
  void readsPairs() throws IOException {
    assertThat(read(files("a b\nc\n", "x\ny z\n", "0-0 1-0\n\n"), false))
        .containsExactly("a b ||| x ||| 0-0 1-0", "c ||| y z |||");
  }

  @Test
  void aLineThatIsTooLongIsSkippedToItsEnd() throws IOException {
    byte[] source = new byte[TextLines.LONGEST_LINE + 4];
    Arrays.fill(source, (byte) 'a');
    source[TextLines.LONGEST_LINE + 1] = '\n';
    source[TextLines.LONGEST_LINE + 2] = 'b';
    source[TextLines.LONGEST_LINE + 3] = '\n';
    PhraseTextFiles files = files(source, utf8("x\ny\n"), utf8("0-0\n0-0\n"));
    assertThat(read(files, true)).containsExactly("b ||| y ||| 0-0", "skipped 1");
    assertThatThrownBy(() -> read(files, false))
        .hasMessage(files.source() + " line 1 has more than 67108864 bytes; split the sentence");
  }

  @Test
  void readsNoPairs() throws IOException {
    assertThat(read(files("", "", ""), false)).isEmpty();
  }

  @Test
  void readsGzip() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      out.write(utf8("a b\nc\n"));
    }
    assertThat(read(files(packed.toByteArray(), utf8("x\ny\n"), utf8("0-0\n0-0")), false))
        .containsExactly("a b ||| x ||| 0-0", "c ||| y ||| 0-0");
  }

  @Test
  void readsLinesOfAnyEndAndWordsOfAnySpace() throws IOException {
    PhraseTextFiles files =
        files("a b\r\n\t c \u000b d\r\n", "x y\r\n z  \r\n", "0-0\r\n\t0-0   1-0 \r\n");
    assertThat(read(files, false)).containsExactly("a b ||| x y ||| 0-0", "c d ||| z ||| 0-0 1-0");
    assertThat(read(files("a\r", "x", "0-0\r"), false)).containsExactly("a ||| x ||| 0-0");
  }

  @Test
  void readsEveryPointOnceInOrder() throws IOException {
    assertThat(read(files("a b\n", "x y\n", "1-1 0-1 1-0 0-1 1-1 01-1\n"), false))
        .containsExactly("a b ||| x y ||| 0-1 1-0 1-1");
  }

  @Test
  void readsLinesThatAreLongerThanItsBuffer() throws IOException {
    String source = "word ".repeat(40_000).trim();
    String pair = read(files(source, "x", "39999-0"), false).get(0);
    assertThat(pair).isEqualTo(source + " ||| x ||| 39999-0");
  }

  /** The second of three lines is bad: it is named, or left out. */
  private void assertBad(byte[] source, byte[] target, byte[] alignment, String message)
      throws IOException {
    PhraseTextFiles files =
        files(
            between("a\n", source, "\nc\n"),
            between("x\n", target, "\nz\n"),
            between("0-0\n", alignment, "\n0-0\n"));
    assertThatThrownBy(() -> read(files, false))
        .isInstanceOf(PhraseTextException.class)
        .hasMessage(folder + "/" + message);
    assertThat(read(files, true))
        .containsExactly("a ||| x ||| 0-0", "c ||| z ||| 0-0", "skipped 1");
  }

  private void assertBad(String source, String target, String alignment, String message)
      throws IOException {
    assertBad(utf8(source), utf8(target), utf8(alignment), message);
  }

  private static byte[] between(String before, byte[] bytes, String after) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(utf8(before));
    out.writeBytes(bytes);
    out.writeBytes(utf8(after));
    return out.toByteArray();
  }

  @Test
  void namesEmptyLines() throws IOException {
    assertBad(
        "", "y", "", "text.en line 2 is empty; remove the sentence pair from all three files");
    assertBad(
        "b", "", "", "text.de line 2 is empty; remove the sentence pair from all three files");
    assertBad(
        " \t", "y", "", "text.en line 2 is empty; remove the sentence pair from all three files");
  }

  @Test
  void namesBytesThatAreNotUtf8() throws IOException {
    byte[] bad = {'b', ' ', (byte) 0xC3, '(', 'b'};
    assertBad(
        bad, utf8("y"), utf8(""), "text.en line 2 byte 3 is not UTF-8; convert the file to UTF-8");
    assertBad(
        utf8("b"), bad, utf8(""), "text.de line 2 byte 3 is not UTF-8; convert the file to UTF-8");
    byte[] cut = {'b', (byte) 0xE2, (byte) 0x82};
    assertBad(
        utf8("b"), cut, utf8(""), "text.de line 2 byte 2 is not UTF-8; convert the file to UTF-8");
  }

  @Test
  void namesPointsOutsideOfTheSentences() throws IOException {
    assertBad(
        "b b",
        "y",
        "0-0 2-0",
        "text.align line 2: point 2-0 is outside of the sentence pair, which has 2 and 1 words");
    assertBad(
        "b b",
        "y",
        "0-1",
        "text.align line 2: point 0-1 is outside of the sentence pair, which has 2 and 1 words");
  }

  @Test
  void namesWhatIsNoPoint() throws IOException {
    for (String bad :
        List.of(
            "0",
            "-",
            "0-",
            "-0",
            "0_0",
            "0-0-0",
            "a-0",
            "0-a",
            "0-0,",
            "0--0",
            "+0-0",
            "0:0",
            "0-0x",
            "1234567-0",
            "0-1234567",
            "0-1234567 0-0",
            "٠-٠")) {
      assertBad(
          "b",
          "y",
          "0-0 " + bad + " 0-0",
          "text.align line 2: expected points such as 3-4, found " + bad.split(" ", -1)[0]);
    }
    assertBad(
        "b",
        "y",
        "9".repeat(50),
        "text.align line 2: expected points such as 3-4, found " + "9".repeat(40));
  }

  @Test
  void namesColumnSeparators() throws IOException {
    String message =
        " line 2 word 2 is |||, which separates the columns of phrase tables; escape it";
    assertBad("b ||| b", "y", "", "text.en" + message);
    assertBad("b", "y |||", "", "text.de" + message);
    assertThat(read(files("|| |||| a|||", "|", "0-0"), false))
        .containsExactly("|| |||| a||| ||| | ||| 0-0");
  }

  @Test
  void namesSentencesThatAreTooLong() throws IOException {
    String longest = "w ".repeat(65_534);
    assertThat(read(files(longest, longest, "65533-65533"), false)).hasSize(1);
    assertBad(
        longest + "w",
        "y",
        "",
        "text.en line 2 has 65535 words, an index takes 65534; split the sentence");
    assertBad(
        "b",
        longest + "w",
        "",
        "text.de line 2 has 65535 words, an index takes 65534; split the sentence");
  }

  @Test
  void namesTheFileThatEndsFirst() throws IOException {
    String rest = "; the three files need one line per sentence pair";
    assertEnds("a\nb\n", "x\n", "\n\n", "text.de ends before line 2, ", "text.en does not" + rest);
    assertEnds("a\n", "x\ny\n", "\n", "text.en ends before line 2, ", "text.de does not" + rest);
    assertEnds("a\nb\n", "x\ny\n", "\n", "text.align ends before line 2, ", "text.en does not");
    assertEnds("a\n", "x\n", "\n\n", "text.en ends before line 2, ", "text.align does not");
  }

  private void assertEnds(
      String source, String target, String alignment, String ends, String longer)
      throws IOException {
    PhraseTextFiles files = files(source, target, alignment);
    assertThatThrownBy(() -> read(files, false))
        .isInstanceOf(PhraseTextException.class)
        .hasMessageContaining(folder + "/" + ends)
        .hasMessageContaining(longer);
    assertThat(read(files, true)).containsExactly("a ||| x |||", "skipped 1");
  }

  @Test
  void namesFilesThatCannotBeRead() throws IOException {
    PhraseTextFiles good = files("a", "x", "0-0");
    Path missing = folder.resolve("missing");
    for (PhraseTextFiles files :
        List.of(
            new PhraseTextFiles(missing, good.target(), good.alignment()),
            new PhraseTextFiles(good.source(), missing, good.alignment()),
            new PhraseTextFiles(good.source(), good.target(), missing))) {
      assertThatThrownBy(() -> read(files, true))
          .isInstanceOf(PhraseTextException.class)
          .hasMessageContaining(missing + " cannot be read");
    }
  }

  @Test
  void namesGzipFilesThatAreCut() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      out.write(utf8("a b\nc\n".repeat(1000)));
    }
    byte[] cut = Arrays.copyOf(packed.toByteArray(), packed.size() - 12);
    PhraseTextFiles files = files(cut, utf8("x\n".repeat(2000)), utf8("\n".repeat(2000)));
    assertThatThrownBy(() -> read(files, true))
        .isInstanceOf(PhraseTextException.class)
        .hasMessageContaining("text.en cannot be read");
  }

  @Test
  void countsTheBytesOfAllFiles() throws IOException {
    PhraseTextFiles files = files("a\n", "xyz\n", "0-0\n");
    WordIds ids = new WordIds();
    try (ParallelReader reader = new ParallelReader(files, ids::id, ids::id, false)) {
      assertThat(reader.next()).isNotNull();
      assertThat(reader.bytesRead()).isEqualTo(10);
    }
  }
}
