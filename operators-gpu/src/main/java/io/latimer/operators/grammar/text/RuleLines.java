package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.BinaryGrammar;
import io.latimer.operators.grammar.index.GrammarFormatException;
import io.latimer.operators.ngram.WordIds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the line format of grammars that are already binary, with unary rules: one item per line,
 * UTF-8, fields separated by single blanks. The first field is the kind of the line:
 *
 * <table>
 * <caption>Lines</caption>
 * <tr><td>{@code # text}</td><td>a comment</td></tr>
 * <tr><td>{@code start A}</td><td>the start variable, once</td></tr>
 * <tr><td>{@code v A}</td><td>declares a variable, before the rules that have it</td></tr>
 * <tr><td>{@code b A B C}</td><td>the rule A &rarr; B C</td></tr>
 * <tr><td>{@code u A B}</td><td>the rule A &rarr; B</td></tr>
 * <tr><td>{@code t A w}</td><td>the rule A &rarr; the terminal w</td></tr>
 * <tr><td>{@code e}</td><td>the empty sentence is in the language</td></tr>
 * </table>
 *
 * <p>In a weighted grammar every rule has one more field: its probability, above 0 and at most 1.
 * Several files are read as if they were one, such as rules and a lexicon. Empty lines are ignored.
 */
public final class RuleLines {
  private final BinaryGrammar.Builder grammar = new BinaryGrammar.Builder();
  private String start;
  private GrammarFormatException unknownStart;
  private boolean anyRule;
  private boolean weighted;

  private RuleLines() {}

  /**
   * Reads a grammar.
   *
   * @param files one or more, each plain or gzip
   * @throws GrammarFormatException naming file, line and symbol
   */
  public static BinaryGrammar read(List<Path> files) {
    RuleLines reader = new RuleLines();
    for (Path file : files) {
      try (GrammarLines lines = new GrammarLines(file)) {
        for (String line = lines.next(); line != null; line = lines.next()) {
          if (!line.isEmpty()) {
            reader.read(fields(line), lines);
          }
        }
      }
    }
    return reader.finish(files);
  }

  private static List<String> fields(String line) {
    List<String> fields = new ArrayList<>(5);
    int from = 0;
    for (int blank = line.indexOf(' '); blank >= 0; blank = line.indexOf(' ', from)) {
      fields.add(line.substring(from, blank));
      from = blank + 1;
    }
    fields.add(line.substring(from));
    return fields;
  }

  private BinaryGrammar finish(List<Path> files) {
    if (start == null) {
      throw new GrammarFormatException(
          files + ": no start variable; add a line \"start\" and its name");
    }
    int id = grammar.find(start);
    if (id < 0) {
      throw unknownStart;
    }
    if (weighted) {
      grammar.weighted();
    }
    return grammar.build(id);
  }

  private void read(List<String> fields, GrammarLines at) {
    switch (fields.get(0)) {
      case "#" -> {}
      case "start" -> start(fields, at);
      case "v" -> variable(fields, at);
      case "b" -> {
        float weight = weight(fields, 4, "b A B C", at);
        grammar.binary(
            find(fields.get(1), at), find(fields.get(2), at), find(fields.get(3), at), weight);
      }
      case "u" -> {
        float weight = weight(fields, 3, "u A B", at);
        grammar.unary(find(fields.get(1), at), find(fields.get(2), at), weight);
      }
      case "t" -> {
        float weight = weight(fields, 3, "t A word", at);
        grammar.lexical(find(fields.get(1), at), word(fields.get(2), at), weight);
      }
      case "e" -> {
        require(fields, 1, "e", at);
        grammar.derivesEmpty();
      }
      default ->
          throw at.error(
              "expected a line that begins with start, v, b, u, t, e or #, found " + fields.get(0));
    }
  }

  private void start(List<String> fields, GrammarLines at) {
    require(fields, 2, "start A", at);
    if (start != null) {
      throw at.error(
          "the start variable is already " + start + "; remove one of the \"start\" lines");
    }
    start = fields.get(1);
    unknownStart =
        at.error("the start variable " + start + " is not declared; add \"v " + start + "\"");
  }

  private void variable(List<String> fields, GrammarLines at) {
    require(fields, 2, "v A", at);
    try {
      grammar.variable(word(fields.get(1), at));
    } catch (GrammarFormatException e) {
      throw new GrammarFormatException(at.error(e.getMessage()).getMessage(), e);
    }
  }

  private int find(String variable, GrammarLines at) {
    int id = grammar.find(variable);
    if (id < 0) {
      throw at.error(
          "the variable " + variable + " is not declared; add \"v " + variable + "\" before it");
    }
    return id;
  }

  private static String word(String field, GrammarLines at) {
    if (field.isEmpty() || field.chars().anyMatch(WordIds::isSpace)) {
      throw at.error(
          "expected a symbol without white space after a single blank, found \"" + field + "\"");
    }
    return field;
  }

  private static void require(List<String> fields, int count, String form, GrammarLines at) {
    if (fields.size() != count) {
      throw at.error(
          "expected \""
              + form
              + "\", fields separated by single blanks, found "
              + fields.size()
              + " fields");
    }
  }

  /** The natural logarithm of the field after the symbols; 0 if there is none. */
  private float weight(List<String> fields, int symbols, String form, GrammarLines at) {
    if (!anyRule) {
      anyRule = true;
      weighted = fields.size() == symbols + 1;
    }
    if (!weighted) {
      require(fields, symbols, form, at);
      return 0;
    }
    require(fields, symbols + 1, form + " probability", at);
    String field = fields.get(symbols);
    double probability;
    try {
      probability = Double.parseDouble(field);
    } catch (NumberFormatException e) {
      throw new GrammarFormatException(
          at.error("expected a probability, found " + field).getMessage(), e);
    }
    if (!(probability > 0 && probability <= 1)) {
      throw at.error("expected a probability above 0 and at most 1, found " + field);
    }
    return (float) Math.log(probability);
  }
}
