package io.latimer.operators.grammar.text;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Reads grammars in extended Backus-Naur form with quoted terminals, as in ISO 14977, W3C
 * specifications and most other texts: {@code message = [ "warning" ] place { "," place } ;}.
 *
 * <table>
 * <caption>What is read</caption>
 * <tr><td>{@code a = ... ;}</td><td>a rule; {@code ::=} and {@code :=} for {@code =}; it ends with
 *     {@code ;} or {@code .}, or where the next begins</td></tr>
 * <tr><td>{@code <a b>}</td><td>the name {@code a-b}</td></tr>
 * <tr><td>{@code 'x'}, {@code "x y"}</td><td>a terminal; with spaces it is several words, without
 *     characters it is the empty sentence; a backslash has no meaning</td></tr>
 * <tr><td>{@code |}, {@code ,}</td><td>alternatives; a comma between items may be left out</td></tr>
 * <tr><td>{@code ( )}, {@code [ ]}, {@code { }}</td><td>a group, an optional group, any
 *     number of times</td></tr>
 * <tr><td>{@code a? a* a+}</td><td>optional, any number of times, at least once</td></tr>
 * <tr><td>{@code 3 * a}</td><td>that many times</td></tr>
 * <tr><td>{@code # //}, {@code (* *)}, {@code /* *}{@code /}</td><td>comments</td></tr>
 * <tr><td>{@code a - b}, {@code ? text ?}, {@code "a".."z"}</td><td>refused: exceptions, special
 *     sequences and ranges are not rules over words</td></tr>
 * </table>
 *
 * <p>The start symbol is that of the first rule.
 */
final class EbnfReader extends ExpressionReader {
  private static final TokenSyntax SYNTAX =
      new TokenSyntax(
          List.of("#", "//"),
          Map.of("(*", "*)", "/*", "*/"),
          "'\"",
          false,
          Map.of(),
          "-",
          true,
          List.of(
              "::=", ":=", "=", "..", "|", ",", ";", ".", "(", ")", "[", "]", "{", "}", "*", "+",
              "?", "-"));
  private static final List<String> DEFINES = List.of("::=", ":=", "=");
  private static final List<String> RULE_ENDS = List.of(";", ".");
  private static final List<String> ENDS = List.of("|", ")", "]", "}", ";", ".");

  private static final int TOO_OFTEN = 1000;

  private String first;

  @Override
  public void read(Path file) {
    begin(TokenScanner.scan(file, SYNTAX));
    while (!tokens().ended()) {
      Token name = tokens().expectName();
      if (!tokens().acceptAny(DEFINES)) {
        Token found = tokens().token();
        throw found.line().error("expected = after " + name.text() + ", found " + found.shown());
      }
      first = first == null ? name.text() : first;
      readRules(name);
      tokens().acceptAny(RULE_ENDS);
    }
  }

  @Override
  public ContextFreeGrammar finish(String start, String files) {
    return grammar.build(GrammarReader.start(start, first, files), files);
  }

  @Override
  boolean endsSequence(boolean nested) {
    boolean next =
        !nested
            && tokens().token().kind() == Token.Kind.NAME
            && DEFINES.stream().anyMatch(tokens().second()::is);
    return next || tokens().ended() || tokens().isAny(ENDS);
  }

  @Override
  int[] item(String of) {
    tokens().accept(",");
    Token token = tokens().take();
    SourceLine line = token.line();
    return switch (token.kind()) {
      case NAME -> new int[] {grammar.variable(token.text(), line)};
      case LITERAL -> {
        if (tokens().token().is("..")) {
          throw line.error(
              "the range " + token.shown() + " .. is no rule over words; write the words out");
        }
        yield literal(token.text());
      }
      case NUMBER -> counted(token, of);
      default -> bracketed(token, of);
    };
  }

  /** Reads what follows a number. */
  private int[] counted(Token number, String of) {
    tokens().expect("*");
    if (tokens().token().kind() == Token.Kind.NUMBER) {
      throw number.line().error("expected an item after " + number.text() + " *, not a number");
    }
    int times = number.text().length() > 3 ? TOO_OFTEN : Integer.parseInt(number.text());
    return repeat(item(of), times, times, of, number.line());
  }

  private int[] bracketed(Token token, String of) {
    SourceLine line = token.line();
    if (token.is("(")) {
      return group(of, ")", line);
    } else if (token.is("[")) {
      return optional(group(of, "]", line), of, line);
    } else if (token.is("{")) {
      return repeat(group(of, "}", line), 0, UNLIMITED, of, line);
    } else if (token.is("-")) {
      throw line.error("an exception (-) is not context-free; write a rule without it");
    } else if (token.is("?")) {
      throw line.error("a special sequence (? ... ?) has no meaning here; write a rule for it");
    }
    throw line.error("expected an item of a rule, found " + token.shown());
  }

  @Override
  int[] repeated(int[] item, String of, SourceLine line) {
    int[] all = item;
    for (int[] next = item; next != null; next = marked(all, of, line)) {
      all = next;
    }
    return all;
  }
}
