package io.latimer.operators.smt.tune;

import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Searches for the weights that choose the translations with the highest BLEU from a pool: from
 * given weights and from random ones near them, climbs along lines in the directions of single
 * weights and as many random ones, until no line leads higher. The same random numbers give the
 * same weights, whatever the number of threads.
 */
final class WeightSearch {
  /** BLEU that a round over all directions must gain for another one. */
  private static final double LEAST_GAIN = 0.01;

  private final CandidatePool pool;
  private final LineSearch lines;
  private final Random random;

  /** Weights, and BLEU of what they choose. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Peak(double[] weights, double bleu) {}

  WeightSearch(CandidatePool pool, Team team, Random random) {
    this.pool = pool;
    this.lines = new LineSearch(pool, team);
    this.random = random;
  }

  /**
   * The best weights that were found, the given ones if none are better.
   *
   * @param restarts number of random weights to climb from beside the given ones
   */
  Peak best(double[] start, int restarts) {
    Peak best = climb(start);
    for (int i = 0; i < restarts; i++) {
      Peak other = climb(near(start));
      if (other.bleu > best.bleu) {
        best = other;
      }
    }
    return best;
  }

  /** Random weights: each a normal deviate around the given one, as wide as the average weight. */
  private double[] near(double[] start) {
    double width = Arrays.stream(start).map(Math::abs).average().orElse(0);
    return Arrays.stream(start).map(weight -> weight + width * random.nextGaussian()).toArray();
  }

  private Peak climb(double[] start) {
    double[] weights = start;
    double bleu = pool.bleu(start);
    while (true) {
      double before = bleu;
      for (double[] direction : directions(weights.length)) {
        LineSearch.Point point = lines.best(weights, direction);
        if (point != null && point.bleu() > bleu) {
          double[] moved = weights.clone();
          for (int i = 0; i < moved.length; i++) {
            moved[i] += point.step() * direction[i];
          }
          // rounding may decide a tie another way: believe what the weights choose
          double found = pool.bleu(moved);
          if (found > bleu) {
            weights = moved;
            bleu = found;
          }
        }
      }
      if (bleu - before < LEAST_GAIN) {
        return new Peak(weights, bleu);
      }
    }
  }

  /** The directions of single weights and as many random ones, in random order. */
  private List<double[]> directions(int size) {
    List<double[]> directions = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      double[] axis = new double[size];
      axis[i] = 1;
      directions.add(axis);
      directions.add(random.doubles(size, -1, 1).toArray());
    }
    Collections.shuffle(directions, random);
    return directions;
  }
}
