package io.latimer.operators.grammar.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/** Finds the variables whose rules have probabilities that do not sum to 1. */
final class ProbabilitySums {
  /** How far from 1 a sum may be, as in NLTK: files have rounded probabilities. */
  static final double TOLERANCE = 0.01;

  private ProbabilitySums() {}

  /**
   * The variables with another sum, such as {@code S in a.cfg line 3 (0.9)}, in the order of their
   * ids. A sum is compared after rounding to six digits, so that 0.99 is near enough to 1.
   *
   * @param variables number of variables
   * @param exempt a variable that is not checked; -1 for none
   * @param place the name of a variable and where it is
   */
  static List<String> wrong(RuleTable rules, int variables, int exempt, IntFunction<String> place) {
    double[] sums = new double[variables];
    boolean[] defined = new boolean[variables];
    for (int rule = 0; rule < rules.size(); rule++) {
      sums[rules.left(rule)] += Math.exp(rules.weight(rule));
      defined[rules.left(rule)] = true;
    }
    List<String> wrong = new ArrayList<>();
    for (int variable = 0; variable < variables; variable++) {
      double rounded = Math.rint(sums[variable] * 1e6) / 1e6;
      if (defined[variable]
          && variable != exempt
          && Math.rint(Math.abs(rounded - 1) * 1e6) > TOLERANCE * 1e6) {
        wrong.add(place.apply(variable) + " (" + shown(rounded) + ")");
      }
    }
    return wrong;
  }

  private static String shown(double sum) {
    return String.format(Locale.ROOT, "%.6f", sum).replaceFirst("\\.?0+$", "");
  }
}
