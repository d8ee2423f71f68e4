package io.latimer.operators.text;

import io.latimer.operators.text.markup.Markup;
import io.latimer.operators.text.markup.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Deals the tags of a text to its sentences. Tags around whole sentences or between them are no
 * part of a sentence: they return with the space between sentences.
 */
final class SentenceTags {
  /** The partner of a tag whose partner is in another sentence. */
  static final int ELSEWHERE = Integer.MAX_VALUE;

  private final List<Tag> tags;
  private final String plain;

  /** Where sentences start and end; the first ends where the text starts, the last starts after. */
  private final int[] starts;

  private final int[] ends;

  /** The first tag of those at or after the end of a sentence. */
  private final int[] gaps;

  /** The first tag that is part of a sentence, and the one after the last; counted from 1. */
  private final int[] firsts;

  private final int[] lasts;

  /**
   * Deals tags.
   *
   * @param pieces the sentences of the plain text, in order
   */
  SentenceTags(Markup markup, List<SentenceSplitter.Piece> pieces) {
    this.tags = markup.tags();
    this.plain = markup.plain();
    this.starts = new int[pieces.size() + 2];
    this.ends = new int[pieces.size() + 2];
    this.gaps = new int[pieces.size() + 2];
    this.firsts = new int[pieces.size() + 2];
    this.lasts = new int[pieces.size() + 2];
    int at = 0;
    int tag = 0;
    for (int i = 1; i <= pieces.size() + 1; i++) {
      boolean last = i > pieces.size();
      starts[i] = last ? plain.length() : at + pieces.get(i - 1).before().length();
      ends[i] = last ? plain.length() : starts[i] + pieces.get(i - 1).text().length();
      at = ends[i];
      while (tag < tags.size() && tags.get(tag).at() < at) {
        tag++;
      }
      gaps[i] = tag;
    }
    for (int i = 1; i <= pieces.size(); i++) {
      findTags(i);
    }
  }

  /** A tag between two of a sentence is inside their pairs, so it is of the sentence, too. */
  private void findTags(int sentence) {
    for (int i = gaps[sentence - 1];
        i < tags.size() && tags.get(i).at() <= starts[sentence + 1];
        i++) {
      if (isOf(tags.get(i), sentence)) {
        firsts[sentence] = lasts[sentence] == 0 ? i : firsts[sentence];
        lasts[sentence] = i + 1;
      }
    }
  }

  /**
   * What stands before a sentence, markup included.
   *
   * @param sentence from 0; the number of sentences for what stands after the last
   */
  String before(int sentence) {
    StringBuilder before = new StringBuilder();
    int from = ends[sentence];
    int to = starts[sentence + 1];
    for (int i = gaps[sentence]; i < tags.size() && tags.get(i).at() <= to; i++) {
      Tag tag = tags.get(i);
      if (!isWithin(i, sentence) && !isWithin(i, sentence + 1)) {
        before.append(plain, from, tag.at()).append(tag.literal());
        from = tag.at();
      }
    }
    return before.append(plain, from, to).toString();
  }

  private boolean isWithin(int tag, int sentence) {
    return tag >= firsts[sentence] && tag < lasts[sentence];
  }

  /** Whether a tag is inside a sentence, counted from 1, or its partner is. */
  private boolean isOf(Tag tag, int sentence) {
    int start = starts[sentence];
    int end = ends[sentence];
    if ((tag.at() > start || (tag.isEntity() && tag.at() == start)) && tag.at() < end) {
      return true;
    }
    if (!tag.isPaired()) {
      return false;
    }
    int partner = tags.get(tag.partner()).at();
    boolean beside =
        tag.opens()
            ? tag.at() >= ends[sentence - 1] && tag.at() <= start
            : tag.at() >= end && tag.at() <= starts[sentence + 1];
    return beside && partner > start && partner < end;
  }

  /**
   * The tags of a sentence, with offsets in it.
   *
   * @param sentence from 0
   */
  List<Tag> of(int sentence) {
    int number = sentence + 1;
    return chosen(tags, firsts[number], lasts[number], starts[number], ends[number], tag -> true);
  }

  /** Decides about a tag. */
  private interface Choice {
    boolean of(Tag tag);
  }

  /**
   * Chosen ones of a range of tags, with offsets in a range of the text and partners among them.
   */
  private static List<Tag> chosen(
      List<Tag> tags, int first, int last, int start, int end, Choice choice) {
    int[] numbers = new int[last - first];
    int count = 0;
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = choice.of(tags.get(first + i)) ? count++ : ELSEWHERE;
    }
    List<Tag> chosen = new ArrayList<>(count);
    for (int i = 0; i < numbers.length; i++) {
      Tag tag = tags.get(first + i);
      if (numbers[i] != ELSEWHERE) {
        boolean near = tag.partner() >= first && tag.partner() < last;
        int partner = near ? numbers[tag.partner() - first] : ELSEWHERE;
        int at = Math.min(Math.max(tag.at(), start), end) - start;
        chosen.add(
            new Tag(at, tag.literal(), tag.length(), tag.isPaired() ? partner : -1, tag.opens()));
      }
    }
    return chosen;
  }

  private static boolean isBefore(Tag tag, int end) {
    return tag.at() < end || (tag.at() == end && !tag.isEntity());
  }

  /** The tags of the first part of a divided sentence, up to and with an offset. */
  static List<Tag> head(List<Tag> tags, int end) {
    return chosen(tags, 0, tags.size(), 0, end, tag -> isBefore(tag, end));
  }

  /** The tags after the first part of a divided sentence. */
  static List<Tag> tail(List<Tag> tags, int end, int start) {
    return chosen(tags, 0, tags.size(), start, Integer.MAX_VALUE, tag -> !isBefore(tag, end));
  }

  /** The tags of a sentence without the symbols at its ends, with offsets in the rest. */
  static List<Tag> within(List<Tag> tags, int start, int end) {
    return chosen(
        tags, 0, tags.size(), start, end, t -> !t.isEntity() || (t.at() >= start && t.at() < end));
  }

  /** A text with its tags, each at its offset. */
  static String inserted(List<Tag> tags, String text) {
    StringBuilder inserted = new StringBuilder();
    int from = 0;
    for (Tag tag : tags) {
      inserted.append(text, from, tag.at()).append(tag.literal());
      from = tag.at() + tag.length();
    }
    return inserted.append(text, from, text.length()).toString();
  }

  /** Where the spans of a sentence's text are in the text with its tags. */
  static UnaryOperator<TextSpan> withTags(SourceSentence sentence) {
    List<Tag> tags = sentence.frame().tags();
    if (tags.isEmpty()) {
      return UnaryOperator.identity();
    }
    String text = sentence.raw();
    int[] starts = new int[tags.size()]; // in code points, as spans are
    int[] ends = new int[tags.size()];
    int[] added = new int[tags.size() + 1];
    int from = 0;
    int points = 0;
    for (int i = 0; i < starts.length; i++) {
      Tag tag = tags.get(i);
      points += text.codePointCount(from, tag.at());
      from = tag.at();
      int replaced = text.codePointCount(from, from + tag.length());
      starts[i] = points;
      ends[i] = points + replaced;
      added[i + 1] = added[i] + TextSpan.length(tag.literal()) - replaced;
    }
    return span ->
        span.exists()
            ? new TextSpan(
                span.start() + added[upTo(ends, span.start())],
                span.end() + added[upTo(starts, span.end() - 1)])
            : span;
  }

  /** How many of some sorted numbers are at most a limit. */
  private static int upTo(int[] sorted, int limit) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] <= limit) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
