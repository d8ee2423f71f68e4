package io.latimer.operators.smt;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Finds the n-best translations in the graph of a sentence's partial translations by A* search from
 * the end of the sentence: the best score from its start to each node is known, so paths are found
 * in the order of their scores.
 */
final class BestPaths {
  /** Maximum complete paths examined per translation wanted: many have the same words. */
  private static final int PATHS_PER_TRANSLATION = 100;

  private final Partials partials;
  private final FeatureWeights weights;
  private final PriorityQueue<Path> open = new PriorityQueue<>();
  private int made;

  /**
   * The last part of a translation.
   *
   * @param node the partial translation before it
   * @param phrase the partial translation whose last phrase comes first; itself after {@code node}
   * @param rest the part after that phrase; null for none
   * @param words source words that it translates
   * @param end log10 of the probability of the sentence's end
   * @param score of this part
   * @param promise the score with the best first part
   * @param number in order of creation
   */
  private record Path(
      int node,
      int phrase,
      Path rest,
      int words,
      float end,
      double score,
      double promise,
      int number)
      implements Comparable<Path> {
    /**
     * Of equally promising paths, the one with the least left comes first: to extend all of them
     * would be too much. The order does not depend on the numbers of the partial translations,
     * which differ on a GPU.
     */
    @Override
    public int compareTo(Path other) {
      int byPromise = Double.compare(other.promise, promise);
      int byWords = Integer.compare(other.words, words);
      return byPromise != 0
          ? byPromise
          : byWords != 0 ? byWords : Integer.compare(number, other.number);
    }
  }

  /**
   * Starts at the complete translations.
   *
   * @param complete their numbers
   * @param ends log10 of the probability of the sentence's end after each
   */
  BestPaths(Partials partials, int[] complete, float[] ends, FeatureWeights weights) {
    this.partials = partials;
    this.weights = weights;
    for (int i = 0; i < complete.length; i++) {
      double end = weights.of(Feature.LANGUAGE_MODEL) * ends[i];
      add(complete[i], Partials.NONE, null, 0, ends[i], end);
    }
  }

  private void add(int node, int phrase, Path rest, int words, float end, double score) {
    double promise = score + partials.score[node];
    open.add(new Path(node, phrase, rest, words, end, score, promise, made++));
  }

  /** The best translations with different words, best first. */
  List<Derivation> find(int wanted) {
    List<Derivation> found = new ArrayList<>();
    Set<List<Integer>> known = new HashSet<>();
    long looks = (long) wanted * PATHS_PER_TRANSLATION;
    while (!open.isEmpty() && found.size() < wanted && looks > 0) {
      Path path = open.poll();
      if (partials.before[path.node] == Partials.NONE) {
        looks--;
        if (wanted == 1 || known.add(targets(path))) {
          found.add(derivation(path));
        }
        continue;
      }
      for (int last = path.node; last != Partials.NONE; last = partials.alternative[last]) {
        int before = partials.before[last];
        double step = partials.score[last] - partials.score[before];
        Path rest = path.phrase == Partials.NONE ? null : path;
        int words = path.words + partials.choice[last].sourceWords;
        add(before, last, rest, words, path.end, path.score + step);
      }
    }
    return found;
  }

  private Derivation derivation(Path path) {
    List<AppliedPhrase> phrases = new ArrayList<>();
    double[] features = new double[Feature.COUNT];
    features[Feature.LANGUAGE_MODEL.column] = path.end;
    int end = 0;
    for (Path at = path; at != null && at.phrase != Partials.NONE; at = at.rest) {
      Choice choice = partials.choice[at.phrase];
      int from = partials.from[at.phrase];
      for (int i = 0; i < features.length; i++) {
        features[i] += choice.features[i];
      }
      features[Feature.LANGUAGE_MODEL.column] += partials.log10[at.phrase];
      features[Feature.DISTORTION.column] -= Math.abs(from - end);
      end = from + choice.sourceWords;
      phrases.add(new AppliedPhrase(from, choice.sourceWords, choice.target));
    }
    return new Derivation(phrases, features, weights);
  }

  /** The identities of the target words, which are equal for translations with the same words. */
  private List<Integer> targets(Path path) {
    List<Integer> words = new ArrayList<>();
    for (Path at = path; at != null && at.phrase != Partials.NONE; at = at.rest) {
      for (int word : partials.choice[at.phrase].identity) {
        words.add(word);
      }
    }
    return words;
  }
}
