package io.latimer.operators.grammar.text;

/**
 * A token of a grammar's text.
 *
 * @param kind what it is
 * @param text the name, the unescaped literal, the pattern with its delimiters, or the sign
 * @param line where it begins
 * @param first whether it is the first of its line
 * @param joined whether nothing is between it and the token before
 */
record Token(Kind kind, String text, SourceLine line, boolean first, boolean joined) {
  /** What a token is. */
  enum Kind {
    NAME,
    LITERAL,
    PATTERN,
    NUMBER,
    SIGN,
    END
  }

  boolean is(String sign) {
    return kind == Kind.SIGN && text.equals(sign);
  }

  /** The token for a message. */
  String shown() {
    return kind == Kind.END
        ? "the end of the file"
        : kind == Kind.LITERAL
            ? "\"" + GrammarReader.shown(text) + "\""
            : GrammarReader.shown(text);
  }
}
