package io.latimer.operators.grammar.text;

import java.util.List;

/** Goes through tokens; the last is one of kind END. */
final class TokenCursor {
  private static final int MOST_DIGITS = 9;

  private final List<Token> tokens;
  private int at;

  TokenCursor(List<Token> tokens) {
    this.tokens = tokens;
  }

  /** The next token; that of the end stays. */
  Token token() {
    return tokens.get(at);
  }

  /** The token after the next. */
  Token second() {
    return tokens.get(Math.min(at + 1, tokens.size() - 1));
  }

  boolean ended() {
    return token().kind() == Token.Kind.END;
  }

  Token take() {
    Token token = token();
    at += ended() ? 0 : 1;
    return token;
  }

  /** Takes the next token if it is a sign. */
  boolean accept(String sign) {
    boolean found = token().is(sign);
    if (found) {
      take();
    }
    return found;
  }

  /** Takes the next token if it is one of these signs. */
  boolean acceptAny(List<String> signs) {
    return signs.stream().anyMatch(this::accept);
  }

  /** Whether the next token is one of these signs. */
  boolean isAny(List<String> signs) {
    return signs.stream().anyMatch(token()::is);
  }

  void expect(String sign) {
    if (!accept(sign)) {
      throw token().line().error("expected " + sign + ", found " + token().shown());
    }
  }

  /** Takes the sign that closes a group. */
  void expectClose(String close, SourceLine opened) {
    if (!accept(close)) {
      throw token()
          .line()
          .error(
              "expected "
                  + close
                  + " of the group that line "
                  + opened.number()
                  + " opens, found "
                  + token().shown());
    }
  }

  Token expectName() {
    if (token().kind() != Token.Kind.NAME) {
      throw token().line().error("expected a name, found " + token().shown());
    }
    return take();
  }

  int expectNumber() {
    Token number = take();
    if (number.kind() != Token.Kind.NUMBER || number.text().length() > MOST_DIGITS) {
      throw number.line().error("expected a number, found " + number.shown());
    }
    return Integer.parseInt(number.text());
  }
}
