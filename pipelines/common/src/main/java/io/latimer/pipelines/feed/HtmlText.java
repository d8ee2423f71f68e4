package io.latimer.pipelines.feed;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The text of HTML: without tags, comments, scripts and styles, with character references resolved.
 * Block elements and line breaks end a line; other white space is one space. Never fails.
 */
final class HtmlText {
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

  /** The names of U+00A0 to U+00FF, in order. */
  private static final List<String> LATIN =
      Arrays.asList(
          ("nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg"
                  + " plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12"
                  + " frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute"
                  + " Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml"
                  + " times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc"
                  + " atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc"
                  + " iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute"
                  + " ucirc uuml yacute thorn yuml")
              .split(" "));

  private static final Map<String, Integer> NAMES = names();

  private static final int LONGEST_REFERENCE = 12;

  private final String html;
  private final StringBuilder text = new StringBuilder();
  private int at;
  private boolean space;
  private boolean line;

  private HtmlText(String html) {
    this.html = html;
  }

  private static Map<String, Integer> names() {
    Map<String, Integer> names = new HashMap<>();
    for (int i = 0; i < LATIN.size(); i++) {
      names.put(LATIN.get(i), 0xa0 + i);
    }
    names.putAll(
        Map.of(
            "amp", 0x26, "lt", 0x3c, "gt", 0x3e, "quot", 0x22, "apos", 0x27, "euro", 0x20ac,
            "hellip", 0x2026, "mdash", 0x2014, "ndash", 0x2013, "bull", 0x2022));
    names.putAll(
        Map.of(
            "lsquo", 0x2018, "rsquo", 0x2019, "sbquo", 0x201a, "ldquo", 0x201c, "rdquo", 0x201d,
            "bdquo", 0x201e, "trade", 0x2122, "minus", 0x2212, "lsaquo", 0x2039, "rsaquo", 0x203a));
    return names;
  }

  /** The text of a piece of HTML; lines are separated by line feeds. */
  static String of(String html) {
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

  /** Behind the tag's end; a {@code >} in a quoted attribute is none. */
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
    int last = Math.min(html.length(), at + LONGEST_REFERENCE);
    int end = at;
    while (end < last && html.charAt(end) != ';') {
      end++;
    }
    int code = end < last ? code(html.substring(at + 1, end)) : -1;
    if (code < 0) {
      add('&');
      at++;
      return;
    }
    for (char c : Character.toChars(code)) {
      add(c);
    }
    at = end + 1;
  }

  /** The code point of a character reference; -1 if there is none. */
  private static int code(String name) {
    int code;
    if (name.matches("#[0-9]{1,7}")) {
      code = Integer.parseInt(name.substring(1));
    } else if (name.matches("#[xX][0-9a-fA-F]{1,6}")) {
      code = Integer.parseInt(name.substring(2), 16);
    } else {
      return NAMES.getOrDefault(name, -1);
    }
    boolean valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return valid ? code : 0xfffd;
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
