package io.latimer.operators.smt.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WeightSearchTest {
  private static final String REFERENCE = "a b c d e f";

  private static WeightSearch.Peak best(
      CandidatePool pool, double[] start, int restarts, int threads) {
    Team team = new Team(threads);
    return new WeightSearch(pool, team, new Random(3)).best(start, restarts);
  }

  /** The reference and nine other translations of each sentence, told apart by one vector. */
  private static CandidatePool separable(double[] hidden) {
    CandidatePool pool = new CandidatePool(30);
    Random random = new Random(1);
    for (int i = 0; i < pool.sentences(); i++) {
      double[] best = random.doubles(hidden.length, -1, 1).toArray();
      pool.add(i, RandomPools.candidate(REFERENCE, REFERENCE, best));
      for (int left = 9; left > 0; left--) {
        double[] other = random.doubles(hidden.length, -1, 1).toArray();
        if (RandomPools.dot(hidden, other) < RandomPools.dot(hidden, best)) {
          pool.add(i, RandomPools.candidate("a b c d x f", REFERENCE, other));
        }
      }
    }
    return pool;
  }

  @Test
  void findsWeightsThatChooseTheReferences() {
    double[] hidden = {1, 0.5, -0.3, 0.1};
    CandidatePool pool = separable(hidden);
    double[] start = {0, 0, 0, 1};
    assertThat(pool.bleu(hidden)).isCloseTo(100, within(1e-9));
    assertThat(pool.bleu(start)).isLessThan(90);
    WeightSearch.Peak peak = best(pool, start, 10, 2);
    assertThat(peak.bleu()).isGreaterThan(98);
    assertThat(pool.bleu(peak.weights())).isEqualTo(peak.bleu());
  }

  @Test
  void equalRandomNumbersGiveEqualWeightsOnAnyNumberOfThreads() {
    double[] start = {0.2, 1, 0.3};
    CandidatePool pool =
        RandomPools.pool(new Random(2), 40, 20, 3, start, start, new ArrayList<>());
    WeightSearch.Peak one = best(pool, start, 5, 1);
    WeightSearch.Peak two = best(pool, start, 5, 2);
    assertThat(two.weights()).containsExactly(one.weights());
    assertThat(one.bleu()).isGreaterThan(pool.bleu(start));
  }

  @Test
  void moreRestartsAreNeverWorse() {
    double[] start = {0.2, 1, 0.3};
    CandidatePool pool =
        RandomPools.pool(new Random(4), 40, 20, 3, start, start, new ArrayList<>());
    double alone = best(pool, start, 0, 2).bleu();
    assertThat(best(pool, start, 10, 2).bleu()).isGreaterThanOrEqualTo(alone);
  }

  @Test
  void weightsThatNothingImprovesStay() {
    CandidatePool pool = new CandidatePool(1);
    pool.add(0, RandomPools.candidate(REFERENCE, REFERENCE, 1, 2));
    double[] start = {0.5, 0.25};
    assertThat(best(pool, start, 3, 1).weights()).containsExactly(start);
  }
}
