package io.latimer.operators.smt.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Random small pools, against BLEU at every step between any two candidates' crossings. */
class LineSearchTest {
  private static final int ROUNDS = 300;
  private static final int FEATURES = 3;
  private static final double CLOSE = 1e-9;

  private final Team team = new Team(2);

  @Test
  void findsTheBestOfAllPointsOfALine() {
    int inside = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(round);
      List<List<RandomPools.Line>> lines = new ArrayList<>();
      double[] start = random.doubles(FEATURES, -1, 1).toArray();
      double[] direction = random.doubles(FEATURES, -1, 1).toArray();
      CandidatePool pool =
          RandomPools.pool(random, 1 + random.nextInt(5), 6, FEATURES, start, direction, lines);
      double expected = 0;
      for (double step : steps(lines)) {
        expected = Math.max(expected, pool.bleu(moved(start, direction, step)));
      }
      LineSearch.Point found = new LineSearch(pool, team).best(start, direction);
      assertThat(found.bleu()).as("round " + round).isCloseTo(expected, within(CLOSE));
      assertThat(pool.bleu(moved(start, direction, found.step())))
          .as("round " + round)
          .isCloseTo(found.bleu(), within(CLOSE));
      inside += found.bleu() > pool.bleu(start) + CLOSE ? 1 : 0;
    }
    assertThat(inside).as("rounds in which it pays to move").isGreaterThan(ROUNDS / 4);
  }

  /** One step between any two neighbouring crossings of lines, and one before and after all. */
  private static List<Double> steps(List<List<RandomPools.Line>> lines) {
    List<Double> crossings = new ArrayList<>(List.of(-LineSearch.FURTHEST, LineSearch.FURTHEST));
    for (List<RandomPools.Line> ofSentence : lines) {
      for (RandomPools.Line one : ofSentence) {
        for (RandomPools.Line other : ofSentence) {
          double step = (one.height() - other.height()) / (other.slope() - one.slope());
          if (Math.abs(step) < LineSearch.FURTHEST) {
            crossings.add(step);
          }
        }
      }
    }
    crossings.sort(null);
    return IntStream.range(1, crossings.size())
        .mapToObj(i -> (crossings.get(i - 1) + crossings.get(i)) / 2)
        .toList();
  }

  private static double[] moved(double[] start, double[] direction, double step) {
    return IntStream.range(0, start.length)
        .mapToDouble(i -> start[i] + step * direction[i])
        .toArray();
  }

  @Test
  void candidatesThatTheDirectionDoesNotTellApartStay() {
    CandidatePool pool = new CandidatePool(2);
    pool.add(0, RandomPools.candidate("a b c d", "a b c d", 1, 5));
    pool.add(0, RandomPools.candidate("a b c x", "a b c d", 1, 4));
    assertThat(new LineSearch(pool, team).best(new double[] {1, 1}, new double[] {1, 0}))
        .extracting(LineSearch.Point::step)
        .isEqualTo(0.0);
  }

  @Test
  void anEmptyPoolHasNoBleu() {
    LineSearch.Point found =
        new LineSearch(new CandidatePool(3), team).best(new double[] {1}, new double[] {1});
    assertThat(found.bleu()).isZero();
  }
}
