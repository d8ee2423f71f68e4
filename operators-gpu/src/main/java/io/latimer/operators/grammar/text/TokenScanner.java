package io.latimer.operators.grammar.text;

import io.latimer.operators.grammar.index.GrammarFormatException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Splits the text of a grammar into tokens. */
final class TokenScanner {
  private static final String SIMPLE_ESCAPES = "nrtfv0";
  private static final String SIMPLE_ESCAPED = "\n\r\t\f\u000B\0";

  private final Path file;
  private final TokenSyntax syntax;
  private final String text;
  private final List<Token> tokens = new ArrayList<>();
  private int at;
  private long number = 1;
  private boolean first = true;
  private int end = -1; // of the last token
  private boolean joined;

  private TokenScanner(Path file, TokenSyntax syntax) {
    this.file = file;
    this.syntax = syntax;
    this.text = String.join("\n", GrammarSource.lines(file));
  }

  /**
   * Reads a file.
   *
   * @return its tokens, and one for its end
   * @throws GrammarFormatException if it has something else
   */
  static List<Token> scan(Path file, TokenSyntax syntax) {
    TokenScanner scanner = new TokenScanner(file, syntax);
    while (scanner.skip()) {
      scanner.joined = scanner.at == scanner.end;
      scanner.token();
      scanner.end = scanner.at;
    }
    scanner.add(Token.Kind.END, "");
    return scanner.tokens;
  }

  /** Skips white space and comments; returns whether anything follows. */
  private boolean skip() {
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        next();
      } else if (starts(syntax.lineComments())) {
        while (at < text.length() && text.charAt(at) != '\n') {
          at++;
        }
      } else if (!blockComment()) {
        return true;
      }
    }
    return false;
  }

  private boolean blockComment() {
    for (Map.Entry<String, String> comment : syntax.blockComments().entrySet()) {
      if (text.startsWith(comment.getKey(), at)) {
        int end = text.indexOf(comment.getValue(), at + comment.getKey().length());
        if (end < 0) {
          throw here().error("a comment is not closed by " + comment.getValue());
        }
        while (at < end + comment.getValue().length()) {
          next();
        }
        return true;
      }
    }
    return false;
  }

  private void next() {
    if (text.charAt(at++) == '\n') {
      number++;
      first = true;
    }
  }

  private boolean starts(List<String> beginnings) {
    return beginnings.stream().anyMatch(beginning -> text.startsWith(beginning, at));
  }

  private void token() {
    char c = text.charAt(at);
    if (syntax.quotes().indexOf(c) >= 0) {
      literal(c);
    } else if (syntax.patterns().containsKey(c)) {
      pattern(syntax.patterns().get(c));
    } else if (c == '<' && syntax.anglesName()) {
      int end = text.indexOf('>', at);
      if (end < 0 || text.substring(at, end).contains("\n")) {
        throw here().error("a < is not closed by > in its line");
      }
      add(Token.Kind.NAME, text.substring(at + 1, end).strip().replaceAll("\\s+", "-"));
      at = end + 1;
    } else if (isName(c)) {
      int from = at;
      while (at < text.length() && isName(text.charAt(at))) {
        at++;
      }
      String word = text.substring(from, at);
      boolean digits = word.chars().allMatch(d -> d >= '0' && d <= '9');
      add(digits ? Token.Kind.NUMBER : Token.Kind.NAME, word);
    } else {
      sign();
    }
  }

  private boolean isName(char c) {
    return Character.isLetterOrDigit(c)
        || Character.isSurrogate(c)
        || c == '_'
        || (syntax.nameSigns().indexOf(c) >= 0 && (at == 0 || isNameBefore()));
  }

  /** A sign such as a hyphen is part of a name only within it. */
  private boolean isNameBefore() {
    char before = text.charAt(at - 1);
    return Character.isLetterOrDigit(before)
        || before == '_'
        || syntax.nameSigns().indexOf(before) >= 0;
  }

  private void sign() {
    for (String sign : syntax.signs()) {
      if (text.startsWith(sign, at)) {
        add(Token.Kind.SIGN, sign);
        at += sign.length();
        return;
      }
    }
    throw here()
        .error("unexpected character " + new String(Character.toChars(text.codePointAt(at))));
  }

  /** Reads a literal; without escapes it ends at the next quote. */
  private void literal(char quote) {
    SourceLine begin = here();
    int from = at++;
    StringBuilder content = new StringBuilder();
    while (at < text.length() && text.charAt(at) != quote && text.charAt(at) != '\n') {
      if (text.charAt(at) == '\\' && syntax.escapes()) {
        at = unescape(text, at, content, begin);
      } else {
        content.append(text.charAt(at++));
      }
    }
    if (at == text.length() || text.charAt(at) != quote) {
      throw begin.error(
          "the quote of " + GrammarReader.shown(text.substring(from, at)) + " is not closed");
    }
    at++;
    add(Token.Kind.LITERAL, content.toString());
  }

  /** Appends the character that an escape stands for, and returns the position after the escape. */
  static int unescape(String text, int at, StringBuilder content, SourceLine line) {
    char c = at + 1 < text.length() ? text.charAt(at + 1) : '\n';
    int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits > 0) {
      int to = at + 2 + digits;
      String hex = to <= text.length() ? text.substring(at + 2, to) : "";
      int code = hex.matches("[0-9a-fA-F]+") ? (int) Long.parseLong(hex, 16) : -1;
      if (!Character.isValidCodePoint(code) || Character.getType(code) == Character.SURROGATE) {
        throw line.error("\\" + c + " needs " + digits + " hexadecimal digits of a character");
      }
      content.appendCodePoint(code);
      return to;
    }
    int simple = SIMPLE_ESCAPES.indexOf(c);
    if (simple < 0 && (Character.isLetterOrDigit(c) || c == '\n')) {
      throw line.error("unknown escape \\" + (c == '\n' ? "" : c));
    }
    content.append(simple < 0 ? c : SIMPLE_ESCAPED.charAt(simple));
    return at + 2;
  }

  /** Reads a pattern, in which a backslash protects the next character. */
  private void pattern(char close) {
    int from = at++;
    while (at < text.length() && text.charAt(at) != close && text.charAt(at) != '\n') {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    if (at >= text.length() || text.charAt(at) != close) {
      throw here().error("a pattern is not closed by " + close);
    }
    at++;
    add(Token.Kind.PATTERN, text.substring(from, at));
  }

  private void add(Token.Kind kind, String content) {
    tokens.add(new Token(kind, content, here(), first, joined));
    first = false;
  }

  private SourceLine here() {
    return new SourceLine(file, number);
  }
}
