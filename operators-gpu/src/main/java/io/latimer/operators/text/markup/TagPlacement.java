package io.latimer.operators.text.markup;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/**
 * Puts the tags of a sentence into its translation: a pair around the words that have most to do
 * with the words that it was around, each tag exactly once, pairs inside each other as before.
 *
 * <p>Of the words inside the surrounding pair that no pair beside it has taken, a pair gets the
 * neighbouring ones with the highest sum, where a word counts 1 if its source word is inside the
 * pair and -1 if not. Where no word counts, it gets the one with the highest weight.
 */
public final class TagPlacement {
  /** Counts of a punctuation mark: it joins words, but no range ends with it for its own sake. */
  private static final float PUNCTUATION = -0.01f;

  /** More tags of a sentence follow its translation. */
  private static final int MOST_TAGS = 256;

  /** The same of the product of the words of a sentence and its translation. */
  private static final int MOST_LINKS = 1 << 22;

  /** A tag that stands alone, or a pair, and what is inside it. */
  private static final class Node {
    private final Tag opener; // null if it is before this sentence
    private final Tag closer; // null if it is after this sentence
    private final int from; // in the source text
    private final List<Node> inside = new ArrayList<>();
    private int to;
    private int start; // words of the translation
    private int end;
    private int place; // in the translation, of a node without words

    Node(Tag opener, Tag closer, int from, int to) {
      this.opener = opener;
      this.closer = closer;
      this.from = from;
      this.to = to;
    }
  }

  private final String source;
  private final String line;
  private final WordLinks links; // null if the tags follow the line
  private final StringBuilder placed = new StringBuilder();

  /** Where each code point of the line is in the text. */
  private final int[] moved;

  private int written; // of the line, in UTF-16 units
  private int points; // the same, in code points
  private int between; // code points of tags

  private TagPlacement(String source, String line, WordLinks links) {
    this.source = source;
    this.line = line;
    this.links = links;
    this.moved = new int[line.length()];
  }

  /**
   * Puts tags into a line. Placing them takes time that grows with the product of the words of both
   * texts, and with the tags: where that is too long, the tags follow the line, in order.
   *
   * @param tags of the sentence, in order; partners are indexes in this list, and a paired tag
   *     whose partner is {@code tags.size()} or more has it in another sentence
   * @param source the sentence's text, to which the tags' offsets refer
   * @param line its translation
   * @param links between the words of both; asked only where they are needed
   */
  public static TagPlacement of(
      List<Tag> tags, String source, String line, Supplier<WordLinks> links) {
    boolean tooLarge =
        tags.size() > MOST_TAGS
            || (long) Words.of(source).size() * Words.of(line).size() > MOST_LINKS;
    TagPlacement placement = new TagPlacement(source, line, tooLarge ? null : links.get());
    if (tooLarge) {
      placement.copy(line.length());
      tags.stream().filter(tag -> !tag.isEntity()).forEach(placement::write);
      return placement;
    }
    List<Node> nodes = placement.tree(tags);
    placement.place(nodes, 0, placement.links.target().size());
    placement.write(nodes);
    placement.copy(line.length());
    return placement;
  }

  /** The line with the tags. */
  public String text() {
    return placed.toString();
  }

  /** Where a character of the line is in the text, both counted in code points. */
  public int offset(int codePoint) {
    return moved[codePoint];
  }

  private List<Node> tree(List<Tag> tags) {
    List<Node> top = new ArrayList<>();
    List<List<Node>> levels = new ArrayList<>(List.of(top));
    List<Node> open = new ArrayList<>();
    for (Tag tag : tags) {
      List<Node> level = levels.get(levels.size() - 1);
      if (tag.isEntity()) {
        continue; // its character is in the text
      }
      if (!tag.isPaired()) {
        level.add(new Node(tag, null, tag.at(), tag.at()));
      } else if (tag.opens()) {
        Tag closer = tag.partner() < tags.size() ? tags.get(tag.partner()) : null;
        Node node = new Node(tag, closer, tag.at(), source.length());
        level.add(node);
        open.add(node);
        levels.add(node.inside);
      } else if (tag.partner() < tags.size()) {
        open.remove(open.size() - 1).to = tag.at();
        levels.remove(levels.size() - 1);
      } else {
        Node node = new Node(null, tag, 0, tag.at());
        node.inside.addAll(level);
        level.clear();
        level.add(node);
      }
    }
    return top;
  }

  private void place(List<Node> nodes, int low, int high) {
    boolean[] taken = new boolean[high - low];
    for (Node node : nodes) {
      if (isPair(node)) {
        range(node, low, high, taken);
        Arrays.fill(taken, node.start - low, node.end - low, true);
        place(node.inside, node.start, node.end);
      }
    }
    for (Node node : nodes) {
      if (!isPair(node)) {
        node.start = outside(nodes, after(node.from, low, high));
        node.end = node.start;
      }
      if (node.start == node.end) {
        node.place = placeOf(node, low, high);
      }
    }
    // At one place, what has words comes after what has none.
    nodes.sort(Comparator.<Node>comparingInt(n -> n.start).thenComparingInt(n -> n.end));
  }

  private static boolean isPair(Node node) {
    return node.opener == null || node.closer != null || node.opener.isPaired();
  }

