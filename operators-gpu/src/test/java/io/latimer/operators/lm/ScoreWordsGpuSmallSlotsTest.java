package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LanguageModel;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Slots of 32 tokens and 256 bytes: sentences are cut, and go on in the other slot with their
 * context.
 */
class ScoreWordsGpuSmallSlotsTest extends ScoreWordsContractTest {
  @RegisterExtension final GpuModels gpu = new GpuModels();

  @Override
  ScoreWords open(LanguageModel model) {
    return gpu.open(model, 32, 256);
  }

  @Override
  ScoreWords openWithLittleMemory(LanguageModel model) {
    return open(model);
  }
}
