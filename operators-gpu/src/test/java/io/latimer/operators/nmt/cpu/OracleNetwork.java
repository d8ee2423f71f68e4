package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.Tensor;

/** A network that computes one word of one hypothesis at a time. */
interface OracleNetwork {
  /** What a hypothesis carries from word to word; never changed. */
  interface State {}

  /** The next state, and the logarithm of each word's probability. */
  final class Step {
    final State state;
    final double[] logProbability;

    Step(State state, double[] logProbability) {
      this.state = state;
      this.logProbability = logProbability;
    }
  }

  State start(int[] source);

  /**
   * Computes the next word.
   *
   * @param word the last word, or -1
   * @param attention becomes the alignment's weights, one a source token
   */
  Step step(int word, State state, double[] attention);

  /** The output layer and the logarithm of its softmax. */
  default double[] logProbability(Network model, double[] readout) {
    Tensor output = model.output();
    Tensor bias = model.tensor("output.bias");
    double[] logits = new double[model.targetVocabulary()];
    double sum = 0;
    for (int id = 0; id < logits.length; id++) {
      logits[id] = bias.get(0, id);
      for (int j = 0; j < readout.length; j++) {
        logits[id] += readout[j] * output.get(id, j);
      }
      sum += Math.exp(logits[id]);
    }
    for (int id = 0; id < logits.length; id++) {
      logits[id] -= Math.log(sum);
    }
    return logits;
  }
}
