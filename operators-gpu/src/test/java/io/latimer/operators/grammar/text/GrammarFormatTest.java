package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GrammarFormatTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "a.cfg, '', NLTK",
    "a.lark.gz, '', LARK",
    "A.GBNF, '', GBNF",
    "a.ebnf, '', EBNF",
    "a.grammar, '', BERKELEY",
    "a.cfg.txt, '# comment|start ROOT', RULES",
    "a.txt, 'v A', RULES",
    "a.txt, 't # #', RULES",
    "a.txt, '# x|S -> NP VP', NLTK",
    "a.txt, '?start: a \"b\"', LARK",
    "a.txt, 'ws ::= \" \"|root ::= ws', GBNF",
    "a.txt, 'a ::= \"b\"|c ::= a', EBNF",
    "a.txt, 'a = \"b\" ;', EBNF",
    "noextension, 'a := \"b\" ;', EBNF",
  })
  void isKnownByNameOrContent(String name, String lines, GrammarFormat format) {
    Path file = new GrammarFiles(folder).write(name, lines.replace('|', '\n'));
    assertThat(GrammarFormat.of(file)).isEqualTo(format);
  }

  @Test
  void otherFilesAreRefused() {
    Path file = new GrammarFiles(folder).write("a.txt", "some text\n");
    assertThatThrownBy(() -> GrammarFormat.of(file))
        .hasMessage(
            file
                + ": no line looks like a rule of one of the formats rules, nltk, ebnf, lark, gbnf,"
                + " berkeley; name the format");
    Path missing = folder.resolve("missing.txt");
    assertThatThrownBy(() -> GrammarFormat.of(missing))
        .hasMessage(missing + " cannot be read: no such file");
  }

  @Test
  void binaryRulesStayAsTheyAre() {
    Path file =
        new GrammarFiles(folder)
            .write("a.txt", "start A\nv A\nv B\nv U\nb A B B\nu A U\nt B x\nu B B\n");
    GrammarText.Read read = GrammarText.read(List.of(file), GrammarTextOptions.DEFAULT);
    assertThat(read.grammar().variables()).containsExactly("A", "B", "U");
    assertThat(read.report().unaryRules()).isEqualTo(2);
    assertThat(read.report().unproductive()).containsExactly("U");
    assertThat(read.report().steps()).isEqualTo(GrammarReport.Steps.NONE);
    GrammarText.Read other =
        GrammarText.read(List.of(file), new GrammarTextOptions(null, "B", false, false));
    assertThat(other.grammar().start()).isEqualTo(1);
    assertThat(GrammarFiles.accepts(other, "x")).isTrue();
    assertThat(other.report().unreachable()).containsExactly("A");
    assertThatThrownBy(
            () -> GrammarText.read(List.of(file), new GrammarTextOptions(null, "B", true, false)))
        .hasMessage("the symbol U derives no sentence; add a rule that ends, or remove it");
  }
}
