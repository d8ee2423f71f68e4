package io.latimer.operators.grammar.text;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the grammars of Lark as far as they are context-free rules over words. A literal in a rule
 * is one or several words; white space separates them even without {@code %ignore}.
 *
 * <table>
 * <caption>What is read</caption>
 * <tr><td>{@code a: b "c" | d}</td><td>a rule; the next begins a line. {@code ?a}, {@code !a},
 *     priorities {@code a.2} and aliases {@code -> name} do not change the language</td></tr>
 * <tr><td>{@code "x y"}, {@code "x"i}</td><td>words; with {@code i} in any case</td></tr>
 * <tr><td>{@code ( )}, {@code [ ]}, {@code ? * +}, {@code ~3}, {@code ~1..3}</td><td>groups and
 *     repetitions</td></tr>
 * <tr><td>{@code WIND: "wind" | "gust" "s"?}</td><td>a terminal: all of its texts, with
 *     adjacent items joined without a space; at most {@value WordSets#MOST}</td></tr>
 * <tr><td>{@code %ignore}, {@code %import}</td><td>allowed, if no rule has the imported
 *     terminal</td></tr>
 * <tr><td>{@code /regexp/}, {@code +} and {@code *} in terminals, templates, {@code %declare},
 *     {@code %override}, {@code %extend}, imported terminals in rules</td><td>refused: they stand
 *     for texts that cannot be listed</td></tr>
 * </table>
 *
 * <p>The start symbol is {@code start}.
 */
final class LarkReader extends ExpressionReader {
  private static final TokenSyntax SYNTAX =
      new TokenSyntax(
          List.of("//", "#"),
          Map.of(),
          "\"",
          true,
          Map.of('/', '/'),
          "",
          false,
          List.of(
              "->", "..", "|", ":", "(", ")", "[", "]", "{", "}", "*", "+", "?", "~", ".", ",", "!",
              "%", "-"));
  private static final List<String> MODIFIERS = List.of("?", "!");
  private static final List<String> ENDS = List.of("|", ")", "]", "}", "->");

  private final LarkTerminals terminals = new LarkTerminals();
  private final Set<String> withRules = new HashSet<>(); // terminals
  private boolean anyRule;

  @Override
  public void read(Path file) {
    List<List<Token>> rules = new ArrayList<>();
    for (List<Token> statement : statements(TokenScanner.scan(file, SYNTAX))) {
      Token name = statement.get(0);
      if (name.is("%")) {
        directive(statement);
      } else if (name.kind() == Token.Kind.NAME && LarkTerminals.isTerminal(name.text())) {
        terminals.define(name, statement);
      } else {
        rules.add(statement);
      }
    }
    rules.forEach(this::rule);
  }

  @Override
  public ContextFreeGrammar finish(String start, String files) {
    return grammar.build(GrammarReader.start(start, anyRule ? "start" : null, files), files);
  }

  /**
   * Splits into statements: a line starts one unless it starts with a bar or is inside brackets.
   */
  private static List<List<Token>> statements(List<Token> tokens) {
    List<List<Token>> statements = new ArrayList<>();
    int nested = 0;
    for (Token token : tokens) {
      if (token.kind() == Token.Kind.END) {
        statements.forEach(statement -> statement.add(token));
        break;
      }
      if (statements.isEmpty() || (token.first() && nested <= 0 && !token.is("|"))) {
        statements.add(new ArrayList<>());
      }
      nested += token.is("(") || token.is("[") ? 1 : token.is(")") || token.is("]") ? -1 : 0;
      statements.get(statements.size() - 1).add(token);
    }
    return statements;
  }

  private void directive(List<Token> statement) {
    Token percent = statement.get(0);
    String name = statement.get(1).text();
    switch (name) {
      case "ignore" -> {} // words have no white space or comments between them
      case "import" -> terminals.importNames(statement);
      default ->
          throw percent
              .line()
              .error("%" + name + " is not supported; write the rules or terminals out");
    }
  }

  private void rule(List<Token> statement) {
    begin(statement);
    while (tokens().acceptAny(MODIFIERS)) {
      // they shape the tree, not the language
    }
    Token name = tokens().expectName();
    anyRule = true;
    define(name);
    requireNoTemplate(name);
    if (tokens().accept(".")) {
      tokens().accept("-");
      tokens().expectNumber();
    }
    tokens().expect(":");
    readRules(name);
    if (!tokens().ended()) {
      Token found = tokens().token();
      throw found.line().error("expected the end of the rule, found " + found.shown());
    }
  }

  private void requireNoTemplate(Token name) {
    if (tokens().token().is("{")) {
      throw name.line()
          .error("the template " + name.text() + " is not supported; write its rules out");
    }
  }

  @Override
  boolean endsSequence(boolean nested) {
    return tokens().ended() || tokens().isAny(ENDS);
  }

  @Override
  void endAlternative() {
    if (tokens().accept("->")) {
      tokens().expectName();
    }
  }

  @Override
  int[] item(String of) {
    Token token = tokens().take();
    SourceLine line = token.line();
    return switch (token.kind()) {
      case NAME -> {
        requireNoTemplate(token);
        yield new int[] {
          LarkTerminals.isTerminal(token.text()) ? terminal(token) : variable(token)
        };
      }
      case LITERAL -> {
        Set<String> texts = LarkTerminals.texts(token, tokens());
        yield texts.size() == 1
            ? literal(texts.iterator().next())
            : part(of, line, sequences(texts));
      }
      case PATTERN -> throw LarkTerminals.pattern(token);
      default -> {
        if (token.is("(")) {
          yield group(of, ")", line);
        } else if (token.is("[")) {
          yield optional(group(of, "]", line), of, line);
        }
        throw line.error("expected an item of a rule, found " + token.shown());
      }
    };
  }

  @Override
  int[] repeated(int[] item, String of, SourceLine line) {
    int[] marked = marked(item, of, line);
    if (marked != null) {
      return marked;
    } else if (tokens().accept("~")) {
      int least = tokens().expectNumber();
      int most = tokens().accept("..") ? tokens().expectNumber() : least;
      return repeat(item, least, most, of, line);
    }
    return item;
  }

  private int variable(Token name) {
    if (terminals.isImported(name.text())) {
      throw name.line()
          .error("the rule " + name.text() + " is imported, which is not supported; write it here");
    }
    return grammar.variable(name.text(), name.line());
  }

  /** The variable of a terminal, with a rule for each of its texts. */
  private int terminal(Token name) {
    if (withRules.add(name.text())) {
      Set<String> texts = terminals.texts(name);
      addRules(name.text(), terminals.line(name.text()), sequences(texts));
    }
    return grammar.variable(name.text(), name.line());
  }

  private List<int[]> sequences(Set<String> texts) {
    return texts.stream().map(this::literal).toList();
  }
}
