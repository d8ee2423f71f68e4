package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.grammar.index.BinaryGrammar;
import io.latimer.operators.grammar.index.GrammarFormatException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NltkReaderTest extends ReaderContract {
  private static final String DIRECTIVE = '%' + "start";

  NltkReaderTest() {
    super("cfg");
  }

  @Test
  void readsAlternativesQuotesAndSeveralWords() {
    GrammarText.Read read =
        files.read(
            "a.cfg",
            """
            # flights
            S -> 'fly' "to" City | 'stay'

            City -> 'New York' | "O'Hare" | S/NP | \\
               '|'
            S/NP->'<gap>'
            """);
    assertThat(read.report().format()).isEqualTo(GrammarFormat.NLTK);
    assertThat(GrammarFiles.accepts(read, "fly to New York")).isTrue();
    assertThat(GrammarFiles.accepts(read, "fly to O'Hare")).isTrue();
    assertThat(GrammarFiles.accepts(read, "fly to |")).isTrue();
    assertThat(GrammarFiles.accepts(read, "fly to <gap>")).isTrue();
    assertThat(GrammarFiles.accepts(read, "stay")).isTrue();
    assertThat(GrammarFiles.accepts(read, "fly to York")).isFalse();
    assertThat(GrammarFiles.accepts(read, "")).isFalse();
    assertThat(read.grammar().variables().subList(0, 3)).containsExactly("S", "City", "S/NP");
  }

  @Test
  void theStartIsThatOfTheDirectiveTheOptionOrTheFirstRule() {
    String rules = "A -> 'a'\nB -> 'b' A\n";
    Path file = files.write("a.cfg", rules + DIRECTIVE + " B\n");
    BinaryGrammar directive = GrammarText.read(List.of(file), GrammarTextOptions.DEFAULT).grammar();
    assertThat(directive.variables().get(directive.start())).isEqualTo("B");
    BinaryGrammar first = files.read("b.cfg", rules).grammar();
    assertThat(first.variables().get(first.start())).isEqualTo("A");
    BinaryGrammar option =
        GrammarText.read(List.of(file), new GrammarTextOptions(null, "A", false, false)).grammar();
    assertThat(option.variables().get(option.start())).isEqualTo("A");
    assertThatThrownBy(
            () -> GrammarText.read(List.of(file), new GrammarTextOptions(null, "C", false, false)))
        .hasMessage(file + ": the start symbol C has no rule; add one, or name another start");
  }

  @Test
  void readsProbabilities() {
    BinaryGrammar grammar =
        files.read("a.pcfg", "S -> 'a' [.25] | 'b' 'c'[ 0.5 ] | S S [0.25]\n").grammar();
    assertThat(grammar.weighted()).isTrue();
    assertThat(grammar.lexicalWeight(0)).isEqualTo((float) Math.log(0.25));
    assertThat(grammar.binaryRules()).isEqualTo(2);
    assertThat(grammar.binaryWeight(0)).isEqualTo((float) Math.log(0.5));
    assertRefused(
        "S -> 'a' [0.5]\nA -> 'b'\n",
        " line 2: this rule has no probability, those before have; add one");
    assertRefused(
        "S -> 'a'\nA -> 'b' [1]\n",
        " line 2: this rule has a probability, those before have none; remove it or add theirs");
    assertRefused("S -> 'a' [0]\n", " line 1: a probability is 0; remove the rule");
    assertRefused("S -> 'a' [x]\n", " line 1: expected a probability, found x");
    assertRefused("S -> 'a' [1.5]\n", " line 1: expected a probability from 0 to 1, found 1.5");
    assertRefused("S -> 'a' [0.5] 'b'\n", " line 1: expected | after a probability, found 'b'");
  }

  @Test
  void saysWhereAGrammarIsWrong() {
    assertRefused("S -> 'a\n", " line 1: the quote of 'a is not closed");
    assertRefused("S -> 'a'\n\nS = 'b'\n", " line 3: expected -> after S, found = 'b'");
    assertRefused("S -> 'a'\n-> 'b'\n", " line 2: expected a symbol, found -> 'b'");
    assertRefused(
        "S -> NP[NUM=sg]\n",
        " line 1: features in brackets are not context-free: [NUM=sg]; write a variable for each"
            + " value");
    assertRefused(
        "S -> 'a' B\nB -> C\nB -> D\n",
        " line 2: the symbol C has no rules, and 1 other symbol; add rules, or quote it if it is a"
            + " word");
    assertRefused(
        "A -> 'a'\nS -> S 'b' | S\n" + DIRECTIVE + " S\n",
        " line 2: the start symbol S derives no sentence: all of its rules lead back to themselves"
            + " or to symbols without rules; add a rule that ends");
    assertRefused("# nothing\n", ": no rules, and so no start symbol");
    assertRefused(
        DIRECTIVE + " A\n" + DIRECTIVE + " B\n",
        " line 2: the start symbol is already A; remove one of the %start");
  }

  @Test
  void uselessSymbolsAreReportedAndErrorsIfStrict() {
    String text = "S -> 'a' | U\nU -> U 'b'\nR -> 'c' S\nQ -> 'd' R | 'e'\n";
    GrammarReport report = files.read("useless.cfg", text).report();
    String file = folder.resolve("useless.cfg").toString();
    assertThat(report.unproductive()).containsExactly("U in " + file + " line 1");
    assertThat(report.unreachable())
        .containsExactly("R in " + file + " line 3", "Q in " + file + " line 4");
    assertThat(report.steps().useless()).isEqualTo(5);
    assertThat(report.variables()).isEqualTo(1);
    assertThatThrownBy(
            () ->
                GrammarText.read(
                    List.of(Path.of(file)), new GrammarTextOptions(null, null, true, false)))
        .isInstanceOf(GrammarFormatException.class)
        .hasMessage(
            "the symbol U in "
                + file
                + " line 1 derives no sentence; add a rule that ends, or remove it");
    Path unreachable = files.write("unreachable.cfg", "S -> 'a'\nR -> 'c' S\nQ -> 'd' R\n");
    assertThatThrownBy(
            () ->
                GrammarText.read(
                    List.of(unreachable), new GrammarTextOptions(null, null, true, false)))
        .hasMessage(
            "the symbol R in "
                + unreachable
                + " line 2 is unreachable from the start, and 1 other symbol; use it in a rule, or"
                + " remove it");
  }

  @Test
  void commentsMayBeLatin1AndRulesNot() throws IOException {
    Path file = folder.resolve("latin.cfg");
    Files.write(file, "# Ljungl\u00f6f\nS -> 'a'\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(GrammarText.read(List.of(file), GrammarTextOptions.DEFAULT).report().rules())
        .isEqualTo(1);
    Files.write(file, "S -> 'gr\u00f6n'\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> GrammarText.read(List.of(file), GrammarTextOptions.DEFAULT))
        .hasMessage(file + " line 1: not UTF-8; convert the file");
  }

  @Test
  void tooManyVariablesAreAnErrorAtTheRuleThatNeedsThem() {
    StringBuilder rules = new StringBuilder();
    for (int i = 0; i < 40_000; i++) {
      rules.append("S -> 'a" + i + "' 'b'\nS -> 'c' 'd" + i + "'\n");
    }
    assertThatThrownBy(() -> files.read("large.cfg", rules.toString()))
        .isInstanceOf(GrammarFormatException.class)
        .hasMessageContaining("large.cfg line 65533: the variable ")
        .hasMessageContaining(
            " is one too many: a grammar has at most 65535 variables, with those added for");
  }

  @Test
  void severalFilesAreOneGrammar() {
    Path rules = files.write("rules.cfg", "S -> 'a' N\n");
    Path words = files.write("words.cfg", "N -> 'b' | 'c'\n");
    GrammarText.Read read = GrammarText.read(List.of(rules, words), GrammarTextOptions.DEFAULT);
    assertThat(GrammarFiles.accepts(read, "a c")).isTrue();
    assertThat(read.report().rules()).isEqualTo(3);
  }

  @Test
  void probabilitiesThatDoNotSumToOneAreReported() {
    assertThat(unbalanced("S -> 'a' [0.5] | 'b' [0.4]\n"))
        .containsExactly("S in " + folder.resolve("sum.cfg") + " line 1 (0.9)");
    assertThat(unbalanced("S -> 'a' N [0.5] | 'b' [0.495]\nN -> 'c' [1]\nS -> [1e-9]\n")).isEmpty();
    assertThat(unbalanced("S -> 'a' [0.5] | 'b' N [0.5]\nN -> 'c' [0.6] | N 'd' [0.4113]\n"))
        .containsExactly("N in " + folder.resolve("sum.cfg") + " line 1 (1.0113)");
    assertThat(unbalanced("S -> 'a' [0.99]\n")).isEmpty();
    assertThat(unbalanced("S -> 'a' [0.989]\n")).hasSize(1);
    assertThat(unbalanced("S -> 'a' | 'b'\n")).isEmpty();
  }

  private List<String> unbalanced(String rules) {
    return files.read("sum.cfg", rules).report().unbalanced();
  }
}
