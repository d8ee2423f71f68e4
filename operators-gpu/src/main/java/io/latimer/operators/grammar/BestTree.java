package io.latimer.operators.grammar;

import java.util.Objects;

/**
 * The most probable derivation of a sentence.
 *
 * @param logProbability natural logarithm of its probability, 0 or less
 * @param bracketed the tree as {@code (S (NP we) (VP see))}; parentheses in words and names are
 *     written {@code -LRB-} and {@code -RRB-}
 */
public record BestTree(float logProbability, String bracketed) {
  public BestTree {
    Objects.requireNonNull(bracketed, "bracketed");
  }
}
