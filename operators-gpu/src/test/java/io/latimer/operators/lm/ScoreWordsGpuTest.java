package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LanguageModel;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The GPU's scorer does what every scorer does; skipped by name where there is no GPU. */
class ScoreWordsGpuTest extends ScoreWordsContractTest {
  @RegisterExtension final GpuModels gpu = new GpuModels();

  @Override
  ScoreWords open(LanguageModel model) {
    return gpu.open(model);
  }

  @Override
  ScoreWords openWithLittleMemory(LanguageModel model) {
    return gpu.open(model, 32, 256);
  }
}
