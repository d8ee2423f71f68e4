package io.latimer.pipelines.feed.text;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;

/**
 * The text of HTML: without tags, comments, scripts and styles, with character references resolved.
 * Block elements and line breaks end a line; other white space is one space. Never fails.
 */
public final class HtmlText {
  private static final Set<String> HIDDEN = Set.of("script", "style", "template", "noscript");
  private static final Set<String> BLOCKS =
      Set.of(
          "address",
          "article",
          "aside",
          "blockquote",
          "br",
          "dd",
          "div",
          "dl",
          "dt",
          "figcaption",
          "figure",
          "footer",
          "h1",
          "h2",
          "h3",
          "h4",
          "h5",
          "h6",
          "header",
          "hr",
          "li",
          "main",
          "nav",
          "ol",
          "p",
          "pre",
          "section",
          "table",
          "td",
          "th",
          "tr",
          "ul");

  private final String html;
  private final Matcher references;
  private final StringBuilder text = new StringBuilder();
  private int at;
  private boolean space;
  private boolean line;

  private HtmlText(String html) {
    this.html = html;
    this.references = HtmlReferences.matcher(html);
  }

  /** The text of a piece of HTML; lines are separated by line feeds. */
  public static String of(String html) {
    HtmlText parser = new HtmlText(html);
    parser.run();
    return parser.text.toString();
  }

  private void run() {
    while (at < html.length()) {
      char c = html.charAt(at);
      if (c == '<' && isTag()) {
        tag();
      } else if (c == '&') {
        reference();
      } else {
        add(c);
        at++;
      }
    }
  }

  private boolean isTag() {
    char next = at + 1 < html.length() ? html.charAt(at + 1) : ' ';
    return next == '/' || next == '!' || next == '?' || isLetter(next);
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private void tag() {
    if (html.startsWith("<!--", at)) {
      int end = html.indexOf("-->", at + 4);
      at = end < 0 ? html.length() : end + 3;
      return;
    }
    int from = at + (html.charAt(at + 1) == '/' ? 2 : 1);
    int to = from;
    while (to < html.length() && (isLetter(html.charAt(to)) || isDigit(html.charAt(to)))) {
      to++;
    }
    String name = html.substring(from, to).toLowerCase(Locale.ROOT);
    boolean opens = html.charAt(at + 1) != '/';
    at = endOfTag(to);
    line |= BLOCKS.contains(name);
    if (opens && HIDDEN.contains(name)) {
      skipTo("</" + name);
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** The position after the tag; a {@code >} in a quoted attribute does not end it. */
  private int endOfTag(int from) {
    char quote = 0;
    for (int i = from; i < html.length(); i++) {
      char c = html.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '>') {
        return i + 1;
      } else if ((c == '"' || c == '\'') && html.charAt(i - 1) == '=') {
        quote = c;
      }
    }
    return html.length();
  }

  private void skipTo(String end) {
    while (at < html.length() && !html.regionMatches(true, at, end, 0, end.length())) {
      at++;
    }
  }

  private void reference() {
    if (!references.region(at, html.length()).lookingAt()) {
      add('&');
      at++;
      return;
    }
    String text = HtmlReferences.text(references);
    for (int i = 0; i < text.length(); i++) {
      add(text.charAt(i));
    }
    at = references.end();
  }

  private void add(char c) {
    if (c <= ' ' || c == '\u00a0' || c == '\u0085' || c == '\u2028' || c == '\u2029') {
      space = true;
      return;
    }
    if (text.length() > 0) {
      if (line) {
        text.append('\n');
      } else if (space) {
        text.append(' ');
      }
    }
    line = false;
    space = false;
    text.append(c);
  }
}
