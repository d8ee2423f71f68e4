package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Reads what latimer_kernels.h says of lat_nmt_drain. */
class GpuResultTest {
  private static ByteBuffer words() {
    return ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void hypothesis(ByteBuffer to, int[] ids, double score, float[][] attention) {
    to.putInt(ids.length).putInt(0).putDouble(score).putDouble(score / ids.length);
    for (int id : ids) {
      to.putInt(id);
    }
    for (int i = 0; i < ids.length; i++) {
      to.putFloat(-i - 0.5f);
    }
    int words = 0;
    for (float[] row : attention) {
      for (float weight : row) {
        to.putFloat(weight);
        words++;
      }
    }
    if (words % 2 == 1) {
      to.putInt(77);
    }
  }

  private static Decoded read(ByteBuffer from, int at, int source, DecodeOptions options) {
    return GpuResult.decode(
        GpuResult.copy(from.asIntBuffer(), at, source, options), source, options);
  }

  @Test
  void readsTheListOfHypotheses() {
    ByteBuffer words = words().position(40);
    words.putInt(2).putInt(0);
    hypothesis(words, new int[] {7, 8, 0}, -3.25, new float[0][]);
    hypothesis(words, new int[] {9, 0}, -4.5, new float[0][]);
    Decoded decoded = read(words.clear(), 10, 5, DecodeOptions.beam(2).withNBest(2));
    assertThat(decoded.nBest()).hasSize(2);
    Hypothesis best = decoded.best();
    assertThat(best.ids()).containsExactly(7, 8, 0);
    assertThat(best.score()).isEqualTo(-3.25);
    assertThat(best.normalizedScore()).isEqualTo(-3.25 / 3);
    assertThat(best.wordScores()).containsExactly(-0.5f, -1.5f, -2.5f);
    assertThat(best.attention()).isNull();
    assertThat(decoded.nBest().get(1).ids()).containsExactly(9, 0);
    assertThat(decoded.nBest().get(1).score()).isEqualTo(-4.5);
  }

  @Test
  void readsAttentionAndPassesThePadding() {
    float[][] odd = {{0.25f, 0.5f, 0.25f}};
    ByteBuffer words = words();
    words.putInt(2).putInt(0);
    hypothesis(words, new int[] {0}, -1, odd);
    float[][] even = {{1, 0, 0}, {0, 1, 0}};
    hypothesis(words, new int[] {4, 0}, -2, even);
    DecodeOptions options = DecodeOptions.beam(2).withNBest(2).withAlignment(true);
    Decoded decoded = read(words.clear(), 0, 3, options);
    assertThat(decoded.best().attention()).isDeepEqualTo(odd);
    assertThat(decoded.nBest().get(1).ids()).containsExactly(4, 0);
    assertThat(decoded.nBest().get(1).attention()).isDeepEqualTo(even);
  }

  @Test
  void givesNoScoresWhereNoneAreWanted() {
    ByteBuffer words = words();
    words.putInt(1).putInt(0);
    hypothesis(words, new int[] {4, 0}, 12, new float[0][]);
    Decoded decoded = read(words.clear(), 0, 3, DecodeOptions.greedy().withScores(false));
    assertThat(decoded.best().ids()).containsExactly(4, 0);
    assertThat(decoded.best().score()).isNaN();
    assertThat(decoded.best().normalizedScore()).isNaN();
    assertThat(decoded.best().wordScores()).isNull();
  }

  @Test
  void aScoreThatIsNoNumberGivesNothing() {
    ByteBuffer words = words();
    words.putInt(-1).putInt(0);
    assertThat(read(words.clear(), 0, 3, DecodeOptions.beam(2))).isNull();
  }
}
