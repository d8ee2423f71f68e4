package io.latimer.operators.grammar.text;

import io.latimer.operators.ngram.WordIds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the grammars of NLTK, a rule per line: {@code NP -> Det N [0.4] | 'New York' [0.6]}.
 *
 * <table>
 * <caption>What is read</caption>
 * <tr><td>{@code A -> B 'c' | "d" |}</td><td>alternatives; an empty one derives the empty
 *     sentence</td></tr>
 * <tr><td>{@code 'New York'}</td><td>a terminal; with spaces it is several words</td></tr>
 * <tr><td>{@code [0.4]}</td><td>the probability of an alternative; of all or of none</td></tr>
 * <tr><td>{@code %start A}</td><td>the start symbol; else it is the first of the first rule</td></tr>
 * <tr><td>{@code # text}</td><td>a comment, a line of its own</td></tr>
 * <tr><td>a backslash at the end of a line</td><td>the rule goes on in the next</td></tr>
 * <tr><td>{@code NP[NUM=sg]}</td><td>refused: feature grammars are not context-free</td></tr>
 * </table>
 */
final class NltkReader implements GrammarReader {
  private static final String START = "%start";
  private static final String ARROW = "->";
  private static final String SYMBOL_ENDS = "'\"|[";

  private final ContextFreeGrammar.Builder grammar = new ContextFreeGrammar.Builder();
  private final Probabilities probabilities = new Probabilities(grammar);
  private String start;
  private String first;
  private String line = "";
  private int at;
  private SourceLine source;

  @Override
  public void read(Path file) {
    StringBuilder rule = new StringBuilder();
    SourceLine begin = null;
    long number = 0;
    for (String text : GrammarSource.lines(file)) {
      number++;
      String stripped = text.strip();
      if (rule.length() == 0) {
        begin = new SourceLine(file, number);
        if (stripped.startsWith("#")) {
          continue;
        }
      }
      boolean more = stripped.endsWith("\\");
      rule.append(more ? stripped.substring(0, stripped.length() - 1) + " " : stripped);
      if (!more) {
        line(rule.toString(), begin);
        rule.setLength(0);
      }
    }
    line(rule.toString(), begin);
  }

  @Override
  public ContextFreeGrammar finish(String otherStart, String files) {
    return grammar.build(
        GrammarReader.start(otherStart, start == null ? first : start, files), files);
  }

  private void line(String text, SourceLine where) {
    line = text;
    source = where;
    at = 0;
    skipSpaces();
    if (at == line.length()) {
      return;
    }
    if (line.startsWith(START, at)) {
      at += START.length();
      skipSpaces();
      String name = symbol();
      if (start != null && !start.equals(name)) {
        throw source.error("the start symbol is already " + start + "; remove one of the %start");
      }
      start = name;
      requireEnd();
    } else {
      rule();
    }
  }

  private void rule() {
    String left = symbol();
    first = first == null ? left : first;
    skipSpaces();
    if (!line.startsWith(ARROW, at)) {
      throw source.error("expected -> after " + left + ", found " + rest());
    }
    at += ARROW.length();
    int variable = grammar.variable(left, source);
    boolean more;
    do {
      alternative(variable);
      more = at < line.length();
      at++;
    } while (more);
  }

  /** Reads to the next bar or to the end. */
  private void alternative(int variable) {
    List<Integer> right = new ArrayList<>();
    Double probability = null;
    for (skipSpaces(); at < line.length() && line.charAt(at) != '|'; skipSpaces()) {
      char c = line.charAt(at);
      if (probability != null) {
        throw source.error("expected | after a probability, found " + rest());
      } else if (c == '[') {
        probability = probability();
      } else if (c == '\'' || c == '"') {
        for (String word : WordIds.split(quoted(c))) {
          right.add(grammar.terminal(word));
        }
      } else {
        right.add(grammar.variable(symbol(), source));
      }
    }
    grammar.rule(
        variable,
        right.stream().mapToInt(Integer::intValue).toArray(),
        probabilities.weight(probability, source),
        source);
  }

  private Double probability() {
    if (at > 0
        && !Character.isWhitespace(line.charAt(at - 1))
        && "'\"".indexOf(line.charAt(at - 1)) < 0) {
      throw source.error(
          "features in brackets are not context-free: "
              + rest()
              + "; write a variable for each value");
    }
    int end = line.indexOf(']', at);
    if (end < 0) {
      throw source.error("the bracket of " + rest() + " is not closed");
    }
    String text = line.substring(at + 1, end).strip();
    at = end + 1;
    return Probabilities.parse(text, source);
  }

  private String quoted(char quote) {
    int end = line.indexOf(quote, at + 1);
    if (end < 0) {
      throw source.error("the quote of " + rest() + " is not closed");
    }
    String text = line.substring(at + 1, end);
    at = end + 1;
    return text;
  }

  private String symbol() {
    int from = at;
    while (at < line.length()
        && !Character.isWhitespace(line.charAt(at))
        && SYMBOL_ENDS.indexOf(line.charAt(at)) < 0
        && !line.startsWith(ARROW, at)) {
      at++;
    }
    if (at == from) {
      throw source.error("expected a symbol, found " + rest());
    }
    return line.substring(from, at);
  }

  private void requireEnd() {
    skipSpaces();
    if (at < line.length()) {
      throw source.error("expected the end of the line, found " + rest());
    }
  }

  private void skipSpaces() {
    while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
      at++;
    }
  }

  private String rest() {
    return GrammarReader.shown(line.substring(at));
  }
}
