package io.latimer.operators.text;

import io.latimer.operators.text.markup.Tag;
import java.util.ArrayList;
import java.util.List;

/**
 * One sentence of a record as the model reads it, and what is needed to restore its translation's
 * context.
 */
public final class SourceSentence {
  private final String text;
  private final List<String> tokens;
  private final int[] ids;
  private final Frame frame;
  private final List<Floating> floating;
  private final String raw;
  private final Direction direction;
  private final List<String> prefix;
  private final int[] targetIds;

  /**
   * A part that the model does not know, removed from the tokens.
   *
   * @param position the token that it preceded
   * @param text its text
   * @param spaced whether a space preceded it
   */
  record Floating(int position, KeptText text, boolean spaced) {}

  /**
   * The context of a sentence.
   *
   * @param before the original whitespace before it
   * @param lead symbols before it that the model never sees, with the space after them
   * @param trail symbols after it that the model never sees, with the space before them
   * @param carried the texts of the marks in the tokens, in order
   * @param tags markup inside it, with offsets in {@link SourceSentence#raw}
   * @param continued whether it is a later part of a sentence too long for the model
   */
  record Frame(
      String before,
      String lead,
      String trail,
      List<KeptText> carried,
      List<Tag> tags,
      boolean continued) {
    Frame withLead(String other) {
      return new Frame(before, other, trail, carried, tags, continued);
    }

    Frame withTags(List<Tag> other) {
      return new Frame(before, lead, trail, carried, other, continued);
    }

    Frame withCarried(List<KeptText> other) {
      return new Frame(before, lead, trail, other, tags, continued);
    }
  }

  /**
   * A sentence whose translation may begin with any word.
   *
   * @param raw its text in the record after Unicode normalization, without what the frame contains
   * @param tokenIds of its tokens
   */
  SourceSentence(
      String raw,
      String text,
      List<String> tokens,
      int[] tokenIds,
      Frame frame,
      List<Floating> floating,
      Direction direction) {
    this(
        raw,
        text,
        List.copyOf(tokens),
        direction.source(tokenIds),
        frame,
        floating,
        direction,
        List.of(),
        direction.target(new int[0]));
  }

  private SourceSentence(
      String raw,
      String text,
      List<String> tokens,
      int[] ids,
      Frame frame,
      List<Floating> floating,
      Direction direction,
      List<String> prefix,
      int[] targetIds) {
    this.raw = raw;
    this.text = text;
    this.tokens = tokens;
    this.ids = ids;
    this.frame = frame;
    this.floating = floating;
    this.direction = direction;
    this.prefix = prefix;
    this.targetIds = targetIds;
  }

  /**
   * The sentence whose translation begins with a text.
   *
   * @param lead symbols before it that the model never sees, instead of its own
   * @param tokens of the text
   * @param tokenIds of these tokens
   */
  SourceSentence beginningWith(String lead, List<String> tokens, int[] tokenIds) {
    return new SourceSentence(
        raw,
        text,
        this.tokens,
        ids,
        frame.withLead(lead),
        floating,
        direction,
        List.copyOf(tokens),
        direction.target(tokenIds));
  }

  /** The sentence whose frame has a translation of a text of which the model sees nothing. */
  SourceSentence replacing(String source) {
    return new SourceSentence(
        source, text, tokens, ids, frame, floating, direction, prefix, targetIds);
  }

  /** Whether it is one of {@link #replacing}. */
  boolean isReplaced() {
    return text.isEmpty() && !raw.isEmpty();
  }

  /** The sentence with its tags, without the symbols around it. */
  public SourceSentence withoutSymbols() {
    return with(new Frame(frame.before, "", "", frame.carried, frame.tags, frame.continued));
  }

  /** The sentence with the symbols around it, without its tags. */
  public SourceSentence withoutTags() {
    return with(frame.withTags(List.of()));
  }

  private SourceSentence with(Frame other) {
    return new SourceSentence(
        raw, text, tokens, ids, other, floating, direction, prefix, targetIds);
  }

  /** The sentence without anything around it, for a translation that has it. */
  public SourceSentence alone() {
    return with(new Frame("", "", "", frame.carried, List.of(), frame.continued));
  }

  /** The prepared text that was segmented. */
  public String text() {
    return text;
  }

  /** The tokens, without those that the model's {@link SentenceFormat} adds. */
  public List<String> tokens() {
    return tokens;
  }

  /**
   * The ids that the network reads: of the tokens, and of those that the format adds; for most
   * models, {@link Vocabulary#END} at the end. A copy.
   */
  public int[] ids() {
    return ids.clone();
  }

  /** Whether there is anything for the model to translate. */
  public boolean isEmpty() {
    return tokens.isEmpty();
  }

  /** The number of {@link #ids}. */
  public int length() {
    return ids.length;
  }

  /** The number of {@link #ids} before those of the tokens. */
  public int leading() {
    return direction.leading();
  }

  /**
   * The ids that each translation begins with: those of the format, and then those of a text that
   * the record's sender asked for. Mostly none. A copy.
   */
  public int[] targetIds() {
    return targetIds.clone();
  }

  /** The number of {@link #targetIds} that are not part of the translation's text. */
  public int targetLeading() {
    return direction.targetLeading();
  }

  /** BCP 47 tag of its language; {@code und} if unknown. */
  public String sourceLanguage() {
    return direction.preparation().locale().toLanguageTag();
  }

  /** BCP 47 tag of the translation's language; {@code und} if unknown. */
  public String targetLanguage() {
    return direction.targetLanguage();
  }

  /** Whether the translation must begin with a text. */
  public boolean hasPrefix() {
    return !prefix.isEmpty();
  }

  /** The tokens of the text that the translation begins with; mostly none. */
  List<String> prefix() {
    return prefix;
  }

  Direction direction() {
    return direction;
  }

  /**
   * Its text in the record after Unicode normalization, without the symbols around it that the
   * model never sees.
   */
  public String raw() {
    return raw;
  }

  /** Whether the tokens are all of its text, and nothing was removed. */
  public boolean isWhole() {
    return floating.isEmpty() && frame.carried().isEmpty();
  }

  /**
   * Whether a translation of it has a word or a number besides markup, and besides what stays as it
   * is or was put in.
   */
  public boolean hasOwnWords(String translation) {
    String rest = translation;
    List<KeptText> kept = new ArrayList<>(frame.carried);
    floating.forEach(one -> kept.add(one.text()));
    for (KeptText one : kept) {
      int at = rest.indexOf(one.target());
      if (at >= 0) {
        rest = rest.substring(0, at) + " " + rest.substring(at + one.target().length());
      }
    }
    return Prose.of(rest).codePoints().anyMatch(Character::isLetterOrDigit);
  }

  List<Floating> floating() {
    return floating;
  }

  Frame frame() {
    return frame;
  }
}
