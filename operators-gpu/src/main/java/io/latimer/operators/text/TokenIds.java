package io.latimer.operators.text;

/**
 * The ids that a model gives to tokens. {@link Vocabulary#END} and {@link Vocabulary#UNKNOWN} mean
 * the same in all of them. Thread-safe.
 */
public interface TokenIds {
  /** The number of ids: the largest plus 1; at least 2. */
  int size();

  /** Looks up a token; {@link Vocabulary#UNKNOWN} if it has no id. */
  int id(String token);

  /**
   * Returns the token of an id.
   *
   * @param id from 2 to {@code size() - 1}
   */
  String token(int id);
}
