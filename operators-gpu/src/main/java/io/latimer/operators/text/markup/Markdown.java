package io.latimer.operators.text.markup;

import io.latimer.operators.text.markup.HtmlTag.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds Markdown's emphasis, links, and marks of headings, lists and quotations in lines of text
 * (after CommonMark 0.31, 6.2, 6.3). A mark without a partner, or beside letters on both sides, is
 * text: people write stars for other reasons, too.
 */
final class Markdown {
  /** The longest address of a link. */
  private static final int LONGEST_ADDRESS = 2_048;

  /** Marks that wait for their partner; beyond it the oldest are text. */
  private static final int MOST_OPEN = 32;

  private record Opener(int start, int end, String mark) {}

  private final String text;
  private final List<Piece> opaque;
  private final List<Piece> found = new ArrayList<>();
  private final List<Opener> open = new ArrayList<>();
  private int nextOpaque;
  private int pairs;
  private int lastWord = -1; // where the last letter outside of tags is

  private Markdown(String text, List<Piece> opaque) {
    this.text = text;
    this.opaque = opaque;
  }

  /**
   * Finds it.
   *
   * @param opaque ranges in which nothing is found, in order
   */
  static List<Piece> find(String text, List<Piece> opaque) {
    Markdown markdown = new Markdown(text, opaque);
    markdown.scan();
    return markdown.found;
  }

  private void scan() {
    boolean lineStart = true;
    for (int at = 0; at < text.length(); ) {
      int after = afterOpaque(at);
      if (after > at) {
        lastWord = opaque.get(nextOpaque).isKept() ? after - 1 : lastWord;
        at = after;
        lineStart = false;
        continue;
      }
      char c = text.charAt(at);
      if (c == '\n' || c == '\r') {
        open.clear();
        lineStart = true;
        at++;
      } else if (lineStart && prefixEnd(at) > at) {
        int end = prefixEnd(at);
        found.add(Piece.markdown(at, end, Kind.ALONE, ""));
        at = end;
      } else {
        lineStart &= Character.isWhitespace(c);
        boolean ofWord = Character.isLetterOrDigit(c) || Character.isSurrogate(c);
        lastWord = ofWord ? at : lastWord;
        at = mark(at, c);
      }
    }
  }

  private int afterOpaque(int at) {
    while (nextOpaque < opaque.size() && opaque.get(nextOpaque).end() <= at) {
      nextOpaque++;
    }
    boolean inside = nextOpaque < opaque.size() && opaque.get(nextOpaque).start() <= at;
    return inside ? opaque.get(nextOpaque).end() : at;
  }

  /** The end of the mark of a heading, an item or a quotation at a line's start. */
  private int prefixEnd(int at) {
    char c = text.charAt(at);
    int end = at + 1;
    if (c == '#') {
      while (end < text.length() && end - at < 7 && text.charAt(end) == '#') {
        end++;
      }
      return end - at < 7 && isSpace(end) ? end : at;
    }
    if ("-*+>".indexOf(c) < 0 || !isSpace(end)) {
      return at;
    }
    boolean box = c != '>' && end + 4 < text.length() && text.charAt(end + 1) == '[';
    boolean boxed = box && "xX ".indexOf(text.charAt(end + 2)) >= 0 && text.charAt(end + 3) == ']';
    return boxed && isSpace(end + 4) ? end + 4 : end;
  }

  private boolean isSpace(int at) {
    return at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t');
  }

  private int mark(int at, char c) {
    return switch (c) {
      case '\\' -> at + 2;
      case '[' -> {
        boolean image = at > 0 && text.charAt(at - 1) == '!';
        push(new Opener(image ? at - 1 : at, at + 1, "["));
        yield at + 1;
      }
      case ']' -> link(at);
      case '*', '_', '~' -> emphasis(at, c);
      default -> at + 1;
    };
  }

  private int link(int at) {
    int end = at + 1 < text.length() ? addressEnd(at + 1) : -1;
    if (end < 0 || !isAddress(end)) {
      forgetBracket();
      return at + 1;
    }
    close("[", at, end);
    return end;
  }

  /** Whether a link's address has no tags; what would be kept in it, or begin there, is passed. */
  private boolean isAddress(int end) {
    int next = nextOpaque;
    while (next < opaque.size() && opaque.get(next).start() < end) {
      if (!opaque.get(next++).isKept()) {
        return false;
      }
    }
    nextOpaque = next;
    return true;
  }

  private void forgetBracket() {
    for (int i = open.size() - 1; i >= 0; i--) {
      if (open.get(i).mark().equals("[")) {
        open.remove(i);
        return;
      }
    }
  }

  /** After the address of a link, or the name of one that is elsewhere; -1 if there is none. */
  private int addressEnd(int from) {
    char opening = text.charAt(from);
    if (opening != '(' && opening != '[') {
      return -1;
    }
    char closing = opening == '(' ? ')' : ']';
    int limit = Math.min(text.length(), from + LONGEST_ADDRESS);
    int depth = 0;
    for (int i = from; i < limit && text.charAt(i) != '\n'; i++) {
      char c = text.charAt(i);
      depth += c == opening ? 1 : c == closing ? -1 : 0;
      if (depth == 0) {
        return i + 1;
      }
    }
    return -1;
  }

  private int emphasis(int at, char c) {
    int end = at + 1;
    while (end < text.length() && text.charAt(end) == c) {
      end++;
    }
    int length = end - at;
    if (c == '~' ? length != 2 : length > 3) {
      return end;
    }
    int before = at == 0 ? ' ' : text.codePointBefore(at);
    int after = end == text.length() ? ' ' : text.codePointAt(end);
    String mark = text.substring(at, end);
    boolean closed =
        !Character.isWhitespace(before)
            && !Character.isLetterOrDigit(after)
            && close(mark, at, end);
    if (!closed && !Character.isWhitespace(after) && !Character.isLetterOrDigit(before)) {
      push(new Opener(at, end, mark));
    }
    return end;
  }

  private void push(Opener opener) {
    if (open.size() == MOST_OPEN) {
      open.remove(0);
    }
    open.add(opener);
  }

  /** Closes the last mark of a kind, if there is one with a word after it. */
  private boolean close(String mark, int start, int end) {
    for (int i = open.size() - 1; i >= 0; i--) {
      Opener opener = open.get(i);
      if (opener.mark().equals(mark)) {
        open.subList(i, open.size()).clear();
        if (lastWord < opener.end()) {
          return false;
        }
        String name = "markdown " + pairs++;
        found.add(Piece.markdown(opener.start(), opener.end(), Kind.OPEN, name));
        found.add(Piece.markdown(start, end, Kind.CLOSE, name));
        return true;
      }
    }
    return false;
  }
}
