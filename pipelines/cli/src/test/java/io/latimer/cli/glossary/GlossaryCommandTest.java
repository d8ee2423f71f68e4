package io.latimer.cli.glossary;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code glossary build} and {@code find}, and what {@code index} says of glossaries. */
final class GlossaryCommandTest {
  private static final Path EXAMPLES = Path.of(System.getProperty("latimer.root"), "examples");

  @TempDir private Path folder;
  private Path terms;
  private Path index;

  @BeforeEach
  void write() throws IOException {
    terms = Files.writeString(folder.resolve("g.tsv"), "front desk\tRezeption\nIT\tEDV|IT\nX\t-\n");
    index = folder.resolve("g.ltx");
  }

  private Run build(Path file, String... more) {
    return Run.of(
        Stream.concat(
                Stream.of(
                    "glossary",
                    "build",
                    file.toString(),
                    "--source-language=en",
                    "--target-language=de",
                    "--out=" + index),
                Stream.of(more))
            .toArray(String[]::new));
  }

  @Test
  void saysWhatItMadeAndDoesNotWriteOverAFile() {
    Run run = build(terms, "--index-version=2026-11");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            index
                + ": 3 terms (2 with case), 3 source forms, 3 target forms, en to de, 0.0 MB on"
                + " disk\n");
    assertThat(build(terms).err())
        .isEqualTo("latimer: " + index + " already exists; --force replaces it.\n");
    assertThat(build(terms, "--force").exitCode()).isZero();
  }

  @Test
  void theIndexIsInspectedAndVerified() {
    build(terms);
    assertThat(Run.of("index", "inspect", index.toString()).out().lines().limit(5))
        .containsExactly(
            "file        " + index,
            "kind        glossary, format version 1",
            "languages   en to de",
            "terms       3, 2 with case",
            "forms       3 source, 3 target");
    assertThat(Run.of("index", "verify", index.toString()).out())
        .isEqualTo(index + ": glossary, intact\n");
  }

  @Test
  void findsTermsWithTheirPlaces() {
    build(terms);
    Run run =
        Run.withInput(
            "😂 The Front\tDesk\r\nno term, it is\n\nIT and X",
            "glossary",
            "find",
            "--glossary",
            index.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out().lines())
        .containsExactly(
            "1\t6\t16\tFront Desk\tgiven\tRezeption",
            "4\t0\t2\tIT\tany\tEDV|IT",
            "4\t7\t8\tX\tkeep\t-");
  }

  @Test
  void badLinesAreSkipped() {
    build(terms);
    byte[] lines = "IT\n\u00ff\nX\n".getBytes(StandardCharsets.ISO_8859_1);
    Run run =
        Run.withInput(new ByteArrayInputStream(lines), "glossary", "find", "--glossary=" + index);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out().lines()).hasSize(2);
    assertThat(run.err())
        .isEqualTo(
            "latimer: line 2 is skipped: it is not UTF-8; convert the input, for example with"
                + " iconv\n");
  }

  @Test
  void formatsGoByNameOrOption() throws IOException {
    Path tbx =
        Files.writeString(
            folder.resolve("terms"),
            """
            <tbx><conceptEntry><langSec xml:lang="en"><termSec><term>a</term></termSec></langSec>
            <langSec xml:lang="de"><termSec><term>b</term></termSec></langSec></conceptEntry>
            <conceptEntry/></tbx>
            """);
    Run run = build(tbx, "--format=tbx");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err())
        .endsWith(
            "latimer: warning: 1 entry was skipped: without a term in en or one to use in de.\n");
    assertThat(build(tbx, "--force").err())
        .isEqualTo(
            "latimer: "
                + tbx
                + " line 1: expected 2 columns separated by a tab, found 1; more need a header with"
                + " source, target, case, rule, note\n");
    Path csv = Files.writeString(folder.resolve("g.csv"), "a,b\n");
    assertThat(build(csv, "--force").exitCode()).isZero();
  }

  @Test
  void mistakesAreUsageErrors() {
    Run noLanguage = Run.of("glossary", "build", terms.toString(), "--target-language=de");
    assertThat(noLanguage.exitCode()).isEqualTo(2);
    assertThat(noLanguage.err()).contains("'--source-language=TAG'");
    Run bad = build(terms, "--format=xls");
    assertThat(bad.exitCode()).isEqualTo(2);
    Run tag =
        Run.of(
            "glossary",
            "build",
            terms.toString(),
            "--source-language=en_US",
            "--target-language=de");
    assertThat(tag.exitCode()).isEqualTo(2);
    assertThat(tag.err())
        .contains("--source-language: \"en_US\" is not a language tag; write en-US.");
    assertThat(Run.of("glossary").err()).contains("Missing subcommand: build or find.");
  }

  @Test
  void theExampleHasTermsOfTheExampleFeed() throws IOException {
    assertThat(build(EXAMPLES.resolve("glossaries/front-desk.tsv")).exitCode()).isZero();
    String feed = Files.readString(EXAMPLES.resolve("feeds/everyday.en.txt"));
    List<String> rows =
        Run.withInput(feed, "glossary", "find", "--glossary=" + index).out().lines().toList();
    assertThat(rows).hasSizeGreaterThan(30);
    assertThat(rows.get(0))
        .isEqualTo(
            "3\t10\t18\tumbrella\tany\tRegenschirm|Regenschirme|Regenschirmen|Schirm|Schirme");
    assertThat(rows).anyMatch(row -> row.contains("\tTom\tkeep\t-"));
  }
}
