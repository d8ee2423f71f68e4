package io.latimer.operators.smt;

import java.util.List;

/**
 * Searches the best translations of sentences whose choices are known. All implementations find the
 * same ones, with the same scores to the last bit.
 */
interface SearchLattices extends AutoCloseable {
  /**
   * Searches the translations of sentences.
   *
   * @param best takes those of each sentence, best first; as many elements as there are sentences
   * @return the nanoseconds that the searches have waited for the language model, as far as it is
   *     asked apart from them
   */
  long search(Lattices lattices, FeatureWeights weights, List<List<Derivation>> best);

  @Override
  void close();
}
