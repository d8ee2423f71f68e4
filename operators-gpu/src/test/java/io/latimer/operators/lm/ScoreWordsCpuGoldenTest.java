package io.latimer.operators.lm;

class ScoreWordsCpuGoldenTest extends ScoreWordsGoldenTest {
  @Override
  ScoreWords open(LanguageModel model) {
    return new ScoreWordsCpu(model, 2);
  }
}
