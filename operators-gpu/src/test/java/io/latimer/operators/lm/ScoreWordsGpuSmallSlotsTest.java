package io.latimer.operators.lm;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Slots of 32 tokens and 256 bytes: sentences are cut, and go on in the other slot with their
 * context.
 */
class ScoreWordsGpuSmallSlotsTest extends ScoreWordsContractTest {
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
    return gpu.closing(new ScoreWordsGpu(gpu.bring(model), 32, 256));
  }
}
