package io.latimer.cli.grammar;

import io.latimer.operators.grammar.BestTree;
import io.latimer.operators.grammar.ChartSummary;
import io.latimer.operators.grammar.GrammarOptions;
import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.grammar.NextWords.Continuation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Verdicts as tab-separated columns, always the same number. */
final class TsvVerdicts implements VerdictFormat {
  private static final String NONE = "-";
  private static final int COLUMNS = 5;
  private static final int CHART_COLUMNS = 2;
  private static final int TREE_COLUMNS = 2;
  private static final int NEXT_COLUMNS = 3;

  private final int columns;
  private final boolean tree;

  /**
   * @param options determine the columns
   * @param next whether there are columns of the next words
   */
  TsvVerdicts(GrammarOptions options, boolean next) {
    this.tree = options.tree();
    this.columns =
        COLUMNS
            + (options.chart() ? CHART_COLUMNS : 0)
            + (tree ? TREE_COLUMNS : 0)
            + (next ? NEXT_COLUMNS : 0);
  }

  @Override
  public String of(long line, GrammarVerdict verdict, Continuation next) {
    List<String> fields = new ArrayList<>();
    fields.add(verdict.derivable() ? "1" : "0");
    fields.add(String.valueOf(verdict.words()));
    fields.add(String.valueOf(verdict.longestPrefix()));
    fields.add(String.valueOf(verdict.acceptedPrefixes()));
    fields.add(words(verdict.roots()));
    if (verdict.chart().isPresent()) {
      ChartSummary chart = verdict.chart().get();
      fields.add(String.valueOf(chart.bits()));
      fields.add(chart.hashText());
    }
    if (tree) {
      fields.add(verdict.tree().map(best -> String.valueOf(best.logProbability())).orElse(NONE));
      fields.add(verdict.tree().map(BestTree::bracketed).orElse(NONE));
    }
    if (next != null) {
      fields.add(String.valueOf(next.viable()));
      fields.add(String.valueOf(next.total()));
      fields.add(words(next.words()));
    }
    fields.addAll(Collections.nCopies(columns - fields.size(), NONE)); // unknown where it leaves
    return String.join("\t", fields);
  }

  private static String words(List<String> words) {
    return words.isEmpty() ? NONE : String.join(" ", words);
  }

  @Override
  public String failed(long line, String reason) {
    return String.join("\t", Collections.nCopies(columns, NONE));
  }
}
