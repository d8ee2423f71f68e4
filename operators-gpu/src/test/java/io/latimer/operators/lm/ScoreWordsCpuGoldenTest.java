package io.latimer.operators.lm;

import io.latimer.operators.lm.model.LanguageModel;

class ScoreWordsCpuGoldenTest extends ScoreWordsGoldenTest {
  @Override
  ScoreWords open(LanguageModel model) {
    return new ScoreWordsCpu(model, 2);
  }
}
