package io.latimer.operators.text.markup;

import io.latimer.operators.text.markup.HtmlTag.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A text without its markup, and the markup.
 *
 * <p>Markup is tags, comments and declarations of HTML and XML, and Markdown's emphasis, links,
 * headings, lists, quotations and blocks of code. Pairs of tags form a tree: a tag that would cross
 * another pair stands alone.
 */
public final class Markup {
  /** Tags nested more deeply stand alone. */
  private static final int DEEPEST = 64;

  private static final String FIRST = "<&*_~[`";
  private static final String FIRST_OF_LINE = "#>-+*`";

  private final String plain;
  private final List<Tag> tags;
  private final int[] breaks;

  private Markup(String plain, List<Tag> tags, int[] breaks) {
    this.plain = plain;
    this.tags = List.copyOf(tags);
    this.breaks = breaks;
  }

  /** A range that is text, whatever it looks like. */
  public record Range(int start, int end) {}

  /** A text of which everything is plain. */
  public static Markup none(String text) {
    return new Markup(text, List.of(), new int[0]);
  }

  /** Whether a text may contain markup: a look at each character. */
  public static boolean isPossible(String text) {
    boolean lineStart = true;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80 && (FIRST.indexOf(c) >= 0 || (lineStart && FIRST_OF_LINE.indexOf(c) >= 0))) {
        return true;
      }
      lineStart = c == '\n' || c == '\r' || (lineStart && Character.isWhitespace(c));
    }
    return false;
  }

  /**
   * Finds the markup of a text, in time that grows with its length.
   *
   * @param kept ranges that are no markup unless they are inside a tag, in order
   */
  public static Markup of(String text, List<Range> kept) {
    List<Piece> opaque = new ArrayList<>();
    List<Piece> pieces = html(text, kept, opaque);
    pieces.addAll(Markdown.find(text, opaque));
    if (pieces.isEmpty()) {
      return none(text);
    }
    pieces.sort(Comparator.comparingInt(Piece::start));
    return without(text, pieces);
  }

  /**
   * Finds tags, entities and blocks of code.
   *
   * @param opaque receives these and the kept ranges, in order
   */
  private static List<Piece> html(String text, List<Range> kept, List<Piece> opaque) {
    List<Piece> found = new ArrayList<>();
    int nextKept = 0;
    for (int at = 0; at < text.length(); ) {
      while (nextKept < kept.size() && kept.get(nextKept).start() < at) {
        nextKept++;
      }
      Piece piece = pieceAt(text, at);
      boolean entity = text.charAt(at) == '&' && piece != null;
      if (nextKept < kept.size() && kept.get(nextKept).start() == at && !entity) {
        int end = kept.get(nextKept).end();
        opaque.add(Piece.kept(at, end));
        at = end;
        continue;
      }
      if (piece != null) {
        found.add(piece);
        opaque.add(piece);
      }
      at = piece == null ? at + 1 : piece.end();
    }
    return found;
  }

  private static Piece pieceAt(String text, int at) {
    char c = text.charAt(at);
    if (c == '<') {
      HtmlTag tag = HtmlTag.at(text, at);
      return tag == null ? null : Piece.of(at, tag);
    }
    if (c == '&') {
      return WordEntity.at(text, at);
    }
    boolean fence = c == '`' && text.startsWith("```", at) && isLineStart(text, at);
    int end = fence ? text.indexOf("\n```", at + 3) : -1;
    return end < 0 ? null : Piece.block(at, end + 4);
  }

  private static boolean isLineStart(String text, int at) {
    return at == 0 || text.charAt(at - 1) == '\n';
  }

  private static Markup without(String text, List<Piece> pieces) {
    int[] partners = partners(pieces);
    StringBuilder plain = new StringBuilder(text.length());
    List<Tag> tags = new ArrayList<>();
    int[] breaks = new int[pieces.size()];
    int count = 0;
    int from = 0;
    for (int i = 0; i < partners.length; i++) {
      Piece piece = pieces.get(i);
      plain.append(text, from, piece.start());
      if (piece.ends()) {
        breaks[count++] = plain.length();
      }
      String literal = text.substring(piece.start(), piece.end());
      int length = piece.replacement().length();
      tags.add(new Tag(plain.length(), literal, length, partners[i], partners[i] > i));
      plain.append(piece.replacement());
      from = piece.end();
    }
    plain.append(text, from, text.length());
    return new Markup(plain.toString(), tags, Arrays.copyOf(breaks, count));
  }

  /** The partner of each piece; -1 for none. Pairs do not cross. */
  private static int[] partners(List<Piece> pieces) {
    int[] partners = new int[pieces.size()];
    Arrays.fill(partners, -1);
    Deque<Integer> open = new ArrayDeque<>();
    Map<String, Integer> waiting = new HashMap<>();
    for (int i = 0; i < partners.length; i++) {
      Piece piece = pieces.get(i);
      if (piece.kind() == Kind.OPEN && open.size() < DEEPEST) {
        open.push(i);
        waiting.merge(piece.name(), 1, Integer::sum);
      } else if (piece.kind() == Kind.CLOSE && waiting.getOrDefault(piece.name(), 0) > 0) {
        int opener;
        do {
          opener = open.pop();
          waiting.merge(pieces.get(opener).name(), -1, Integer::sum);
        } while (!pieces.get(opener).name().equals(piece.name()));
        partners[opener] = i;
        partners[i] = opener;
      }
    }
    return partners;
  }

  /** The text without markup. */
  public String plain() {
    return plain;
  }

  /** What was left out, in order. */
  public List<Tag> tags() {
    return tags;
  }

  /** Offsets in the plain text at which a sentence ends, in order. */
  public int[] breaks() {
    return breaks.clone();
  }
}
