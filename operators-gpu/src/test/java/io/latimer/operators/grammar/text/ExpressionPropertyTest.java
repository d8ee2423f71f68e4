package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random expressions without recursion derive what the same regular expressions match. */
final class ExpressionPropertyTest {
  private static final int EXPRESSIONS = 400;
  private static final int SENTENCES = 40;

  @TempDir private Path folder;

  /** An expression in the formats that have expressions, over the words a, b and c. */
  private record Expression(String ebnf, String lark, String gbnf, String regex) {
    static Expression random(Random random, int depth) {
      if (depth == 0 || random.nextInt(4) == 0) {
        String word = Character.toString('a' + random.nextInt(3));
        String quoted = '"' + word + '"';
        return new Expression(quoted, quoted, '"' + word + " \"", word);
      }
      Expression first = random(random, depth - 1);
      Expression second = random(random, depth - 1);
      int least = random.nextInt(3);
      int most = least + random.nextInt(3);
      return switch (random.nextInt(7)) {
        case 0 ->
            new Expression(
                "[ " + first.ebnf + " ]",
                "[" + first.lark + "]",
                "(" + first.gbnf + ")?",
                "(" + first.regex + ")?");
        case 1 ->
            new Expression(
                "{" + first.ebnf + "}",
                "(" + first.lark + ")*",
                "(" + first.gbnf + ")*",
                "(" + first.regex + ")*");
        case 2 -> first.postfix("+", "+");
        case 3 ->
            new Expression(
                least + " * (" + first.ebnf + ")",
                "(" + first.lark + ")~" + least,
                "(" + first.gbnf + "){" + least + "}",
                "(" + first.regex + "){" + least + "}");
        case 4 ->
            new Expression(
                "(" + least + " * (" + first.ebnf + ")" + ", [" + first.ebnf + "])",
                "(" + first.lark + ")~" + least + ".." + (least + 1),
                "(" + first.gbnf + "){" + least + "," + (least + 1) + "}",
                "(" + first.regex + "){" + least + "," + (least + 1) + "}");
        case 5 ->
            new Expression(
                "(" + first.ebnf + " | " + second.ebnf + ")",
                "(" + first.lark + " | " + second.lark + ")",
                "(" + first.gbnf + " | " + second.gbnf + ")",
                "(" + first.regex + "|" + second.regex + ")");
        default ->
            new Expression(
                first.ebnf + (most % 2 == 0 ? " , " : " ") + second.ebnf,
                first.lark + " " + second.lark,
                first.gbnf + " " + second.gbnf,
                first.regex + second.regex);
      };
    }

    private Expression postfix(String sign, String regexSign) {
      return new Expression(
          "(" + ebnf + ")" + sign,
          "(" + lark + ")" + sign,
          "(" + gbnf + ")" + sign,
          "(" + regex + ")" + regexSign);
    }
  }

  @Test
  void deriveWhatRegularExpressionsMatch() {
    GrammarFiles files = new GrammarFiles(folder);
    int members = 0;
    int others = 0;
    for (int seed = 0; seed < EXPRESSIONS; seed++) {
      Random random = new Random(seed);
      Expression expression = Expression.random(random, 4);
      Pattern regex = Pattern.compile(expression.regex());
      PlainCyk ebnf =
          new PlainCyk(files.read("a.ebnf", "s = " + expression.ebnf() + " ;").grammar());
      PlainCyk lark =
          new PlainCyk(files.read("a.lark", "start: " + expression.lark() + "\n").grammar());
      PlainCyk gbnf =
          new PlainCyk(files.read("a.gbnf", "root ::= " + expression.gbnf() + "\n").grammar());
      for (int i = 0; i < SENTENCES; i++) {
        List<String> words =
            random
                .ints(random.nextInt(7), 0, 3)
                .mapToObj(word -> Character.toString('a' + word))
                .toList();
        boolean expected = regex.matcher(String.join("", words)).matches();
        assertThat(ebnf.accepts(words)).as("%s %s", expression.ebnf(), words).isEqualTo(expected);
        assertThat(lark.accepts(words)).as("%s %s", expression.lark(), words).isEqualTo(expected);
        assertThat(gbnf.accepts(words)).as("%s %s", expression.gbnf(), words).isEqualTo(expected);
        members += expected ? 1 : 0;
        others += expected ? 0 : 1;
      }
    }
    assertThat(members).isGreaterThan(EXPRESSIONS);
    assertThat(others).isGreaterThan(EXPRESSIONS);
  }
}
