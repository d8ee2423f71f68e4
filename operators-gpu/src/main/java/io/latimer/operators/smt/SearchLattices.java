package io.latimer.operators.smt;

import java.util.List;

/**
 * Searches for the best translations of sentences whose choices are known. All implementations find
 * the same ones, with the same scores to the last bit.
 */
interface SearchLattices extends AutoCloseable {
  /**
   * Searches for the best translations of sentences.
   *
   * @param best takes those of each sentence, best first; as many elements as there are sentences
   * @return the nanoseconds that the searches waited for the language model; 0 if they score words
   *     themselves
   */
  long search(Lattices lattices, FeatureWeights weights, List<List<Derivation>> best);

  @Override
  void close();
}
