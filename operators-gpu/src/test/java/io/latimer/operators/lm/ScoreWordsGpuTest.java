package io.latimer.operators.lm;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The GPU's scorer does what every scorer does; skipped by name where there is no GPU. */
class ScoreWordsGpuTest extends ScoreWordsContractTest {
  private GpuModels gpu;

  @BeforeEach
  void findGpu() {
    gpu = new GpuModels();
  }

  @AfterEach
  void leavesNothingOpen() {
    if (gpu != null) {
      gpu.close();
    }
  }

  @Override
  ScoreWords open(LanguageModel model) {
    return gpu.closing(new ScoreWordsGpu(gpu.bring(model)));
  }
}
