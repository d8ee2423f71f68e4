package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GbnfReaderTest extends ReaderContract {
  GbnfReaderTest() {
    super("gbnf");
  }

  @Test
  void whiteSpaceSeparatesWords() {
    GrammarText.Read read =
        files.read(
            "a.gbnf",
            """
            # a command
            root ::= "turn " (
              "on" | "off"   # one of them
            ) ws object (" and " object){0,2} "\\n"
            object ::= "the " colour? "light\\u0073" |
                       "fan " [1-3x]
            colour ::= ("red" | "dark" ws "blue") ws
            ws ::= | " " ws
            """);
    assertThat(read.report().format()).isEqualTo(GrammarFormat.GBNF);
    assertThat(GrammarFiles.accepts(read, "turn on the lights")).isTrue();
    assertThat(GrammarFiles.accepts(read, "turn off the dark blue lights and fan 2 and fan x"))
        .isTrue();
    assertThat(GrammarFiles.accepts(read, "turn off fan 4")).isFalse();
    assertThat(GrammarFiles.accepts(read, "turn on fan 1 and fan 1 and fan 1 and fan 1")).isFalse();
  }

  @Test
  void wordsInPartsAreRefused() {
    String rest =
        ", but words are checked as wholes; write white space between them, or the whole words";
    assertRefused(
        "root ::= \"un\" kind\nkind ::= \"happy\"\n",
        " line 1: a word of root is put together from \"un\" and kind" + rest);
    assertRefused(
        "root ::= \"a \" number\nnumber ::= [0-9]+\n",
        " line 2: a word of number is put together from a part of number and a part of number"
            + rest);
    assertRefused(
        "root ::= \"a\" maybe \"b\"\nmaybe ::= \" \" \"c \" | \"\"\n",
        " line 1: a word of root is put together from \"a\" and \"b\"" + rest);
    assertRefused(
        "root ::= a a\na ::= \"x\"? [ ]*? \"\" | \"y\"\n",
        " line 1: a word of root is put together from a and a" + rest);
  }

  @Test
  void whiteSpaceThatMayBeMissingSeparatesWords() {
    GrammarText.Read read = files.read("a.gbnf", "root ::= a a\na ::= [ ]* \"x\"?\n");
    assertThat(GrammarFiles.accepts(read, "x x")).isTrue();
    assertThat(GrammarFiles.accepts(read, "xx")).isFalse();
    assertThat(GrammarFiles.accepts(read, "")).isTrue();
  }

  @Test
  void saysWhatIsWrongOrCannotBeListed() {
    assertRefused(
        "root ::= [^\\n]+\n",
        " line 1: the characters [^\\n] cannot be listed; write the words as literals");
    assertRefused(
        "root ::= .\n", " line 1: any character (.) cannot be listed; write the words as literals");
    assertRefused(
        "root ::= <think>\n", " line 1: a token of a language model is no word; write a literal");
    assertRefused(
        "root ::= [\\u0100-\\uFFF0]\n",
        " line 1: the characters [\\u0100-\\uFFF0] are more than 256; write the words as literals");
    assertRefused(
        "root ::= \"\\ud800\"\n", " line 1: \\u needs 4 hexadecimal digits of a character");
    assertRefused(
        "root ::= \"a\"{5,2}\n",
        " line 1: the largest number of repetitions is below the smallest");
    assertRefused("root ::= \"a\"{2;3}\n", " line 1: unexpected character ;");
    assertRefused(
        "top ::= \"a\"\n", ": the start symbol root has no rule; add one, or name another start");
    assertRefused("root ::= [a\n", " line 1: a pattern is not closed by ]");
  }

  @Test
  void aRuleDefinedTwiceIsRefusedWithBothLines() {
    assertRefused(
        "root ::= noun\nnoun ::= \"a\"\nverb ::= \"b\"\nnoun ::= \"c\"\n",
        " line 4: the rule noun is already defined in "
            + folder.resolve("bad.gbnf")
            + " line 2; join the two with |, or rename one");
    Path first = files.write("one.gbnf", "root ::= \"a\"\n");
    Path second = files.write("two.gbnf", "# more\nroot ::= \"b\"\n");
    assertThatThrownBy(() -> GrammarText.read(List.of(first, second), GrammarTextOptions.DEFAULT))
        .hasMessageStartingWith(
            second + " line 2: the rule root is already defined in " + first + " line 1;");
  }
}
