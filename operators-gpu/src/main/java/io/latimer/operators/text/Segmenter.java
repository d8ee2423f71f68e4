package io.latimer.operators.text;

import java.util.List;

/** Segments a line into the tokens of a vocabulary and joins tokens to a line. Thread-safe. */
public interface Segmenter extends AutoCloseable {

  /**
   * Segments a line.
   *
   * @param line one sentence without line breaks, tokenized if the model requires it
   * @return its tokens, none empty; an empty list for a blank line
   */
  List<String> segment(String line);

  /** Joins tokens to a line. */
  String join(List<String> tokens);

  /**
   * The surface of each token, without the segmentation's markers; null for a token that continues
   * the character of the previous one.
   */
  List<String> surfaces(List<String> tokens);

  /** Whether a token starts a word; {@code before} is the previous token, null at the start. */
  boolean startsWord(String before, String token);

  /** Frees native memory. Closing twice is safe. */
  @Override
  default void close() {}
}
