package io.latimer.cli.tokenize;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TokenizeCommandTest {
  @TempDir private Path folder;

  @Test
  void eachLineGivesOneLine() {
    Run run =
        Run.withInput(
            "\uFEFFIt's 3.50, Dr. Smith!\r\n\n  a\u000bb\rc\u0085d \u2028 e\nEnde.",
            "tokenize",
            "--language=en");
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).isEqualTo("it 's 3.50 , dr. smith !\n\na b c d e\nende .\n");
  }

  @Test
  void optionsSayHow() {
    assertThat(tokenized("L'\u00c9tat \u201ctr\u00e8s-bon\u201d", "--language=fr", "--casing=keep"))
        .isEqualTo("L' \u00c9tat \" tr\u00e8s-bon \"\n");
    assertThat(tokenized("a-b's", "--language=en", "--tokenizer=moses-aggressive", "--entities"))
        .isEqualTo("a @-@ b &apos;s\n");
    assertThat(tokenized(" A,\tb. ", "--language=en", "--tokenizer=none")).isEqualTo("a, b.\n");
    assertThat(tokenized("I\u0130", "--language=tr")).isEqualTo("\u0131i\n");
  }

  private static String tokenized(String line, String... options) {
    String[] args = new String[options.length + 1];
    args[0] = "tokenize";
    System.arraycopy(options, 0, args, 1, options.length);
    Run run = Run.withInput(line, args);
    assertThat(run.err()).isEmpty();
    return run.out();
  }

  @Test
  void aBadLineEndsItAndLeavesTheFileAlone() throws IOException {
    Path out = Files.writeString(folder.resolve("out"), "old");
    byte[] input = {'a', '\n', (byte) 0xff, '\n'};
    Run run =
        Run.withInput(new ByteArrayInputStream(input), "tokenize", "--language=en", "--out=" + out);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "latimer: line 2: it is not UTF-8; convert the input, for example with iconv.\n");
    assertThat(out).hasContent("old");
    assertThat(Run.of("tokenize", "--language=e_n").exitCode()).isEqualTo(2);
    assertThat(Run.of("tokenize").exitCode()).isEqualTo(2);
  }
}
