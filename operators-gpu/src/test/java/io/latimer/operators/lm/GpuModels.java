package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LanguageModel;
import io.latimer.operators.testing.TestGpu;

/** The scorers that a test has made on a GPU, each with a model of its own. */
final class GpuModels extends TestGpu {

  /** A scorer; closed with this, if not by the test. */
  ScoreWords open(LanguageModel model) {
    return closing(new ScoreWordsGpu(bring(model)));
  }

  /** A scorer whose slots have room for so many tokens and bytes. */
  ScoreWords open(LanguageModel model, int tokens, int bytes) {
    return closing(new ScoreWordsGpu(bring(model), tokens, bytes));
  }

  private GpuLanguageModel bring(LanguageModel model) {
    GpuLanguageModel made = new GpuLanguageModel(model, device());
    afterwards(made::close);
    return made;
  }

  private ScoreWords closing(ScoreWords scorer) {
    afterwards(scorer::close);
    return scorer;
  }
}
