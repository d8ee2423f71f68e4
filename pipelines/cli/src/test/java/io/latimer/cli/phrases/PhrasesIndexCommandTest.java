package io.latimer.cli.phrases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.latimer.cli.Run;
import io.latimer.operators.index.IndexFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code phrases index}, {@code append} and {@code merge}. */
final class PhrasesIndexCommandTest {
  /** As many words as the appended text must stay small beside. */
  private static final int LARGE = 10;

  @TempDir private Path folder;
  private ParallelText text;
  private Path index;

  @BeforeEach
  void write() throws IOException {
    text = ParallelText.write(folder.resolve("text"));
    index = folder.resolve("text.lpx");
  }

  private String inspect(Path file) {
    Run run = Run.of("index", "inspect", file.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  @Test
  void saysWhatItMadeAndDoesNotWriteOverAFile() {
    Run run = text.run("index", "--out", index.toString(), "--index-version=2026-11");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            index
                + ": 4 sentence pairs, 9 source words (4 distinct), 9 target words (5 distinct), 1"
                + " segment, 0.0 MB on disk\n");
    Run again = text.run("index", "--out", index.toString());
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err())
        .isEqualTo("latimer: " + index + " already exists; --force replaces it.\n");
    assertThat(inspect(index)).contains("version     2026-11\n");
    assertThat(text.run("index", "--out", index.toString(), "--force").exitCode()).isZero();
    assertThat(inspect(index)).contains("version     -\n");
  }

