package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;
import io.latimer.operators.ngram.WordIds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Reads right sides of rules with alternatives, groups and repetitions, and expands groups and
 * repetitions into rules of their own. A sequence is an array of symbols.
 */
abstract class ExpressionReader implements GrammarReader {
  /** Maximum nesting of groups: the reader recurses for each. */
  private static final int MOST_DEPTH = 200;

  /** Stands for no upper limit of repetitions. */
  static final int UNLIMITED = -1;

  final ContextFreeGrammar.Builder grammar = new ContextFreeGrammar.Builder();
  private TokenCursor tokens = new TokenCursor(List.of());
  private final Map<String, SourceLine> defined = new HashMap<>();
  private int depth;

  /**
   * Notes that a rule is defined here.
   *
   * @throws GrammarFormatException if it is defined already, naming both lines
   */
  final void define(Token name) {
    SourceLine before = defined.putIfAbsent(name.text(), name.line());
    if (before != null) {
      throw name.line()
          .error(
              "the rule "
                  + name.text()
                  + " is already defined in "
                  + before
                  + "; join the two with |, or rename one");
    }
  }

  /** Begins to read tokens. */
  void begin(List<Token> list) {
    tokens = new TokenCursor(list);
  }

  /** The tokens that are read. */
  TokenCursor tokens() {
    return tokens;
  }

  /** Whether an alternative ends here: at a bar, a bracket, the end of the rule. */
  abstract boolean endsSequence(boolean nested);

  /**
   * Reads an item, such as a literal, without its repetition sign.
   *
   * @param of the variable whose rule it is
   */
  abstract int[] item(String of);

  /** Reads what follows an item, such as a star. */
  abstract int[] repeated(int[] item, String of, SourceLine line);

  /** Reads ?, * or + after an item; null if none of them is there. */
  final int[] marked(int[] item, String of, SourceLine line) {
    if (tokens.accept("?")) {
      return optional(item, of, line);
    } else if (tokens.accept("*")) {
      return repeat(item, 0, UNLIMITED, of, line);
    } else if (tokens.accept("+")) {
      return repeat(item, 1, UNLIMITED, of, line);
    }
    return null;
  }

  /** Reads what may stand at the end of an alternative. */
  void endAlternative() {}

  /** Reads alternatives to the end of the rule, or of the group. */
  List<int[]> alternatives(String of, boolean nested) {
    if (nested && ++depth > MOST_DEPTH) {
      throw tokens.token().line().error("more than " + MOST_DEPTH + " groups around each other");
    }
    List<int[]> alternatives = new ArrayList<>();
    do {
      int[] sequence = {};
      while (!endsSequence(nested)) {
        SourceLine line = tokens.token().line();
        sequence = join(sequence, repeated(item(of), of, line));
        ContextFreeGrammar.Builder.requireLength(sequence, of, line);
      }
      endAlternative();
      alternatives.add(sequence);
    } while (tokens.accept("|"));
    depth -= nested ? 1 : 0;
    return alternatives;
  }

  /** Reads the alternatives of a variable, after its name and the sign that follows. */
  void readRules(Token name) {
    grammar.variable(name.text(), name.line()); // before those that its rules name
    addRules(name.text(), name.line(), alternatives(name.text(), false));
  }

  /** Adds rules for the alternatives of a variable. */
  void addRules(String variable, SourceLine line, List<int[]> alternatives) {
    int left = grammar.variable(variable, line);
    alternatives.forEach(right -> grammar.rule(left, right, 0, line));
  }

  /** Reads the rest of a group, after its opening bracket. */
  int[] group(String of, String close, SourceLine line) {
    List<int[]> alternatives = alternatives(of, true);
    tokens.expectClose(close, line);
    return alternatives.size() == 1 ? alternatives.get(0) : part(of, line, alternatives);
  }

  /** The sequence, or nothing. */
  int[] optional(int[] sequence, String of, SourceLine line) {
    return part(of, line, List.of(new int[0], sequence));
  }

  /**
   * The sequence, repeated from {@code least} to {@code most} times.
   *
   * @param most at least {@code least}, or {@link #UNLIMITED}
   */
  int[] repeat(int[] sequence, int least, int most, String of, SourceLine line) {
    if (Math.max(least, most) > ContextFreeGrammar.LONGEST_RULE) {
      throw line.error(
          "at most "
              + ContextFreeGrammar.LONGEST_RULE
              + " repetitions can be counted, found "
              + Math.max(least, most));
    }
    if (most != UNLIMITED && most < least) {
      throw line.error("the largest number of repetitions is below the smallest");
    }
    int[] one = sequence.length == 1 ? sequence : part(of, line, List.of(sequence));
    int[] all = IntStream.range(0, least).map(i -> one[0]).toArray();
    if (most == UNLIMITED) {
      int rest = grammar.part(of, line);
      grammar.rule(rest, new int[0], 0, line);
      grammar.rule(rest, new int[] {one[0], rest}, 0, line);
      return join(all, rest);
    }
    int[] rest = {};
    for (int i = least; i < most; i++) {
      rest = optional(join(one, rest), of, line);
    }
    return join(all, rest);
  }

  /** The words of a literal. */
  int[] literal(String text) {
    return WordIds.split(text).stream().mapToInt(grammar::terminal).toArray();
  }

  /** A symbol that stands for one of these sequences. */
  int[] part(String of, SourceLine line, List<int[]> alternatives) {
    int part = grammar.part(of, line);
    alternatives.forEach(right -> grammar.rule(part, right, 0, line));
    return new int[] {part};
  }

  static int[] join(int[] first, int... second) {
    int[] joined = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, joined, first.length, second.length);
    return joined;
  }
}
