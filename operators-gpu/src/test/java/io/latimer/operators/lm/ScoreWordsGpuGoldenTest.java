package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LanguageModel;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The golden files on a GPU; skipped by name where there is none. */
class ScoreWordsGpuGoldenTest extends ScoreWordsGoldenTest {
  @RegisterExtension final GpuModels gpu = new GpuModels();

  @Override
  ScoreWords open(LanguageModel model) {
    return gpu.open(model);
  }
}
