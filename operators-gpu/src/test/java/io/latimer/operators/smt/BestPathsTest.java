package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BestPathsTest {
  private static final int ROUNDS = 200;
  private static final int WORDS = 5;

  /** A search on a GPU numbers its partial translations in another order than one on the cores. */
  @Test
  void numbersOfPartialTranslationsDecideNothing() {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(round);
      Graph graph = new Graph(random, true);
      int nBest = 1 + random.nextInt(20);
      assertThat(graph.best(graph.shuffled(random), nBest))
          .as("round %s", round)
          .isEqualTo(graph.best(graph.inOrder(), nBest));
    }
  }

  /** A search on a GPU omits complete translations that are worse than by rounding. */
  @Test
  void completeTranslationsFarBehindTheBestDecideNothing() {
    int omitted = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Graph graph = new Graph(new Random(round), false);
      List<String> expected = graph.best(graph.inOrder(), 1);
      omitted += graph.omitFarBehind() ? 1 : 0;
      assertThat(graph.best(graph.inOrder(), 1)).as("round %s", round).isEqualTo(expected);
    }
    assertThat(omitted).isPositive().isLessThan(ROUNDS);
  }

  /** A random graph of partial translations, many of them with the same score. */
  private static final class Graph {
    private final FeatureWeights weights = FeatureWeights.of(new double[Feature.COUNT]);
    private final List<Node> nodes = new ArrayList<>();
    private final List<Node> complete = new ArrayList<>();

    /** Without numbers. */
    private static final class Node {
      private Node before;
      private Node alternative;
      private Choice choice;
      private int words;
      private double score;
    }

    /**
     * Makes a graph.
     *
     * @param alternatives whether there are any; else scores are sums that rounding may change
     */
    Graph(Random random, boolean alternatives) {
      nodes.add(new Node());
      for (int words = 1; words <= WORDS; words++) {
        for (int stack = 1 + random.nextInt(3); stack > 0; stack--) {
          Node best = null;
          for (int same = alternatives ? 1 + random.nextInt(3) : 1; same > 0; same--) {
            best = extend(random, words, best);
          }
          if (words == WORDS) {
            complete.add(best);
          }
          if (!alternatives) {
            best.score = best.before.score - 0.1 * random.nextInt(4);
          }
        }
      }
    }

    /** Keeps the complete ones that score almost as much as the best; whether there are others. */
    boolean omitFarBehind() {
      double best = complete.stream().mapToDouble(node -> node.score).max().orElseThrow();
      return complete.removeIf(node -> node.score < best - 1e-6);
    }

    private Node extend(Random random, int words, Node alternative) {
      List<Node> shorter = nodes.stream().filter(node -> node.words < words).toList();
      Node node = new Node();
      node.before = shorter.get(random.nextInt(shorter.size()));
      node.words = words;
      node.alternative = alternative;
      node.score = random.nextInt(3) == 0 ? -1 : 0;
      int target = random.nextInt(4);
      node.choice =
          new Choice(
              words - node.before.words,
              new int[] {target},
              new int[] {target},
              new double[Feature.COUNT]);
      nodes.add(node);
      return node;
    }

    List<Node> inOrder() {
      return nodes;
    }

    List<Node> shuffled(Random random) {
      List<Node> shuffled = new ArrayList<>(nodes);
      Collections.shuffle(shuffled, random);
      return shuffled;
    }

    /** The best translations, when the partial ones have their numbers by this order. */
    List<String> best(List<Node> order, int nBest) {
      Partials partials = new Partials(order.size());
      for (Node node : order) {
        int added = partials.add();
        partials.score[added] = node.score;
        partials.before[added] = order.indexOf(node.before);
        partials.alternative[added] = order.indexOf(node.alternative);
        partials.choice[added] = node.choice;
        partials.from[added] = node.before == null ? 0 : node.before.words;
      }
      int[] ends = complete.stream().mapToInt(order::indexOf).toArray();
      return new BestPaths(partials, ends, new float[ends.length], weights)
          .find(nBest).stream().map(Graph::text).toList();
    }

    private static String text(Derivation derivation) {
      StringBuilder text = new StringBuilder();
      for (AppliedPhrase phrase : derivation.phrases()) {
        text.append(phrase.from()).append('+').append(phrase.words());
        text.append('=').append(phrase.target(0)).append(' ');
      }
      return text.toString();
    }
  }
}
