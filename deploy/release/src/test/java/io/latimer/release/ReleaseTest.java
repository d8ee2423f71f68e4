package io.latimer.release;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReleaseTest {
  /**
   * As {@code -Pall-gpus} and {@code -Dkernels.archs} build them; cards before sm_90 need sm_80.
   */
  @ParameterizedTest
  @CsvSource({
    "sm_80 sm_86 sm_89 sm_90 sm_100 sm_120 compute_90, true",
    "sm_90 compute_90, false",
    "sm_80 sm_90, false",
    "no GPU, false"
  })
  void kernelsForAllCardsHaveCodeForTheOldestAndTheNewest(String architectures, boolean all) {
    assertThat(Release.runOnAllCards(architectures)).isEqualTo(all);
  }
}
