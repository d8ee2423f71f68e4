package io.latimer.operators.text.markup;

import java.util.Locale;
import java.util.Set;

/**
 * One tag, comment or declaration of HTML or XML.
 *
 * @param end offset after it
 * @param name in lower case; empty for comments and declarations
 * @param kind what it is
 */
record HtmlTag(int end, String name, Kind kind) {
  enum Kind {
    OPEN,
    CLOSE,
    ALONE
  }

  /** Beyond it, a tag is text. */
  private static final int LONGEST = 8_192;

  private static final int LONGEST_NAME = 64;

  /** Elements that have no end tag (HTML Living Standard, 13.1.2). */
  private static final Set<String> VOID =
      Set.of(
          "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
          "source", "track", "wbr");

  /** Elements whose content is no text for readers. */
  private static final Set<String> RAW =
      Set.of("script", "style", "pre", "svg", "math", "template");

  /** Elements that begin a line, so that no sentence crosses their tags. */
  private static final Set<String> BLOCK =
      Set.of(
          "address",
          "article",
          "aside",
          "blockquote",
          "body",
          "br",
          "caption",
          "dd",
          "details",
          "div",
          "dl",
          "dt",
          "fieldset",
          "figcaption",
          "figure",
          "footer",
          "form",
          "h1",
          "h2",
          "h3",
          "h4",
          "h5",
          "h6",
          "head",
          "header",
          "hr",
          "html",
          "legend",
          "li",
          "main",
          "nav",
          "ol",
          "option",
          "p",
          "pre",
          "script",
          "section",
          "select",
          "style",
          "summary",
          "table",
          "tbody",
          "td",
          "tfoot",
          "th",
          "thead",
          "title",
          "tr",
          "ul");

  /**
   * The tag at a place.
   *
   * @param text with a {@code <} at that place
   * @return null if there is none
   */
  static HtmlTag at(String text, int start) {
    if (start + 2 >= text.length()) {
      return null;
    }
    char next = text.charAt(start + 1);
    if (next == '!' || next == '?') {
      return declaration(text, start);
    }
    boolean closes = next == '/';
    int from = closes ? start + 2 : start + 1;
    int to = nameEnd(text, from);
    int end = to < 0 ? -1 : tagEnd(text, to);
    if (end < 0) {
      return null;
    }
    String name = text.substring(from, to).toLowerCase(Locale.ROOT);
    if (closes) {
      return text.substring(to, end - 1).isBlank() ? new HtmlTag(end, name, Kind.CLOSE) : null;
    }
    if (text.charAt(end - 2) == '/' || VOID.contains(name)) {
      return new HtmlTag(end, name, Kind.ALONE);
    }
    int after = RAW.contains(name) ? rawEnd(text, end, name) : -1;
    return after < 0 ? new HtmlTag(end, name, Kind.OPEN) : new HtmlTag(after, name, Kind.ALONE);
  }

  /** Whether a sentence ends here. */
  boolean isBreak() {
    return BLOCK.contains(name);
  }

  private static HtmlTag declaration(String text, int start) {
    String closing =
        text.startsWith("<!--", start)
            ? "-->"
            : text.startsWith("<![CDATA[", start)
                ? "]]>"
                : text.charAt(start + 1) == '?' ? "?>" : ">";
    boolean known =
        closing.length() > 1
            || (start + 2 < text.length() && isAsciiLetter(text.charAt(start + 2)));
    int limit = Math.min(text.length(), start + LONGEST);
    int end = known ? text.substring(start, limit).indexOf(closing, 2) : -1;
    return end < 0 ? null : new HtmlTag(start + end + closing.length(), "", Kind.ALONE);
  }

  private static int nameEnd(String text, int from) {
    int at = from;
    while (at < text.length() && at - from <= LONGEST_NAME && isOfName(text.charAt(at))) {
      at++;
    }
    boolean named = at > from && isAsciiLetter(text.charAt(from)) && at - from <= LONGEST_NAME;
    return named ? at : -1;
  }

  /** After the closing bracket, which no quoted value contains; -1 if it is no tag. */
  private static int tagEnd(String text, int from) {
    char first = from < text.length() ? text.charAt(from) : 0;
    if (first != '>' && first != '/' && !Character.isWhitespace(first)) {
      return -1;
    }
    int limit = Math.min(text.length(), from + LONGEST);
    char quote = 0;
    for (int i = from; i < limit; i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if ((c == '"' || c == '\'') && text.charAt(i - 1) == '=') {
        quote = c;
      } else if (c == '>') {
        return i + 1;
      } else if (c == '<') {
        return -1;
      }
    }
    return -1;
  }

  private static int rawEnd(String text, int from, String name) {
    String closing = "</" + name;
    int limit = Math.min(text.length() - closing.length(), from + LONGEST);
    for (int i = from; i < limit; i++) {
      if (text.charAt(i) == '<' && text.regionMatches(true, i, closing, 0, closing.length())) {
        int end = text.indexOf('>', i);
        return end < 0 ? -1 : end + 1;
      }
    }
    return -1;
  }

  private static boolean isOfName(char c) {
    return isAsciiLetter(c) || (c >= '0' && c <= '9') || ":._-".indexOf(c) >= 0;
  }

  private static boolean isAsciiLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
}
