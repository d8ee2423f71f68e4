package io.latimer.cli.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GrammarCheckCommandTest {
  private static final String RULES =
      """
      S -> 'the' N 'barks' [0.5] | S 'and' S [0.25] | 'UNK-LC-ing' [0.25]
      N -> A N [0.25] | 'dog' [0.75]
      A -> 'small' [0.5] | [0.5]
      """;

  @TempDir private Path folder;
  private Path index;

  @BeforeEach
  void compile() throws IOException {
    Path rules = Files.writeString(folder.resolve("dogs.pcfg"), RULES);
    index = folder.resolve("dogs.lgx");
    Run run = Run.of("grammar", "compile", rules.toString(), "--out", index.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  private Run check(String input, String... options) {
    String[] command = new String[4 + options.length];
    System.arraycopy(
        new String[] {"grammar", "check", "--grammar", index.toString()}, 0, command, 0, 4);
    System.arraycopy(options, 0, command, 4, options.length);
    return Run.withInput(
        new ByteArrayInputStream(input.getBytes(StandardCharsets.ISO_8859_1)), command);
  }

  @Test
  void printsARowPerLine() {
    Run run =
        check("the small dog barks\n\nthe dog barks and the dog\ndog\nwalking\nthe  dog barks\n");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines())
        .containsExactly(
            "1\t4\t4\t1\tS",
            "0\t0\t0\t0\t-",
            "0\t6\t3\t1\t-",
            "0\t1\t0\t0\tN",
            "0\t1\t0\t0\t-",
            "1\t3\t3\t1\tS");
  }

  @Test
  void unknownWordsHaveTheirClassOrAny() {
    assertThat(check("walking\nthe cat barks\n", "--unknown=class").out().lines())
        .containsExactly("1\t1\t1\t1\tS", "0\t3\t0\t0\t-");
    assertThat(check("the cat barks\nthe cat dog\n", "--unknown", "ANY").out().lines())
        .containsExactly("1\t3\t3\t1\tS", "0\t3\t0\t0\t-");
  }

  @Test
  void addsTheColumnsAskedFor() {
    Run run = check("the dog barks\nthe dog dog\n\n", "--chart", "--tree", "--next=2");
    assertThat(run.out().lines().map(GrammarCheckCommandTest::withoutHash))
        .containsExactly(
            "1\t3\t3\t1\tS\t5\tHASH\t"
                + (float) Math.log(0.5 * 0.75)
                + "\t(S ('the' the) (S~1 (N dog) ('barks' barks)))\t3\t1\tand",
            "0\t3\t0\t0\t-\t3\tHASH\t-\t-\t2\t1\tbarks",
            "0\t0\t0\t0\t-\t0\tHASH\t-\t-\t0\t2\tUNK-LC-ing the");
  }

  @Test
  void doesNotGuessWhereALongSentenceLeavesTheGrammar() {
    String sentence = "the dog barks and ".repeat(256) + "the dog barks\n";
    Run run = check(sentence, "--max-words=2000", "--next=2");
    assertThat(run.out()).startsWith("1\t1027\t1027\t257\tS").endsWith("\t-\t-\t-\n");
  }

  private static String withoutHash(String row) {
    return row.replaceFirst("\\t[0-9a-f]{16}\\t", "\tHASH\t");
  }

  @Test
  void printsObjects() {
    assertThat(check("the\nthe small dog barks\n", "--format", "json", "--next", "1").out().lines())
        .containsExactly(
            "{\"line\":1,\"derivable\":false,\"words\":1,\"longestPrefix\":0,"
                + "\"acceptedPrefixes\":0,\"roots\":[\"'the'\"],\"viable\":1,\"complete\":false,"
                + "\"nextWords\":2,\"next\":[\"dog\"]}",
            "{\"line\":2,\"derivable\":true,\"words\":4,\"longestPrefix\":4,"
                + "\"acceptedPrefixes\":1,\"roots\":[\"S\"],\"viable\":4,\"complete\":true,"
                + "\"nextWords\":1,\"next\":[\"and\"]}");
  }

  @Test
  void linesThatCannotBeCheckedAreReported() {
    Run run = check("the dog barks\n\u00ff\nthe small dog barks\n", "--max-words=3", "--chart");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out().lines().skip(1))
        .containsExactly("-\t-\t-\t-\t-\t-\t-", "-\t-\t-\t-\t-\t-\t-");
    assertThat(run.err().lines())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("latimer: line 2 cannot be checked: "),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "latimer: line 3 cannot be checked: the sentence has 4 words, more than the"
                            + " 3 that are checked against a grammar; split it"),
            line -> assertThat(line).isEqualTo("latimer: 2 lines were not checked."));
    assertThat(check("a b\n", "--max-words=1", "--format=json").out())
        .startsWith("{\"line\":1,\"error\":\"the sentence has 2 words");
  }

  @Test
  void wrongUsageIsExplained() throws IOException {
    assertThat(check("", "--max-words=0").err())
        .startsWith("latimer: --max-words must be 1 to 8192.\n");
    assertThat(check("", "--next=-1").err()).startsWith("latimer: --next must be at least 0.\n");
    assertThat(check("", "--unknown=x").exitCode()).isEqualTo(2);
    assertThat(Run.of("grammar", "check").exitCode()).isEqualTo(2);
    Path plain = Files.writeString(folder.resolve("plain.cfg"), "S -> 'a'\n");
    index = folder.resolve("plain.lgx");
    Run.of("grammar", "compile", plain.toString(), "--out", index.toString());
    Run run = check("a\n", "--tree");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("the grammar has no probabilities");
    index = folder.resolve("missing.lgx");
    assertThat(check("a\n").err()).endsWith("missing.lgx does not exist\n");
  }

  /** The examples break where the README says. */
  @ParameterizedTest
  @CsvSource({
    "1, true, 13, ''",
    "2, true, 29, ''",
    "3, true, 26, ''",
    "4, false, 11, '. , or'",
    "5, false, 3, '2 3 4 5 6 7 gale severe storm violent or'",
    "6, false, 7, 'occasional wintry thundery squally rain drizzle showers snow fair fog'",
  })
  void theExampleSaysWhereMessagesBreak(int line, boolean derivable, int viable, String next)
      throws IOException {
    Path examples = Path.of(System.getProperty("latimer.root"), "examples/grammars");
    index = folder.resolve("shipping.lgx");
    Run compiled =
        Run.of(
            "grammar",
            "compile",
            examples.resolve("shipping.lark").toString(),
            "--strict",
            "--out",
            index.toString());
    assertThat(compiled.exitCode()).as(compiled.err()).isZero();
    String sentence = Files.readAllLines(examples.resolve("shipping.txt")).get(line - 1);
    String[] row = check(sentence, "--next=20").out().strip().split("\t", -1);
    assertThat(row[0]).isEqualTo(derivable ? "1" : "0");
    assertThat(row[5]).isEqualTo(String.valueOf(viable));
    if (!derivable) {
      assertThat(row[7].split(" ")).containsExactlyInAnyOrder(next.split(" "));
    }
  }
}
