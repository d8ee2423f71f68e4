package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class EbnfReaderTest extends ReaderContract {
  EbnfReaderTest() {
    super("ebnf");
  }

  @Test
  void readsTheNotationOfIso() {
    GrammarText.Read read =
        files.read(
            "a.ebnf",
            """
            (* a list of
               places *)
            message = [ "red" ] , "warning" , place , { "," , place } ;
            place = ( "north" | 'south' ) , 2 * "of" , "O'Hare Town" ;
            """);
    assertThat(read.report().format()).isEqualTo(GrammarFormat.EBNF);
    assertThat(GrammarFiles.accepts(read, "warning north of of O'Hare Town")).isTrue();
    assertThat(
            GrammarFiles.accepts(
                read, "red warning south of of O'Hare Town , north of of O'Hare Town"))
        .isTrue();
    assertThat(GrammarFiles.accepts(read, "warning north of O'Hare Town")).isFalse();
    assertThat(GrammarFiles.accepts(read, "warning north of of O'Hare Town ,")).isFalse();
  }

  @Test
  void readsTheNotationOfTheW3c() {
    GrammarText.Read read =
        files.read(
            "a.bnf",
            """
            # without signs at the ends of rules
            <the list> ::= item+ end?
            item ::= "a" | "b" "c"*   // one
            end ::= '' | "."
            """);
    assertThat(GrammarFiles.accepts(read, "a b c c a .")).isTrue();
    assertThat(GrammarFiles.accepts(read, "a a")).isTrue();
    assertThat(GrammarFiles.accepts(read, ".")).isFalse();
    assertThat(GrammarFiles.accepts(read, "c")).isFalse();
    assertThat(GrammarFiles.accepts(read, "")).isFalse();
    assertThat(read.grammar().variables().get(0)).isEqualTo("the-list");
  }

  @Test
  void anythingRepeatedCanBeEmpty() {
    GrammarText.Read read = files.read("a.ebnf", "a = { [ 'x' ] } | ('' | 'y')+ ;");
    assertThat(GrammarFiles.accepts(read, "")).isTrue();
    assertThat(GrammarFiles.accepts(read, "x x x")).isTrue();
    assertThat(GrammarFiles.accepts(read, "y")).isTrue();
    assertThat(GrammarFiles.accepts(read, "x y")).isFalse();
  }

  @Test
  void saysWhatIsWrongOrNotContextFree() {
    assertRefused(
        "a = 'x' ;\nb = a - 'y' ;",
        " line 2: an exception (-) is not context-free; write a rule without it");
    assertRefused(
        "a = ? a letter ? ;",
        " line 1: a special sequence (? ... ?) has no meaning here; write a rule for it");
    assertRefused(
        "a = 'x'..'z' ;", " line 1: the range \"x\" .. is no rule over words; write the words out");
    assertRefused("a = ( 'x' ;\n", " line 1: expected ) of the group that line 1 opens, found ;");
    assertRefused("a = 'x' ) ;\n", " line 1: expected a name, found )");
    assertRefused("a = 'x\n;\n", " line 1: the quote of 'x is not closed");
    assertRefused("a 'x' ;\n", " line 1: expected = after a, found \"x\"");
    assertRefused("a = (* 'x' ;\n", " line 1: a comment is not closed by *)");
    assertRefused("a = 'x' ;\nb = $ ;\n", " line 2: unexpected character $");
    assertRefused(
        "a = 1000 * 'x' ;", " line 1: at most 255 repetitions can be counted, found 1000");
    assertRefused("a = 3 * 3 * 'x' ;", " line 1: expected an item after 3 *, not a number");
    assertRefused(
        "a = " + "(".repeat(300) + "'x'" + ")".repeat(300),
        " line 1: more than 200 groups around each other");
    assertRefused(
        "a = " + "'x' ".repeat(300),
        " line 1: a rule of a has more than 255 symbols; split it into several");
  }
}