  @Test
  void theIndexIsInspectedAndVerified() throws IOException {
    text.index(index);
    assertThat(inspect(index).lines().limit(6))
        .containsExactly(
            "file        " + index,
            "kind        phrase-index, format version 1",
            "sentences   4 pairs",
            "source      9 words, 4 distinct",
            "target      9 words, 5 distinct",
            "segments    1");
    assertThat(Run.of("index", "inspect", "--all", index.toString()).out())
        .contains("\"wide\" : false");
    assertThat(Run.of("index", "verify", index.toString()).out())
        .isEqualTo(index + ": phrase-index, intact\n");
    byte[] bytes = Files.readAllBytes(index);
    try (IndexFile file = IndexFile.open(index)) {
      bytes[(int) file.sections().get(file.sections().size() - 1).offset()] ^= 1;
    }
    Files.write(index, bytes);
    Run damaged = Run.of("index", "verify", index.toString());
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.err()).startsWith("latimer: " + index + " is corrupt: ");
    assertThat(inspect(index)).contains("segments    1\n");
  }

  @Test
  void packedFilesGiveTheSameIndex() throws IOException {
    text.index(index);
    ParallelText packed =
        new ParallelText(gzip(text.source()), gzip(text.target()), gzip(text.alignment()));
    Path other = packed.index(folder.resolve("packed.lpx"));
    assertThat(other).hasSameBinaryContentAs(index);
  }

  private Path gzip(Path file) throws IOException {
    Path packed = folder.resolve(file.getFileName() + ".gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      Files.copy(file, out);
    }
    return packed;
  }

  @Test
  void isNamedAfterTheSourceFileInTheWorkingFolder() throws IOException {
    Path here = Path.of("").toAbsolutePath();
    Path source = folder.resolve("phrases-index-command-test.en.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(source))) {
      Files.copy(text.source(), out);
    }
    Path made = here.resolve("phrases-index-command-test.en.lpx");
    try {
      Run run = new ParallelText(source, text.target(), text.alignment()).run("index");
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.err()).startsWith("phrases-index-command-test.en.lpx: 4 sentence pairs, ");
      assertThat(made).hasSameBinaryContentAs(text.index(index));
    } finally {
      Files.deleteIfExists(made);
    }
  }

  @Test
  void badTextIsAnErrorWithFileAndLineOrSkipped() throws IOException {
    ParallelText bad =
        ParallelText.write(
            folder.resolve("bad"),
            ParallelText.SOURCE + "the small\n\nthe end\n",
            ParallelText.TARGET + "das kleine\nleer\ndas ende\n",
            ParallelText.ALIGNMENT + "0-0 2-1\n0-0\n0-0\n");
    Run run = bad.run("index", "--out", index.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "latimer: "
                + bad.alignment()
                + " line 5: point 2-1 is outside of the sentence pair, which has 2 and 2 words\n");
    assertThat(index).doesNotExist();
    Run skipped = bad.run("index", "--skip-bad", "--out", index.toString());
    assertThat(skipped.exitCode()).isZero();
    assertThat(skipped.err().lines())
        .containsExactly(
            index
                + ": 5 sentence pairs, 11 source words (5 distinct), 11 target words (6 distinct),"
                + " 1 segment, 0.0 MB on disk",
            "latimer: warning: 2 bad sentence pairs were skipped.");
    Files.writeString(bad.source(), "the house\n");
    assertThat(bad.run("index", "--force", "--out", index.toString()).err())
        .isEqualTo(
            "latimer: "
                + bad.source()
                + " ends before line 2, "
                + bad.target()
                + " does not; the three files need one line per sentence pair\n");
    Files.write(bad.source(), "house \u00e9\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(bad.run("index", "--force", "--out", index.toString()).err())
        .startsWith("latimer: " + bad.source() + " line 1 byte 7 is not UTF-8");
  }

  @Test
  void whatCannotBeReadOrWrittenIsSaidInOneSentence() throws IOException {
    Path absent = folder.resolve("absent");
    Run noSource =
        new ParallelText(absent, text.target(), text.alignment())
            .run("index", "--out", index.toString());
    assertThat(noSource.exitCode()).isEqualTo(1);
    assertThat(noSource.err()).isEqualTo("latimer: " + absent + " cannot be read: no such file\n");
    assertThat(text.run("index", "--out", absent.resolve("x.lpx").toString()).err())
        .isEqualTo("latimer: " + absent + ": no such folder.\n");
    assertThat(text.run("index", "--force", "--out", folder.toString()).err())
        .isEqualTo("latimer: " + folder + " is a folder; name a file.\n");
    Run version = text.run("index", "--out", index.toString(), "--index-version", "é".repeat(33));
    assertThat(version.exitCode()).isEqualTo(1);
    assertThat(version.err())
        .isEqualTo("latimer: --index-version takes 64 bytes without control characters.\n");
    assertThat(Run.of("phrases", "index", "--out", index.toString()).exitCode()).isEqualTo(2);
    Run noIndex = text.run("append", "--index", text.source().toString());
    assertThat(noIndex.exitCode()).isEqualTo(1);
    assertThat(noIndex.err())
        .isEqualTo("latimer: " + text.source() + " is not a Latimer index file\n");
    assertThat(Run.of("phrases", "merge").exitCode()).isEqualTo(2);
    assertThat(text.run("append").exitCode()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"index", "append", "merge"})
  void whatCannotBeWrittenIsSaidBeforeAnythingIsRead(String command) throws IOException {
    Path absent = folder.resolve("absent");
    assertThat(failure(command, "--out", absent.resolve("x.lpx").toString()))
        .isEqualTo("latimer: " + absent + ": no such folder.\n");
    assertThat(failure(command, "--force", "--out", folder.toString()))
        .isEqualTo("latimer: " + folder + " is a folder; name a file.\n");
    Path old = Files.writeString(folder.resolve("old.lpx"), "no index");
    assertThat(failure(command, "--out", old.toString()))
        .isEqualTo("latimer: " + old + " already exists; --force replaces it.\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"append", "merge"})
  void anIndexThatCannotBeReplacedIsSaidBeforeAnythingIsRead(String command) {
    Path absent = folder.resolve("absent");
    index = absent.resolve("x.lpx");
    assertThat(failure(command)).isEqualTo("latimer: " + absent + ": no such folder.\n");
    index = folder;
    assertThat(failure(command)).isEqualTo("latimer: " + folder + " is a folder; name a file.\n");
  }

  @ParameterizedTest
  @CsvSource({"index, new.lpx", "append,", "append, new.lpx", "merge,"})
  void aReadOnlyFolderIsSaidBeforeAnythingIsRead(String command, String out) throws IOException {
    Path readOnly = Files.createDirectory(folder.resolve("read-only"));
    index = text.index(readOnly.resolve("x.lpx"));
    assertThat(readOnly.toFile().setWritable(false)).isTrue();
    assumeFalse(Files.isWritable(readOnly), "root writes everywhere");
    String[] options = out == null ? new String[0] : new String[] {"--out", readOnly + "/" + out};
    assertThat(failure(command, options))
        .isEqualTo("latimer: " + readOnly + ": no permission to write files in this folder.\n");
  }

  /** What a command prints that fails before it reads text, which does not exist. */
  private String failure(String command, String... more) {
    List<String> options = new ArrayList<>(List.of(more));
    if (!command.equals("index")) {
      options.addAll(List.of("--index", index.toString()));
    }
    Path unread = folder.resolve("unread");
    Run run;
    if (command.equals("merge")) {
      options.addAll(0, List.of("phrases", "merge"));
      run = Run.of(options.toArray(String[]::new));
    } else {
      run = new ParallelText(unread, unread, unread).run(command, options.toArray(String[]::new));
    }
    assertThat(run.exitCode()).isEqualTo(1);
    return run.err();
  }

  @Test
  void aSymbolicLinkToAnIndexStaysAndItsTargetIsReplaced() throws IOException {
    text.index(index);
    Path other = Files.createDirectory(folder.resolve("other"));
    Path link = Files.createSymbolicLink(other.resolve("link.lpx"), Path.of("../text.lpx"));
    Path links = Files.createSymbolicLink(other.resolve("links.lpx"), link);
    Path expected = folder.resolve("expected.lpx");
    text.run("append", "--index", index.toString(), "--out", expected.toString());
    Run append = text.run("append", "--index", links.toString());
    assertThat(append.err()).startsWith(index.toRealPath() + ": 8 sentence pairs, ");
    assertThat(Run.of("phrases", "merge", "--index", link.toString()).exitCode()).isZero();
    assertThat(links).isSymbolicLink();
    assertThat(link).isSymbolicLink();
    assertThat(Files.isSymbolicLink(index)).isFalse();
    assertThat(index).hasSameBinaryContentAs(expected);

    Files.delete(index);
    assertThat(text.run("append", "--index", link.toString()).err())
        .isEqualTo("latimer: " + link + ", a symbolic link, cannot be followed: no such file.\n");
  }

  @Test
  void appendAddsASegmentAndMergeGivesTheIndexOfAllText() throws IOException {
    ParallelText large =
        ParallelText.write(
            folder.resolve("large"),
            ParallelText.SOURCE.repeat(LARGE),
            ParallelText.TARGET.repeat(LARGE),
            ParallelText.ALIGNMENT.repeat(LARGE));
    Run made = large.run("index", "--out", index.toString(), "--index-version=first");
    assertThat(made.exitCode()).isZero();
    byte[] before = Files.readAllBytes(index);
    ParallelText more =
        ParallelText.write(folder.resolve("more"), "a garden\n", "ein garten\n", "0-0 1-1\n");
    Path longer = folder.resolve("longer.lpx");
    Run beside = more.run("append", "--index", index.toString(), "--out", longer.toString());
    assertThat(beside.exitCode()).isZero();
    assertThat(beside.err())
        .isEqualTo(
            longer
                + ": 41 sentence pairs, 92 source words (5 distinct), 92 target words (6 distinct),"
                + " 2 segments, 0.0 MB on disk\n");
    assertThat(Files.readAllBytes(index)).isEqualTo(before);
    assertThat(inspect(longer)).contains("version     first\n", "segments    2\n");
    assertThat(Run.of("index", "verify", longer.toString()).exitCode()).isZero();
    Run exists = more.run("append", "--index", index.toString(), "--out", longer.toString());
    assertThat(exists.err())
        .isEqualTo("latimer: " + longer + " already exists; --force replaces it.\n");

    Run inPlace =
        more.run("append", "--index", index.toString(), "--index-version=first", "--skip-bad");
    assertThat(inPlace.exitCode()).isZero();
    assertThat(index).hasSameBinaryContentAs(longer);

    Run found = query(index);
    assertThat(found.out()).contains("a garden ||| ein garten ||| 1 |||", "a ||| ein ||| 11 |||");

    Run merged = Run.of("phrases", "merge", "--index", index.toString());
    assertThat(merged.exitCode()).isZero();
    assertThat(merged.err()).contains(": 41 sentence pairs, ", ", 1 segment, ");
    ParallelText all =
        ParallelText.write(
            folder.resolve("all"),
            Files.readString(large.source()) + Files.readString(more.source()),
            Files.readString(large.target()) + Files.readString(more.target()),
            Files.readString(large.alignment()) + Files.readString(more.alignment()));
    Path whole = folder.resolve("whole.lpx");
    all.run("index", "--out", whole.toString(), "--index-version=first");
    assertThat(index).hasSameBinaryContentAs(whole);
    assertThat(query(index)).isEqualTo(found);
  }

  private static Run query(Path index) {
    String sentences = ParallelText.SOURCE + "a garden\n";
    return Run.withInput(
        sentences, "phrases", "query", "--sample=all", "--index", index.toString());
  }
}