  private void range(Node node, int low, int high, boolean[] taken) {
    int from = links.source().after(node.from);
    int to = links.source().after(node.to - 1);
    boolean toEnd = to < links.source().size() && links.source().start(to) < node.to;
    to += toEnd ? 1 : 0;
    if (node.from >= node.to || from >= to) {
      empty(node, after(node.from, low, high), low, taken);
      return;
    }
    float[] counts = new float[high - low];
    for (int i = low; i < high; i++) {
      counts[i - low] = taken[i - low] ? Float.NEGATIVE_INFINITY : count(i, from, to);
    }
    if (node.opener == null || node.closer == null) {
      anchored(node, counts, low, high);
    } else {
      best(node, counts, low, from, to);
    }
    if (node.start == node.end) {
      empty(node, after(node.from, low, high), low, taken);
    } else {
      trim(node, from, to);
      node.start = links.previous(node.start);
      node.end = links.next(node.end);
    }
  }

  private float count(int word, int from, int to) {
    if (links.target().isPunctuation(word)) {
      String mark = links.target().get(word);
      for (int i = from; i < to; i++) {
        if (links.source().isPunctuation(i) && links.source().get(i).equals(mark)) {
          return -PUNCTUATION;
        }
      }
      return PUNCTUATION;
    }
    int best = links.best(word);
    return best < 0 ? PUNCTUATION : best >= from && best < to ? 1 : -1;
  }

  /** The neighbouring words with the highest sum. */
  private void best(Node node, float[] counts, int low, int from, int to) {
    float most = 0;
    float sum = 0;
    int start = 0;
    for (int i = 0; i < counts.length; i++) {
      if (sum < 0) { // of equal ranges, the longer
        sum = 0;
        start = i;
      }
      sum += counts[i];
      if (sum > most) {
        most = sum;
        node.start = low + start;
        node.end = low + i + 1;
      }
    }
    if (most < 0.5f) {
      heaviest(node, counts, low, from, to);
    }
  }

  /** Where no word counts: the one with the highest weight. */
  private void heaviest(Node node, float[] counts, int low, int from, int to) {
    float most = 0;
    node.start = low;
    node.end = low;
    for (int i = 0; i < counts.length; i++) {
      float share = links.share(low + i, from, to);
      if (share > most
          && counts[i] != Float.NEGATIVE_INFINITY
          && !links.target().isPunctuation(low + i)) {
        most = share;
        node.start = low + i;
        node.end = low + i + 1;
      }
    }
  }

  /** The words at the start, or at the end, of a pair that goes on in another sentence. */
  private static void anchored(Node node, float[] counts, int low, int high) {
    boolean atStart = node.opener == null;
    float most = 0;
    float sum = 0;
    int length = 0;
    for (int n = 1; n <= counts.length; n++) {
      sum += counts[atStart ? n - 1 : counts.length - n];
      if (sum >= most) {
        most = sum;
        length = n;
      }
    }
    node.start = atStart ? low : high - length;
    node.end = atStart ? low + length : high;
  }

  /** Punctuation at the ends stays outside, unless the pair had some there before. */
  private void trim(Node node, int from, int to) {
    Words words = links.target();
    boolean anchoredStart = node.opener == null || links.source().isPunctuation(from);
    boolean anchoredEnd = node.closer == null || links.source().isPunctuation(to - 1);
    while (!anchoredStart && node.end - node.start > 1 && words.isPunctuation(node.start)) {
      node.start++;
    }
    while (!anchoredEnd && node.end - node.start > 1 && words.isPunctuation(node.end - 1)) {
      node.end--;
    }
  }

  /** Gives a node no words, at a place that no other pair covers. */
  private static void empty(Node node, int word, int low, boolean[] taken) {
    int at = word;
    while (at > low && at - low < taken.length && taken[at - low] && taken[at - low - 1]) {
      at++;
    }
    node.start = at;
    node.end = at;
  }

  /** A word's number that is not inside a pair. */
  private static int outside(List<Node> nodes, int word) {
    int at = word;
    for (Node node : nodes) {
      if (isPair(node) && node.start < at && at < node.end) {
        at = node.end;
      }
    }
    return at;
  }

  /** The word of the translation after the one that translates the word before a place. */
  private int after(int offset, int low, int high) {
    int before = links.source().after(offset - 1);
    if (before == links.source().size() || links.source().start(before) >= offset) {
      before--;
    }
    if (offset >= source.length()) {
      return high;
    }
    int best = -1;
    while (best < 0 && before >= 0) {
      best = links.bestOf(before--, low, high);
    }
    return best < 0 ? low : links.next(best + 1);
  }

  /** Where a node without words is: beside the word that it stood beside. */
  private int placeOf(Node node, int low, int high) {
    Words words = links.target();
    if (words.size() == 0) {
      return 0;
    }
    boolean spaceBefore = node.from == 0 || Character.isWhitespace(source.charAt(node.from - 1));
    boolean beforeNext = spaceBefore || node.start == low;
    return beforeNext && node.start < high
        ? words.start(node.start)
        : node.start > 0 ? words.end(node.start - 1) : words.start(0);
  }

  private void write(List<Node> nodes) {
    for (Node node : nodes) {
      boolean words = node.start < node.end;
      copy(words && node.opener != null ? links.target().start(node.start) : node.place);
      if (node.opener != null) {
        write(node.opener);
      }
      write(node.inside);
      copy(words && node.closer != null ? links.target().end(node.end - 1) : 0);
      if (node.closer != null) {
        write(node.closer);
      }
    }
  }

  private void write(Tag tag) {
    placed.append(tag.literal());
    between += tag.literal().codePointCount(0, tag.literal().length());
  }

  /** Copies the line up to an offset, if that is ahead. */
  private void copy(int to) {
    while (written < to) {
      int point = line.codePointAt(written);
      placed.appendCodePoint(point);
      moved[points] = points + between;
      points++;
      written += Character.charCount(point);
    }
  }
}
