package io.latimer.operators.lm.arpa;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.lm.model.LanguageModelTest;
import io.latimer.operators.lm.model.LmFormatException;
import io.latimer.operators.lm.model.LmLayout;
import io.latimer.operators.testing.CpuThreads;
import io.latimer.operators.testing.SharedData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LmImporterTest {
  @TempDir private Path folder;
  private String harbour;

  @BeforeEach
  void read() throws IOException {
    harbour = Files.readString(LanguageModelTest.harbour());
  }

  private LmImportReport load(byte[] bytes) throws IOException {
    Path arpa = Files.write(folder.resolve("m.arpa"), bytes);
    return LmImporter.importArpa(
        LmImportRequest.of(arpa, folder.resolve("m.llm")), (section, ngrams, total) -> {});
  }

  private LmImportReport load(String text) throws IOException {
    return load(text.getBytes(StandardCharsets.UTF_8));
  }

  /** However many threads there are, and wherever the file is cut into blocks for them. */
  private void refuses(String text, String... messages) {
    Path out = folder.resolve("m.llm");
    Set<String> said = new HashSet<>();
    for (int[] cut : new int[][] {{1, 1 << 17}, {1, 1}, {3, 1}, {2, 40}, {5, 300}}) {
      assertThatThrownBy(
              () ->
                  LmImporter.importArpa(
                      LmImportRequest.of(Files.writeString(folder.resolve("m.arpa"), text), out),
                      (section, ngrams, total) -> {},
                      cut[0],
                      cut[1]))
          .isInstanceOf(LmFormatException.class)
          .satisfies(
              error -> {
                assertThat(error).hasMessageContaining("m.arpa");
                for (String message : messages) {
                  assertThat(error).hasMessageContaining(message);
                }
                said.add(error.getMessage());
              });
      assertThat(out).doesNotExist();
    }
    assertThat(said).hasSize(1);
  }

  private String edit(String from, String to) {
    assertThat(harbour).contains(from);
    return harbour.replace(from, to);
  }

  @Test
  void reportsWhatItMade() throws IOException {
    LmImportReport report = load(harbour);
    assertThat(report.arpa()).containsExactly(12L, 10L, 6L, 5L);
    assertThat(report.stored()).containsExactly(12L, 14L, 10L, 5L);
    assertThat(report.doubled()).isZero();
    assertThat(report.unknown()).isTrue();
    assertThat(report.fileBytes()).isEqualTo(Files.size(report.file()));
    int words = 12 * 8 + 20 * 32;
    int vocabulary = 13 * 4 + 19 * 8;
    assertThat(report.deviceBytes()).isBetween(words + vocabulary + 12L, words + vocabulary + 100L);
    try (IndexFile file = IndexFile.open(report.file())) {
      assertThat(LanguageModel.open(file).deviceBytes()).isEqualTo(report.deviceBytes());
    }
  }

  @Test
  void takesLineEndsBlankLinesCommentsAndGzipAsItTakesThePlainFile() throws IOException {
    byte[] plain = Files.readAllBytes(load(harbour).file());
    assertThat(load(harbour.replace("\n", "\r\n")).file()).hasBinaryContent(plain);
    assertThat(load("# one\n \n#two\n" + harbour).file()).hasBinaryContent(plain);
    assertThat(load(edit("-1.5\tship", "\n\t\n -1.5\tship")).file()).hasBinaryContent(plain);
    assertThat(load(harbour.strip()).file()).hasBinaryContent(plain);
    assertThat(load(edit("-0.35\tthe ship", "-3.5E-1 the\tship")).file()).hasBinaryContent(plain);
    assertThat(load(edit("<unk>", "<UNK>")).file()).hasBinaryContent(plain);
    assertThat(load(edit("ngram 2=10", "ngram  2=   10 ")).file()).hasBinaryContent(plain);
    assertThat(load(edit("-0.05\t<s> the ship sails", "-0.05\t<s> the ship sails\t0")).file())
        .hasBinaryContent(plain);
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    for (String part : new String[] {harbour.substring(0, 300), harbour.substring(300)}) {
      try (OutputStream gzip = new GZIPOutputStream(packed)) {
        gzip.write(part.getBytes(StandardCharsets.UTF_8));
      }
    }
    assertThat(load(packed.toByteArray()).file()).hasBinaryContent(plain);
  }

  @Test
  void namesSectionLineAndNgramOfWhatItRefuses() {
    refuses("", "\\data\\, line 0: the file ends where \\data\\ was expected");
    refuses("hello\n", "\\data\\, line 1: expected \\data\\, found \"hello\"");
    refuses("iARPA\n", "compile-lm --text=yes");
    refuses("mmap lm http://kheafield.com/code format version 5\n", "a compiled model");
    refuses(edit("ngram 2=10", "ngram 3=10"), "line 5", "expected \"ngram 2=\"");
    refuses(edit("ngram 2=10", "ngram 2=-1"), "expected \"ngram 2=\" and a number");
    refuses(edit("ngram 2=10", "words"), "line 5", "expected \"ngram 2=\"");
    refuses(
        edit("ngram 2=10", "ngram 2=99999999999"),
        "declares 99999999999 n-grams of order 2, but is too small for that many");
    refuses(
        edit("ngram 4=5", "ngram 4=1\nngram 5=1\nngram 6=1\nngram 7=1\nngram 8=1\nngram 9=1"),
        "the model is of order 9 or more; Latimer supports 1 to 8");
    refuses(edit("\\2-grams:", "\\3-grams:"), "\\1-grams:, line 23", "expected \\2-grams:");
    refuses(
        edit("ngram 2=10", "ngram 2=9"),
        "\\2-grams:, line 33: expected \\3-grams:, found the n-gram \"-0.9 at <unk>\": there are"
            + " more of them than \\data\\ declares");
    refuses(
        edit("ngram 2=10", "ngram 2=11"),
        "\\2-grams:, line 35: found \"\\3-grams:\": this section has fewer n-grams than");
    refuses(
        edit("-0.35\tthe ship\t-0.15", "0.35\tthe ship\t-0.15"),
        "\\2-grams:, line 25, n-gram \"0.35 the ship -0.15\": the log-probability 0.35 is above 0");
    refuses(edit("-0.35\tthe ship\t", "x\tthe ship\t"), "line 25", "expected a log-probability");
    refuses(edit("-0.35\tthe ship\t", "NaN\tthe ship\t"), "expected a log-probability");
    refuses(edit("-0.35\tthe ship\t-0.15", "-0.35\tthe\t-0.15"), "unigrams", "\"-0.15\"");
    refuses(edit("-0.85\tthe harbour\t0", "-0.85\tthe"), "line 28", "expected 2 words");
    refuses(
        edit("-0.85\tthe harbour\t0", "-0.85\tthe harbour 0"),
        "expected a tab or the end of the line");
    refuses(edit("-0.35\tthe ship\t-0.15", "-0.35\tthe ship\t"), "expected a single number");
    refuses(edit("-0.35\tthe ship\t-0.15", "-0.35\tthe ship\t-0.1 5"), "expected a single number");
    refuses(edit("-0.35\tthe ship\t-0.15", "-0.35\tthe ship\t-inf"), "the back-off is infinite");
    refuses(edit("-1.5\tship\t-0.125", "-1.5 ship -0.125"), "line 14", "expected a tab after");
    refuses(
        edit("-0.65\tsails at\t", "-0.65\tsails atoll\t"),
        "\\2-grams:, line 27, n-gram \"-0.65 sails atoll -0.05\": the word \"atoll\" is not among the"
            + " unigrams");
    refuses(
        edit("-0.95\tharbour grey\t-0.02", "-0.95\tgrey harbour\t-0.02"),
        "\\3-grams:, line 39, n-gram \"-0.15 harbour grey ship -0.06\": its context, the first 2"
            + " words, is not among the 2-grams");
    refuses(
        edit("the ship sails quiet", "the ship sails quiet\t-0.5"),
        "\\4-grams:, line 45",
        "an n-gram of the highest order has a back-off of -0.5");
    refuses(edit("\\end\\", ""), "expected", "the file ends where \\end\\ was expected");
    refuses(edit("\\end\\", "\\end"), "\\4-grams:", "expected \\end\\, found \"\\end\"");
    refuses(harbour + "more\n", "\\end\\", "expected nothing after \\end\\, found \"more\"");
    refuses(edit("-99\t<s>\t-0.5", "-99\t<x>\t-0.5"), "the word <s> is not among the unigrams");
    refuses(edit("\t</s>\n", "\t</x>\n"), "the word </s> is not among the unigrams");
    refuses(
        harbour.substring(0, harbour.indexOf("-0.65\tsails")), "the file ends before all n-grams");
    refuses("a".repeat(3 << 20), "the line is longer than");
    refuses(
        edit("-0.35\tthe ship\t", "\u0007\tthe ship" + "x".repeat(1000) + "\t"),
        "xxx...\": expected");
  }

  @Test
  void refusesACutGzipFileAndOneThatIsNotThere() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(harbour.getBytes(StandardCharsets.UTF_8));
    }
    byte[] cut = java.util.Arrays.copyOf(packed.toByteArray(), packed.size() / 2);
    assertThatThrownBy(() -> load(cut))
        .isInstanceOf(LmFormatException.class)
        .hasMessageContaining("m.arpa cannot be read");
    assertThatThrownBy(
            () ->
                LmImporter.importArpa(
                    LmImportRequest.of(folder.resolve("no.arpa"), folder.resolve("m.llm")),
                    (section, ngrams, total) -> {}))
        .isInstanceOf(LmFormatException.class)
        .hasMessageContaining("no.arpa cannot be read: no such file");
  }

  @Test
  void saysWhatIsWrongBeforeThePlaceWhereAGzipFileIsCut() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      String text = HardArpa.text();
      int broken = text.indexOf('\n', text.length() / 10) + 1;
      gzip.write((text.substring(0, broken) + "x\n" + text.substring(broken)).getBytes(UTF_8));
    }
    byte[] cut = java.util.Arrays.copyOf(packed.toByteArray(), packed.size() / 2);
    assertThatThrownBy(() -> load(cut))
        .isInstanceOf(LmFormatException.class)
        .hasMessageContaining("\\2-grams:, line ")
        .hasMessageContaining("n-gram \"x\": expected a log-probability");
  }

  /**
   * The content of models that were made by one thread, before there could be more: whatever the
   * threads and blocks are, it stays.
   */
  @ParameterizedTest
  @CsvSource({
    "0, e3e9479517193982f3ae85f5861c78cb172c1487be579581415fee634f83438e",
    "3, 04ce9d3c6eddf844b0f59cd62707d5662ad4dcbc4e024a523d49adff4b499dcf",
    "31, fa83a718a734e95f4be653977229124ed05dda2868c3e24a1621896fb0ce3eca"
  })
  void makesTheSameBytesHoweverManyThreadsThereAre(int keys, String contentId) throws IOException {
    Path arpa = Files.writeString(folder.resolve("m.arpa"), HardArpa.text());
    LmImportRequest hash = LmImportRequest.of(arpa, folder.resolve("m.llm"));
    LmImportRequest request = keys == 0 ? hash : hash.with(LmLayout.BTREE).withKeys(keys);
    for (int[] cut : new int[][] {{1, 1 << 17}, {2, 1 << 14}, {4, 3000}, {3, 1 << 20}, {7, 100}}) {
      LmImportReport report =
          LmImporter.importArpa(request, (section, ngrams, total) -> {}, cut[0], cut[1]);
      assertThat(report.stored()).containsExactly(400L, 24_744L, 31_722L, 12_000L);
      assertThat(report.doubled()).isEqualTo(380);
      try (IndexFile file = IndexFile.open(report.file())) {
        assertThat(file.contentId()).isEqualTo(contentId);
      }
    }
  }

  @Test
  void countsAnNgramThatComesTwiceOnce() throws IOException {
    LmImportReport report =
        load(
            edit("ngram 2=10", "ngram 2=11")
                .replace("-0.9\tat <unk>", "-0.9\tat <unk>\n-0.1\tthe ship\t-9"));
    assertThat(report.doubled()).isOne();
    assertThat(report.arpa()).containsExactly(12L, 11L, 6L, 5L);
    assertThat(report.stored()).containsExactly(12L, 14L, 10L, 5L);
  }

  @Test
  void tellsHowFarItIs() throws IOException {
    StringBuilder arpa = new StringBuilder("\\data\\\nngram 1=40003\n\n\\1-grams:\n");
    arpa.append("-9\t<s>\n-9\t</s>\n-9\t<unk>\n");
    for (int i = 0; i < 40_000; i++) {
      arpa.append("-4\tw").append(i).append('\n');
    }
    Path file = Files.writeString(folder.resolve("many.arpa"), arpa.append("\n\\end\\\n"));
    List<String> seen = new ArrayList<>();
    LmImporter.importArpa(
        LmImportRequest.of(file, folder.resolve("many.llm")),
        (section, ngrams, total) -> seen.add(section + " " + ngrams + " " + total));
    assertThat(seen).containsExactly("1 16384 40003", "1 32768 40003", "0 40003 40003");
  }

  /** What KenLM does with each of the files, by the README beside them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bad_prefix_absent | \\3-grams:, line 33, n-gram \"-0.33 c a b\": its context",
        "bad_positive_prob | \\1-grams:, line 11, n-gram \"0.75 b -0.125\": the log-probability",
        "bad_no_bos_eos | the word <s> is not among the unigrams",
        "bad_word_not_in_unigrams | line 25, n-gram \"-0.5 a zzz -0.1\": the word \"zzz\"",
        "bad_highest_backoff | line 31, n-gram \"-0.015625 a e f -0.5\": an n-gram of the highest",
        "bad_no_end | the file ends where \\end\\ was expected",
        "bad_count_too_big | line 26: found \"\\3-grams:\": this section has fewer",
        "bad_count_too_small | line 24: expected \\3-grams:, found the n-gram \"-0.8 d <unk>",
        "bad_trailing | line 35: expected nothing after \\end\\, found \"junk line\"",
        "tiny_space_sep | \\1-grams:, line 10, n-gram \"-0.5 a -0.25\": expected a tab"
      })
  void refusesWhatKenlmRefuses(String name, String message) {
    Path arpa = SharedData.require("data/lm/tiny/" + name + ".arpa");
    assertThatThrownBy(
            () ->
                LmImporter.importArpa(
                    LmImportRequest.of(arpa, folder.resolve("m.llm")), (s, n, total) -> {}))
        .isInstanceOf(LmFormatException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tiny_crlf", "tiny_comment_head", "tiny_exp", "ok_highest_zero_backoff"})
  void takesWhatKenlmTakesForTheSame(String name) throws IOException {
    Path folderOfTiny = SharedData.require("data/lm/tiny");
    byte[] plain =
        Files.readAllBytes(load(Files.readAllBytes(folderOfTiny.resolve("tiny.arpa"))).file());
    assertThat(load(Files.readAllBytes(folderOfTiny.resolve(name + ".arpa"))).file())
        .hasBinaryContent(plain);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dup_ngram", "tiny_nounk", "unigram_only"})
  void takesDoubledNgramsNoUnknownWordAndUnigramsAlone(String name) throws IOException {
    LmImportReport report =
        load(Files.readAllBytes(SharedData.require("data/lm/tiny/" + name + ".arpa")));
    assertThat(report.doubled()).isEqualTo(name.equals("dup_ngram") ? 1 : 0);
    assertThat(report.unknown()).isEqualTo(!name.equals("tiny_nounk"));
    assertThat(report.stored()).hasSize(name.equals("unigram_only") ? 1 : 3);
    assertThat(report.stored().get(0)).isEqualTo(9);
  }

  /** The team of an import is gone when it ends, so its helpers are counted on the way. */
  @Test
  void anImportWithOneThreadHasNoHelpers() {
    Set<Long> before = helpers();
    Set<Long> during = new HashSet<>();
    CpuThreads.with(
        "1",
        () ->
            LmImporter.importArpa(
                LmImportRequest.of(LanguageModelTest.harbour(), folder.resolve("one.llm")),
                (section, ngrams, total) -> during.addAll(helpers())));
    during.removeAll(before); // those of other tests may still be ending
    assertThat(during).isEmpty();
  }

  private static Set<Long> helpers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("latimer-import-"))
        .map(Thread::getId)
        .collect(Collectors.toSet());
  }

  @Test
  void anImportRefusesAWrongNumberOfThreads() {
    LmImportRequest request =
        LmImportRequest.of(LanguageModelTest.harbour(), folder.resolve("none.llm"));
    CpuThreads.with(
        "none",
        () ->
            assertThatThrownBy(() -> LmImporter.importArpa(request, (section, ngrams, total) -> {}))
                .isInstanceOf(OperatorException.class)
                .hasMessageContaining("latimer.cpu.threads")
                .hasMessageEndingWith("found none"));
  }
}
