package io.latimer.operators.phrases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PhraseOptionsTest {
  @Test
  void areZeroOrMore() {
    assertThatThrownBy(() -> new PhraseOptions(-1, 0, 0, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("samples must be 0 or more, found -1");
    assertThatThrownBy(() -> new PhraseOptions(0, -2, 0, false))
        .hasMessage("the maximum of source words must be 0 or more, found -2");
    assertThatThrownBy(() -> new PhraseOptions(0, 0, -3, false))
        .hasMessage("the maximum of target words must be 0 or more, found -3");
  }

  @Test
  void sampleAtMostWhatThereIsAndWhatCanBeCounted() {
    assertThat(PhraseOptions.DEFAULT.sampled(299)).isEqualTo(299);
    assertThat(PhraseOptions.DEFAULT.sampled(5_000_000_000L)).isEqualTo(300);
    PhraseOptions all = new PhraseOptions(0, 0, 0, false);
    assertThat(all.sampled(7)).isEqualTo(7);
    assertThat(all.sampled(5_000_000_000L)).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void sampleLearnedPairsBesideTheIndexFile() {
    assertThat(PhraseOptions.DEFAULT.sampledOfLearned(299, 300)).isEqualTo(299);
    assertThat(PhraseOptions.DEFAULT.sampledOfLearned(301, 300)).isEqualTo(300);
    PhraseOptions all = new PhraseOptions(0, 0, 0, false);
    assertThat(all.sampledOfLearned(1000, 7)).isEqualTo(1000);
    assertThat(all.sampledOfLearned(1000, Integer.MAX_VALUE - 3)).isEqualTo(3);
  }

  @Test
  void zeroIsNoLimit() {
    PhraseOptions none = new PhraseOptions(0, 0, 0, false);
    assertThat(none.longest(70_000)).isEqualTo(70_000);
    assertThat(none.isTooLong(70_000)).isFalse();
    assertThat(none.extension(70_000)).isGreaterThan(70_000);
    PhraseOptions some = new PhraseOptions(0, 5, 15, false);
    assertThat(some.longest(4)).isEqualTo(4);
    assertThat(some.longest(6)).isEqualTo(5);
    assertThat(some.isTooLong(15)).isFalse();
    assertThat(some.isTooLong(16)).isTrue();
    assertThat(some.extension(15)).isZero();
    assertThat(some.extension(12)).isEqualTo(3);
  }
}
