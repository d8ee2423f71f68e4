package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The terminals of a Lark grammar: what each defines, as a finite set of texts. */
final class LarkTerminals {
  private static final String CASELESS = "i";

  /** Maximum nesting of groups and of terminals in terminals: evaluation recurses for each. */
  private static final int MOST_DEPTH = 200;

  private final Map<String, Token> names = new HashMap<>();
  private final Map<String, List<Token>> definitions = new HashMap<>();
  private final Map<String, Set<String>> evaluated = new HashMap<>();
  private final Set<String> inEvaluation = new HashSet<>();
  private final Set<String> imported = new HashSet<>();
  private int depth;

  /** Whether a name is that of a terminal: in upper case. */
  static boolean isTerminal(String name) {
    return name.chars().anyMatch(Character::isUpperCase)
        && name.chars().noneMatch(Character::isLowerCase);
  }

  /** Takes a definition, to be evaluated when a rule has the terminal. */
  void define(Token name, List<Token> definition) {
    Token before = names.putIfAbsent(name.text(), name);
    if (before != null) {
      throw name.line()
          .error("the terminal " + name.text() + " is already defined in " + before.line());
    }
    definitions.put(name.text(), definition);
  }

  /** Takes the names that an import makes known: those in brackets, or else the last. */
  void importNames(List<Token> statement) {
    List<String> found = new ArrayList<>();
    for (Token token : statement.subList(2, statement.size())) {
      if (token.is("(")) {
        found.clear();
      } else if (token.kind() == Token.Kind.NAME) {
        found.add(token.text());
      }
    }
    boolean brackets = statement.stream().anyMatch(token -> token.is("("));
    imported.addAll(
        found.subList(brackets || found.isEmpty() ? 0 : found.size() - 1, found.size()));
  }

  boolean isImported(String name) {
    return imported.contains(name);
  }

  /** Where a terminal is defined. */
  SourceLine line(String terminal) {
    return names.get(terminal).line();
  }

  /**
   * The texts of a terminal.
   *
   * @param use where a rule or another terminal has it
   * @throws GrammarFormatException if they cannot be listed
   */
  Set<String> texts(Token use) {
    Set<String> known = evaluated.get(use.text());
    if (known != null) {
      return known;
    }
    String name = use.text();
    List<Token> definition = definitions.get(name);
    if (definition == null) {
      throw use.line()
          .error(
              isImported(name)
                  ? "the terminal "
                      + name
                      + " is imported and stands for texts that cannot be listed; define it with"
                      + " literals"
                  : "the terminal " + name + " is not defined; add " + name + ": and its words");
    }
    if (!inEvaluation.add(name)) {
      throw use.line().error("the terminal " + name + " contains itself; make it a rule");
    }
    TokenCursor tokens = new TokenCursor(definition);
    tokens.take();
    if (tokens.accept(".")) {
      tokens.accept("-");
      tokens.expectNumber();
    }
    tokens.expect(":");
    Set<String> texts = alternatives(tokens);
    if (!tokens.ended()) {
      Token found = tokens.token();
      throw found.line().error("expected the end of the terminal, found " + found.shown());
    }
    inEvaluation.remove(name);
    evaluated.put(name, texts);
    return texts;
  }

  private Set<String> alternatives(TokenCursor tokens) {
    SourceLine line = tokens.token().line();
    if (++depth > MOST_DEPTH) {
      throw line.error("more than " + MOST_DEPTH + " groups and terminals in each other");
    }
    List<Set<String>> all = new ArrayList<>();
    do {
      Set<String> texts = Set.of("");
      while (!tokens.ended() && !tokens.token().is("|") && !closes(tokens.token())) {
        texts = WordSets.product(texts, repeated(item(tokens), tokens, line), line);
      }
      all.add(texts);
    } while (tokens.accept("|"));
    depth--;
    return WordSets.union(all, line);
  }

  private static boolean closes(Token token) {
    return token.is(")") || token.is("]");
  }

  private Set<String> item(TokenCursor tokens) {
    Token token = tokens.take();
    SourceLine line = token.line();
    return switch (token.kind()) {
      case NAME -> {
        if (!isTerminal(token.text())) {
          throw line.error("a terminal cannot have the rule " + token.text());
        }
        yield texts(token);
      }
      case LITERAL -> texts(token, tokens);
      case PATTERN -> throw pattern(token);
      default -> {
        boolean optional = token.is("[");
        if (!optional && !token.is("(")) {
          throw line.error("expected an item of a terminal, found " + token.shown());
        }
        Set<String> texts = alternatives(tokens);
        tokens.expectClose(optional ? "]" : ")", line);
        yield optional ? WordSets.union(List.of(Set.of(""), texts), line) : texts;
      }
    };
  }

  private static Set<String> repeated(Set<String> texts, TokenCursor tokens, SourceLine line) {
    if (tokens.accept("?")) {
      return WordSets.union(List.of(Set.of(""), texts), line);
    } else if (tokens.token().is("*") || tokens.token().is("+")) {
      throw line.error(
          "a terminal with "
              + tokens.token().text()
              + " stands for texts that cannot be listed; write a rule of words, or the words");
    } else if (!tokens.accept("~")) {
      return texts;
    }
    int least = tokens.expectNumber();
    int most = tokens.accept("..") ? tokens.expectNumber() : least;
    return WordSets.power(texts, least, most, line);
  }

  /** The texts of a literal, whose flag or range may follow. */
  static Set<String> texts(Token literal, TokenCursor tokens) {
    Token flag = tokens.token();
    if (flag.kind() == Token.Kind.NAME && flag.joined()) {
      if (!flag.text().equals(CASELESS)) {
        throw flag.line().error("the flag " + flag.text() + " of a literal is not supported");
      }
      tokens.take();
      return WordSets.anyCase(literal.text(), literal.line());
    }
    if (tokens.accept("..")) {
      return WordSets.range(literal.text(), tokens.take().text(), literal.line());
    }
    return Set.of(literal.text());
  }

  /** An error at a regular expression. */
  static GrammarFormatException pattern(Token token) {
    return token
        .line()
        .error(
            "the regular expression "
                + token.shown()
                + " stands for texts that cannot be listed; write the words as literals");
  }
}
