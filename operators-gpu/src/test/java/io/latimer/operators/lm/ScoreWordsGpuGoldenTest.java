package io.latimer.operators.lm;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The golden files on a GPU; skipped by name where there is none. */
class ScoreWordsGpuGoldenTest extends ScoreWordsGoldenTest {
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
