package io.latimer.operators.ngram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.util.Team;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NgramChecksTest {
  /** NgramChecks that end within what a thread looks at, at its end, and none of its ids. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void looksAtEveryIdOnce(int threads) {
    Team team = new Team(threads);
    Random random = new Random(threads);
    for (int round = 0; round < 20; round++) {
      List<int[]> batch = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        int length = new int[] {0, 0, 1, 1 << 16, 1000, 3 << 16}[random.nextInt(6)];
        batch.add(new int[length]);
      }
      batch.add(new int[5]);
      int record = random.nextInt(batch.size());
      while (batch.get(record).length == 0) {
        record = random.nextInt(batch.size());
      }
      int word = random.nextInt(batch.get(record).length);
      batch.get(record)[word] = 1 << 20;
      assertThat(new NgramChecks<>(batch, 2, team).idBits()).isEqualTo(21);
      batch.get(record)[word] = Integer.MIN_VALUE + 7;
      NgramChecks<int[]> records = new NgramChecks<>(batch, 2, team);
      assertThat(records.idBits()).isEqualTo(1);
      assertThat(records.texts()).hasSize(batch.size() - 1);
      int bad = record;
      assertThatThrownBy(() -> records.results().get(bad).orElseThrow())
          .hasMessageContaining("word " + word + " of a record has the id -2147483641");
    }
    assertThat(new NgramChecks<>(List.of(new byte[9]), 2, team).idBits()).isEqualTo(1);
    assertThat(new NgramChecks<>(List.of(new int[] {Integer.MAX_VALUE}), 2, team).idBits())
        .isEqualTo(31);
    assertThat(new NgramChecks<int[]>(List.of(), 2, team).windows()).isZero();
  }
}
