package io.latimer.cli.grammar;

import io.latimer.operators.grammar.index.GrammarIndexReport;
import io.latimer.operators.grammar.text.GrammarFormat;
import io.latimer.operators.grammar.text.GrammarReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The messages at the end of a compilation. */
final class CompileMessages {
  private static final int MOST_SYMBOLS = 5;

  private CompileMessages() {}

  /** The lines: the result, the steps of the conversion, warnings. */
  static List<String> of(Path out, GrammarReport read, GrammarIndexReport index) {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%s: %s, %s, %,d binary, %,d unary and %,d lexical rules%s%s, %,.1f MB on disk",
            out,
            count(index.variables(), "variable"),
            count(index.terminals(), "terminal"),
            index.binaryRules(),
            index.unaryRules(),
            index.lexicalRules(),
            index.weighted() ? " with probabilities" : "",
            index.derivesEmpty() ? ", the empty sentence" : "",
            index.fileBytes() / 1e6));
    if (read.format() != GrammarFormat.RULES) {
      lines.add(steps(read));
    }
    warn(lines, read.undefined(), " has no rules", " have no rules");
    warn(lines, read.unproductive(), " derives no sentence", " derive no sentence");
    warn(
        lines,
        read.unreachable(),
        " is unreachable from the start",
        " are unreachable from the start");
    warn(
        lines,
        read.unbalanced(),
        " has probabilities that do not sum to 1",
        " have probabilities that do not sum to 1");
    return lines;
  }

  private static String steps(GrammarReport read) {
    GrammarReport.Steps steps = read.steps();
    return String.format(
        Locale.ROOT,
        "converted %s (%s): %s removed, %s added for terminals (TERM) and %,d for long rules (BIN),"
            + " %s removed and %s added for them (DEL), %s removed (UNIT)",
        count(read.rules(), "rule"),
        read.format(),
        count(steps.useless(), "useless rule"),
        count(steps.term(), "variable"),
        steps.bin(),
        count(steps.empty(), "empty rule"),
        count(steps.del(), "rule"),
        count(steps.unit(), "repeated or circular rule"));
  }

  private static void warn(List<String> lines, List<String> symbols, String is, String are) {
    int size = symbols.size();
    if (size > 0) {
      lines.add(
          "latimer: warning: "
              + count(size, "symbol")
              + (size == 1 ? is : are)
              + ": "
              + String.join(", ", symbols.subList(0, Math.min(size, MOST_SYMBOLS)))
              + (size > MOST_SYMBOLS ? " and " + (size - MOST_SYMBOLS) + " more" : ""));
    }
  }

  private static String count(int number, String what) {
    return String.format(Locale.ROOT, "%,d %s%s", number, what, number == 1 ? "" : "s");
  }
}
