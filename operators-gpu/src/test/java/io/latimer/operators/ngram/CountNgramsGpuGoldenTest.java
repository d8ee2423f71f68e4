package io.latimer.operators.ngram;

import io.latimer.operators.testing.TestDevices;
import java.util.List;

/** The GPU's counter gives them by every strategy; skipped by name where there is no GPU. */
class CountNgramsGpuGoldenTest extends CountNgramsGoldenTest {
  @Override
  protected CountNgrams<byte[]> open(NgramOptions options) {
    return CountNgramsGpu.ofBytes(options, TestDevices.gpu());
  }

  @Override
  protected List<NgramStrategy> strategies() {
    return List.of(NgramStrategy.values());
  }
}
