package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LarkReaderTest extends ReaderContract {
  LarkReaderTest() {
    super("lark");
  }

  @Test
  void readsRulesAndTerminals() {
    GrammarText.Read read =
        files.read(
            "a.lark",
            """
            // weather
            ?start: sentence+ -> all
            sentence.2: [area] WIND "in the" DIRECTION~1..2
                      | "calm"i   -> calm
            !?area: ("open" "sea")?
            WIND.1: "gust" "s"? | "wind"
            DIRECTION: COMPASS ("-" COMPASS)?   // as one word
            COMPASS: "north" | "south"
            INTEGER: /[0-9]+/
            %import common.WS
            %ignore WS
            """);
    assertThat(read.report().format()).isEqualTo(GrammarFormat.LARK);
    assertThat(GrammarFiles.accepts(read, "wind in the north")).isTrue();
    assertThat(GrammarFiles.accepts(read, "open sea gusts in the north-south south CALM")).isTrue();
    assertThat(GrammarFiles.accepts(read, "Calm calm gust in the north")).isTrue();
    assertThat(GrammarFiles.accepts(read, "gust s in the north")).isFalse();
    assertThat(GrammarFiles.accepts(read, "wind in the north south north")).isFalse();
    assertThat(read.grammar().variables()).contains("start", "sentence", "WIND", "DIRECTION");
  }

  @Test
  void terminalsAreFiniteSetsOfTexts() {
    GrammarText.Read read =
        files.read("a.lark", "start: A B\nA: \"x\"..\"z\" [\"1\"~2..3]\nB: \"New York\" | \"\"\n");
    for (String a : new String[] {"x", "y", "z", "x11", "z111"}) {
      assertThat(GrammarFiles.accepts(read, a)).as(a).isTrue();
      assertThat(GrammarFiles.accepts(read, a + " New York")).as(a).isTrue();
    }
    assertThat(GrammarFiles.accepts(read, "x1")).isFalse();
    assertThat(GrammarFiles.accepts(read, "w")).isFalse();
  }

  @Test
  void saysWhatIsWrongOrNotContextFree() {
    assertRefused(
        "start: \"a\" /[a-z]+/\n",
        " line 1: the regular expression /[a-z]+/ stands for texts that cannot be listed; write the"
            + " words as literals");
    assertRefused(
        "start: NUMBER\n%import common.NUMBER\n",
        " line 1: the terminal NUMBER is imported and stands for texts that cannot be listed;"
            + " define it with literals");
    assertRefused(
        "start: N\n%import common (WS, NUMBER)\n%import common.INT -> N\n",
        " line 1: the terminal N is imported and stands for texts that cannot be listed; define it"
            + " with literals");
    assertRefused(
        "start: a\n%import .other.a\n",
        " line 1: the rule a is imported, which is not supported; write it here");
    assertRefused(
        "start: D\nD: \"x\"+\n",
        " line 2: a terminal with + stands for texts that cannot be listed; write a rule of words,"
            + " or the words");
    assertRefused(
        "start: A\nA: B\nB: A\n", " line 3: the terminal A contains itself; make it a rule");
    assertRefused("start: A\n", " line 1: the terminal A is not defined; add A: and its words");
    assertRefused(
        "start: \"x\"\nA: \"a\"\nA: \"b\"\n",
        " line 3: the terminal A is already defined in " + folder.resolve("bad.lark") + " line 2");
    assertRefused(
        "start: b\nb: \"x\"\n?b: \"y\"\n",
        " line 3: the rule b is already defined in "
            + folder.resolve("bad.lark")
            + " line 2; join the two with |, or rename one");
    assertRefused(
        "start: \"x\"\nA: start\nB: A\n\nb: B\n", " line 2: a terminal cannot have the rule start");
    assertRefused(
        "start: list{\"x\"}\nlist{a}: a+\n",
        " line 1: the template list is not supported; write its rules out");
    assertRefused(
        "start: \"x\"\n%declare A B\n",
        " line 2: %declare is not supported; write the rules or terminals out");
    assertRefused("start: \"x\"m\n", " line 1: the flag m of a literal is not supported");
    assertRefused(
        "start: (\"x\"\n",
        " line 1: expected ) of the group that line 1 opens, found the end of the file");
    assertRefused("start: \"x\" )\n", " line 1: expected the end of the rule, found )");
    assertRefused(
        "begin: \"x\"\n", ": the start symbol start has no rule; add one, or name another start");
    assertRefused(
        "start: A\nA: \"a\"~9..3\n",
        " line 2: expected at most 255 repetitions, the smaller number first");
    assertRefused(
        "start: A\nA: B~4\nB: \"a\"..\"z\"\n",
        " line 2: the terminal has more than 65536 texts; write a rule of several words instead");
    assertRefused("start: \"\\q\"\n", " line 1: unknown escape \\q");
  }
}
