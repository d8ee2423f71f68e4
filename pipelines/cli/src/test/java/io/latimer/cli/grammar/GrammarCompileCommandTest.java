package io.latimer.cli.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.operators.index.IndexFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code grammar compile}, and what {@code index} says of its files. */
final class GrammarCompileCommandTest {
  private static final String RULES =
      """
      S -> 'the' N 'barks' | S 'and' S
      N -> A N | 'dog'
      A -> 'small' |
      """;

  @TempDir private Path folder;
  private Path rules;
  private Path index;

  @BeforeEach
  void write() throws IOException {
    rules = Files.writeString(folder.resolve("dogs.cfg"), RULES);
    index = folder.resolve("dogs.lgx");
  }

  private Run compile(Path file, String... more) {
    String[] start = {"grammar", "compile", file.toString(), "--out", index.toString()};
    String[] all = Arrays.copyOf(start, start.length + more.length);
    System.arraycopy(more, 0, all, start.length, more.length);
    return Run.of(all);
  }

  @Test
  void saysWhatItMadeAndDoesNotWriteOverAFile() {
    Run run = compile(rules, "--index-version=2026-11");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines())
        .containsExactly(
            index
                + ": 8 variables, 5 terminals, 5 binary, 0 unary and 5 lexical rules, 0.0 MB on"
                + " disk",
            "converted 6 rules (nltk): 0 useless rules removed, 3 variables added for terminals"
                + " (TERM) and 2 for long rules (BIN), 1 empty rule removed and 1 rule added for"
                + " them (DEL), 1 repeated or circular rule removed (UNIT)");
    Run again = compile(rules);
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err())
        .isEqualTo("latimer: " + index + " already exists; --force replaces it.\n");
    assertThat(compile(rules, "--force").exitCode()).isZero();
  }

  @Test
  void theIndexIsInspectedAndVerified() throws IOException {
    compile(rules);
    assertThat(Run.of("index", "inspect", index.toString()).out().lines().limit(7))
        .containsExactly(
            "file        " + index,
            "kind        grammar, format version 1",
            "variables   8 in 8 classes",
            "terminals   5",
            "rules       5 binary, 0 unary, 5 lexical",
            "recognizer  5 binary rules of classes, 5 right-hand sides",
            "empty       not derived");
    assertThat(Run.of("index", "verify", index.toString()).out())
        .isEqualTo(index + ": grammar, intact\n");
    byte[] bytes = Files.readAllBytes(index);
    try (IndexFile file = IndexFile.open(index)) {
      bytes[(int) file.sections().get(file.sections().size() - 1).offset()] ^= 1;
    }
    Files.write(index, bytes);
    Run damaged = Run.of("index", "verify", index.toString());
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.err()).startsWith("latimer: " + index + " is corrupt: ");
  }

  @Test
  void uselessAndUndefinedSymbolsAreWarningsOrErrors() throws IOException {
    Files.writeString(rules, RULES + "U -> 'x' U\nR -> 'y' V\nQ -> 'z'\n");
    Run undefined = compile(rules);
    assertThat(undefined.exitCode()).isEqualTo(1);
    assertThat(undefined.err())
        .isEqualTo(
            "latimer: "
                + rules
                + " line 5: the symbol V has no rules; add rules, or quote it if it is a word\n");
    Run allowed = compile(rules, "--allow-undefined");
    assertThat(allowed.exitCode()).as(allowed.err()).isZero();
    assertThat(allowed.err().lines().skip(2))
        .containsExactly(
            "latimer: warning: 1 symbol has no rules: V in " + rules + " line 5",
            "latimer: warning: 2 symbols derive no sentence: U in "
                + rules
                + " line 4, R in "
                + rules
                + " line 5",
            "latimer: warning: 1 symbol is unreachable from the start: Q in " + rules + " line 6");
    Run strict = compile(rules, "--allow-undefined", "--strict", "--force");
    assertThat(strict.exitCode()).isEqualTo(1);
    assertThat(strict.err())
        .isEqualTo(
            "latimer: the symbol U in "
                + rules
                + " line 4 derives no sentence, and 1 other symbol; add a rule that ends, or remove"
                + " it\n");
  }

  @Test
  void severalPackedFilesAreOneGrammarOfTheNamedFormat() throws IOException {
    Path first = gzip("first", "S -> 'a' N\n");
    Path second = gzip("second", "N -> 'b' | 'c'\n");
    Run run = compile(first, second.toString(), "--format=NLTK", "--start", "N");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).contains(": 1 variable, 2 terminals, ");
    assertThat(compile(first, second.toString(), "--format=lark", "--force").err())
        .isEqualTo("latimer: " + first + " line 1: unexpected character '\n");
    assertThat(compile(first, "--format=x").exitCode()).isEqualTo(2);
  }

  private Path gzip(String name, String text) throws IOException {
    Path packed = folder.resolve(name);
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return packed;
  }

  @Test
  void isNamedAfterTheFirstFileInTheWorkingFolder() throws IOException {
    Path made = Path.of("grammar-compile-command-test.cfg.lgx").toAbsolutePath();
    Path source = Files.writeString(folder.resolve("grammar-compile-command-test.cfg"), RULES);
    try {
      Run run = Run.of("grammar", "compile", source.toString());
      assertThat(run.exitCode()).as(run.err()).isZero();
      compile(rules);
      assertThat(made).hasSameBinaryContentAs(index);
    } finally {
      Files.deleteIfExists(made);
    }
  }

  @Test
  void warnsOfProbabilitiesThatDoNotSumToOne() throws IOException {
    Files.writeString(rules, "S -> 'a' [0.5] | 'b' [0.4]\n");
    Run run = compile(rules, "--strict");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err().lines().skip(2))
        .containsExactly(
            "latimer: warning: 1 symbol has probabilities that do not sum to 1: S in "
                + rules
                + " line 1 (0.9)");
    Path lines =
        Files.writeString(
            folder.resolve("sum.txt"), "start S\nv S\nv T\nt S a 1\nt T b 0.5\nu S T 0.25\n");
    assertThat(compile(lines, "--force").err().lines().skip(1))
        .containsExactly(
            "latimer: warning: 2 symbols have probabilities that do not sum to 1: S (1.25), T"
                + " (0.5)");
  }
}
