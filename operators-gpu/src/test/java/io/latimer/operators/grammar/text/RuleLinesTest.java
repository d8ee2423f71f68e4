package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.grammar.index.BinaryGrammar;
import io.latimer.operators.grammar.index.GrammarFormatException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleLinesTest {
  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  @Test
  void readsEveryKindOfLine() throws IOException {
    BinaryGrammar grammar =
        RuleLines.read(
            List.of(
                file("a", "start S\r\n# comment\n#\n\nv S\nv #\nb S S #\nu S #\nt # #\nt # w"),
                file("b", "t S w\nt S é\ne\n")));
    assertThat(grammar.variables()).containsExactly("S", "#");
    assertThat(grammar.terminals()).containsExactly("#", "w", "é");
    assertThat(grammar.start()).isZero();
    assertThat(grammar.derivesEmpty()).isTrue();
    assertThat(grammar.weighted()).isFalse();
    assertThat(grammar.binaryRules()).isEqualTo(1);
    assertThat(List.of(grammar.parent(0), grammar.left(0), grammar.right(0)))
        .containsExactly(0, 0, 1);
    assertThat(grammar.unaryRules()).isEqualTo(1);
    assertThat(List.of(grammar.unaryParent(0), grammar.unaryChild(0))).containsExactly(0, 1);
    assertThat(grammar.lexicalRules()).isEqualTo(4);
    assertThat(List.of(grammar.lexicalParent(2), grammar.terminal(2))).containsExactly(0, 1);
    assertThat(grammar.binaryWeight(0)).isZero();
  }

  @Test
  void readsProbabilitiesFromPackedFiles() throws IOException {
    Path packed = folder.resolve("weighted.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      out.write(
          "v S\nb S S S 1\nb S S S 0.5\nu S S 2.5E-1\nt S w 1e-80\nstart S\n"
              .getBytes(StandardCharsets.UTF_8));
    }
    BinaryGrammar grammar = RuleLines.read(List.of(packed));
    assertThat(grammar.weighted()).isTrue();
    assertThat(grammar.binaryWeight(0)).isZero();
    assertThat(grammar.binaryWeight(1)).isEqualTo((float) Math.log(0.5));
    assertThat(grammar.unaryWeight(0)).isEqualTo((float) Math.log(0.25));
    assertThat(grammar.lexicalWeight(0)).isEqualTo((float) (-80 * Math.log(10)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "v S;b S S T;start S         | line 2: the variable T is not declared; add \"v T\" before",
        "v S;u T S;start S           | line 2: the variable T is not declared",
        "v S;t T w;start S           | line 2: the variable T is not declared",
        "v S;v S;start S             | line 2: the variable S is declared twice",
        "start T;v S                 | line 1: the start variable T is not declared; add \"v T\"",
        "v S;start S;start S         | line 3: the start variable is already S",
        "v S;t S w                   | no start variable; add a line \"start\"",
        "v S;x S                     | line 2: expected a line that begins with start, v, b, u, t",
        "v S;b S S                   | line 2: expected \"b A B C\", fields separated by single",
        "v S;u S S S S               | line 2: expected \"u A B\"",
        "v S;t S  w                  | line 2: expected a probability, found w",
        "v S;b S S S;u S S 0.5       | line 3: expected \"u A B\"",
        "v S;b S S S 1;u S S         | line 3: expected \"u A B probability\"",
        "v S;b S S S 0               | line 2: expected a probability above 0 and at most 1",
        "v S;b S S S 1.5             | line 2: expected a probability above 0 and at most 1",
        "v S;b S S S NaN             | line 2: expected a probability above 0 and at most 1",
        "v S;v                       | line 2: expected \"v A\"",
        "e x                         | line 1: expected \"e\"",
        "v ~                         | line 1: expected a symbol without white space",
      })
  void saysWhatIsWrongAndWhere(String lines, String message) throws IOException {
    Path path = file("wrong.txt", lines.replace(';', '\n').replace("~", "") + "\n");
    assertThatThrownBy(() -> RuleLines.read(List.of(path)))
        .isInstanceOf(GrammarFormatException.class)
        .hasMessageContaining("wrong.txt")
        .hasMessageContaining(message);
  }

  @Test
  void saysWhichFileCannotBeRead() throws IOException {
    assertThatThrownBy(() -> RuleLines.read(List.of(folder.resolve("none"))))
        .isInstanceOf(GrammarFormatException.class)
        .hasMessageContaining("none cannot be read: no such file");
    Path latin = folder.resolve("latin");
    Files.write(latin, new byte[] {'v', ' ', (byte) 0xE9, '\n'});
    assertThatThrownBy(() -> RuleLines.read(List.of(latin)))
        .isInstanceOf(GrammarFormatException.class)
        .hasMessageContaining("latin: not UTF-8");
    Path endless = file("endless", "v " + "x".repeat(1 << 20));
    assertThatThrownBy(() -> RuleLines.read(List.of(endless)))
        .isInstanceOf(GrammarFormatException.class)
        .hasMessageContaining("line 1: the line has more than 1048576 characters");
  }

  @Test
  void aGrammarHasAtMost65535Variables() throws IOException {
    StringBuilder text = new StringBuilder("start V0\n");
    for (int v = 0; v < BinaryGrammar.MAX_VARIABLES; v++) {
      text.append("v V").append(v).append('\n');
    }
    assertThat(RuleLines.read(List.of(file("most", text.toString()))).variables())
        .hasSize(BinaryGrammar.MAX_VARIABLES);
    Path more = file("more", text + "v more\n");
    assertThatThrownBy(() -> RuleLines.read(List.of(more)))
        .isInstanceOf(GrammarFormatException.class)
        .hasMessageContaining("line 65537: the variable more is one too many");
  }
}
