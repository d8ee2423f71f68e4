package io.latimer.operators.text;

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

  /**
   * A part that the model does not know, removed from the tokens.
   *
   * @param position the token that it preceded
   * @param literal its text
   * @param spaced whether a space preceded it
   */
  record Floating(int position, String literal, boolean spaced) {}

  /**
   * The context of a sentence.
   *
   * @param before the original whitespace before it
   * @param lead symbols before it that the model never sees, with the space after them
   * @param trail symbols after it that the model never sees, with the space before them
   * @param carried the texts of the marks in the tokens, in order
   * @param continued whether it is a later part of a sentence too long for the model
   */
  record Frame(String before, String lead, String trail, List<String> carried, boolean continued) {}

  /**
   * @param raw its text in the record after Unicode normalization, without what the frame contains
   */
  SourceSentence(
      String raw,
      String text,
      List<String> tokens,
      int[] ids,
      Frame frame,
      List<Floating> floating) {
    this.raw = raw;
    this.floating = floating;
    this.text = text;
    this.tokens = List.copyOf(tokens);
    this.ids = ids;
    this.frame = frame;
  }

  /** The prepared text that was segmented. */
  public String text() {
    return text;
  }

  /** The tokens, without an end token. */
  public List<String> tokens() {
    return tokens;
  }

  /** The ids of the tokens followed by {@link Vocabulary#END}; a copy. */
  public int[] ids() {
    return ids.clone();
  }

  /** Whether there is anything for the model to translate. */
  public boolean isEmpty() {
    return ids.length <= 1;
  }

  /** The number of ids, including the end token. */
  public int length() {
    return ids.length;
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

  List<Floating> floating() {
    return floating;
  }

  Frame frame() {
    return frame;
  }
}
