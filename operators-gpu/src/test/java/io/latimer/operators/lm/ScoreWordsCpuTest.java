package io.latimer.operators.lm;

/** The scorer of the CPU, with more threads than words now and then. */
class ScoreWordsCpuTest extends ScoreWordsContractTest {
  @Override
  ScoreWords open(LanguageModel model) {
    return new ScoreWordsCpu(model, 3);
  }
}
