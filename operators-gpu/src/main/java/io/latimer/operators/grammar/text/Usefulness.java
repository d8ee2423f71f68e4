package io.latimer.operators.grammar.text;

/** Which variables can be part of the derivation of a sentence. */
final class Usefulness {
  private final RuleTable rules;
  private final boolean[] productive;
  private final boolean[] reachable;

  private Usefulness(RuleTable rules, int variables) {
    this.rules = rules;
    this.productive = new boolean[variables];
    this.reachable = new boolean[variables];
  }

  /** Examines rules whose variables have ids below a number. */
  static Usefulness of(RuleTable rules, int variables, int start) {
    Usefulness usefulness = new Usefulness(rules, variables);
    usefulness.findProductive(rules.byRight(variables));
    usefulness.findReachable(start, rules.byLeft(variables));
    return usefulness;
  }

  /** Whether a variable derives words or the empty sentence. */
  boolean productive(int variable) {
    return productive[variable];
  }

  /** Whether the start leads to a variable through rules whose symbols are all productive. */
  boolean reachable(int variable) {
    return reachable[variable];
  }

  /** Whether a rule can be part of a derivation. */
  boolean useful(int rule) {
    return reachable[rules.left(rule)] && allProductive(rule);
  }

  private boolean allProductive(int rule) {
    for (int place = 0; place < rules.length(rule); place++) {
      int symbol = rules.symbol(rule, place);
      if (symbol >= 0 && !productive[symbol]) {
        return false;
      }
    }
    return true;
  }

  private void findProductive(int[][] byRight) {
    int[] missing = new int[rules.size()]; // places of variables not known to be productive
    for (int[] places : byRight) {
      for (int rule : places) {
        missing[rule]++;
      }
    }
    int[] queue = new int[productive.length];
    int end = 0;
    for (int rule = 0; rule < missing.length; rule++) {
      if (missing[rule] == 0 && !productive[rules.left(rule)]) {
        productive[rules.left(rule)] = true;
        queue[end++] = rules.left(rule);
      }
    }
    for (int at = 0; at < end; at++) {
      for (int rule : byRight[queue[at]]) {
        if (--missing[rule] == 0 && !productive[rules.left(rule)]) {
          productive[rules.left(rule)] = true;
          queue[end++] = rules.left(rule);
        }
      }
    }
  }

  private void findReachable(int start, int[][] byLeft) {
    int[] queue = new int[reachable.length];
    queue[0] = start;
    int end = 1;
    reachable[start] = true;
    for (int at = 0; at < end; at++) {
      for (int rule : byLeft[queue[at]]) {
        int length = allProductive(rule) ? rules.length(rule) : 0;
        for (int place = 0; place < length; place++) {
          int symbol = rules.symbol(rule, place);
          if (symbol >= 0 && !reachable[symbol]) {
            reachable[symbol] = true;
            queue[end++] = symbol;
          }
        }
      }
    }
  }
}
