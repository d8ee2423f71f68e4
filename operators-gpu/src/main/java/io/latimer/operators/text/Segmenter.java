package io.latimer.operators.text;

import java.util.List;

/** Parts a line into the tokens of a vocabulary and joins tokens to a line. Thread-safe. */
public interface Segmenter extends AutoCloseable {

  /**
   * Parts a line.
   *
   * @param line one sentence without line breaks, tokenized where the model asks for it
   * @return its tokens, none empty; an empty list for a blank line
   */
  List<String> segment(String line);

  /** Joins tokens to the line that they are read as. */
  String join(List<String> tokens);

  /**
   * What each token reads as, without the segmentation's own signs; null for a token that is a
   * later part of the same character as the one before it.
   */
  List<String> surfaces(List<String> tokens);

  /** Whether a token starts a word; {@code before} is the token before it, null at the start. */
  boolean startsWord(String before, String token);

  /** Gives native memory back. Closing twice is safe. */
  @Override
  default void close() {}
}
