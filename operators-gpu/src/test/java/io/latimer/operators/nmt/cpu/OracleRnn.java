package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.Tensor;

/**
 * A recurrent network as plainly as the equations of {@link RnnSettings} stand there, in 64 bits.
 */
final class OracleRnn implements OracleNetwork {
  private static final class Running implements State {
    final double[][] annotations;
    final double[] state;
    final double[] cell;

    Running(double[][] annotations, double[] state, double[] cell) {
      this.annotations = annotations;
      this.state = state;
      this.cell = cell;
    }
  }

  private final Network model;
  private final RnnSettings s;
  private final int h;

  OracleRnn(Network model) {
    this.model = model;
    this.s = model.settings(RnnSettings.class);
    this.h = s.state();
  }

  private double[][] encode(int[] source) {
    int n = source.length;
    double[][] annotations = new double[n][2 * h];
    for (boolean forward : new boolean[] {true, false}) {
      String prefix = forward ? "encoder.forward" : "encoder.backward";
      CellKind kind = forward ? s.forwardCell() : s.backwardCell();
      double[] state = new double[h];
      double[] cell = new double[h];
      for (int t = 0; t < n; t++) {
        int at = forward ? t : n - 1 - t;
        cell(prefix, kind, row("source.embedding", source[at]), state, cell);
        for (int i = 1; i <= s.encoderTransitions(); i++) {
          transition(prefix + ".transition" + i, state);
        }
        System.arraycopy(state, 0, annotations[at], forward ? 0 : h, h);
      }
    }
    return annotations;
  }

  private double[] start(double[][] annotations) {
    double[] mean = new double[2 * h];
    for (double[] annotation : annotations) {
      for (int j = 0; j < mean.length; j++) {
        mean[j] += annotation[j] / annotations.length;
      }
    }
    return tanh(side("start", times(mean, "start.W"), mean.length / 2));
  }

  @Override
  public State start(int[] source) {
    double[][] annotations = encode(source);
    double[] start = start(annotations);
    return new Running(annotations, start, s.startsCellFromState() ? start.clone() : new double[h]);
  }

  @Override
  public Step step(int word, State before, double[] attention) {
    Running running = (Running) before;
    double[][] annotations = running.annotations;
    double[] state = running.state.clone();
    double[] cell = running.cell.clone();
    double[] e =
        word < 0
            ? new double[s.embedding()]
            : row(s.sharesEmbeddings() ? "source.embedding" : "target.embedding", word);
    cell("decoder.cell1", s.decoderCell1(), e, state, cell);

    double[] query = side("attention.query", times(state, "attention.query.W"), s.attention());
    double total = 0;
    for (int t = 0; t < annotations.length; t++) {
      double[] key = side("attention.key", times(annotations[t], "attention.key.W"), s.attention());
      double energy = 0;
      for (int j = 0; j < key.length; j++) {
        energy += Math.tanh(key[j] + query[j]) * get("attention.score", 0, j);
      }
      attention[t] = Math.exp(energy);
      total += attention[t];
    }
    double[] context = new double[2 * h];
    for (int t = 0; t < annotations.length; t++) {
      attention[t] /= total;
      for (int j = 0; j < context.length; j++) {
        context[j] += attention[t] * annotations[t][j];
      }
    }

    cell("decoder.cell2", s.decoderCell2(), context, state, cell);
    for (int i = 1; i <= s.decoderTransitions(); i++) {
      transition("decoder.transition" + i, state);
    }

    double[] a = side("readout.state", times(state, "readout.state.W"), s.embedding());
    double[] b = side("readout.previous", times(e, "readout.previous.W"), s.embedding());
    double[] c = side("readout.context", times(context, "readout.context.W"), s.embedding());
    for (int j = 0; j < a.length; j++) {
      a[j] = Math.tanh(a[j] + b[j] + c[j]);
    }
    return new Step(new Running(annotations, state, cell), logProbability(model, a));
  }

  private void cell(String p, CellKind kind, double[] input, double[] state, double[] cell) {
    int gates = (kind.blocks() - 1) * h;
    double[] x = side(p + ".x", times(input, p + ".W"), gates);
    double[] recurrent = state;
    if (kind == CellKind.MLSTM) {
      double[] xm = side(p + ".xm", times(input, p + ".Wm"), h);
      recurrent = side(p + ".hm", times(state, p + ".Um"), h);
      for (int j = 0; j < h; j++) {
        recurrent[j] *= xm[j];
      }
    }
    double[] y = side(p + ".h", times(recurrent, p + ".U"), gates);
    if (kind == CellKind.GRU) {
      gru(x, y, state);
      return;
    }
    for (int j = 0; j < h; j++) {
      double forget = sigmoid(x[j] + y[j]);
      double in = sigmoid(x[h + j] + y[h + j]);
      double out = sigmoid(x[2 * h + j] + y[2 * h + j]);
      cell[j] = forget * cell[j] + in * Math.tanh(x[3 * h + j] + y[3 * h + j]);
      state[j] = out * Math.tanh(cell[j]);
    }
  }

  private void transition(String p, double[] state) {
    gru(row(p + ".x.bias", 0), side(p + ".h", times(state, p + ".U"), 2 * h), state);
  }

  private void gru(double[] x, double[] y, double[] state) {
    for (int j = 0; j < h; j++) {
      double reset = sigmoid(x[j] + y[j]);
      double update = sigmoid(x[h + j] + y[h + j]);
      double candidate = Math.tanh(x[2 * h + j] + reset * y[2 * h + j]);
      state[j] = update * state[j] + (1 - update) * candidate;
    }
  }

  /** Bias and normalization; the gates end where the second group of a SEPARATE cell starts. */
  private double[] side(String p, double[] v, int gates) {
    for (int j = 0; j < v.length; j++) {
      v[j] += get(p + ".bias", 0, j);
    }
    if (s.normalization() == LayerNormalization.NONE) {
      return v;
    }
    boolean split = s.normalization() == LayerNormalization.SEPARATE && gates < v.length;
    normalize(p, v, 0, split ? gates : v.length);
    if (split) {
      normalize(p, v, gates, v.length);
    }
    return v;
  }

  private void normalize(String p, double[] v, int from, int to) {
    double mean = 0;
    for (int j = from; j < to; j++) {
      mean += v[j] / (to - from);
    }
    double variance = 0;
    for (int j = from; j < to; j++) {
      variance += (v[j] - mean) * (v[j] - mean) / (to - from);
    }
    double scale = 1 / Math.sqrt(variance + s.normalization().epsilon());
    for (int j = from; j < to; j++) {
      v[j] = (v[j] - mean) * scale * get(p + ".gain", 0, j) + get(p + ".shift", 0, j);
    }
  }

  private double[] times(double[] x, String name) {
    Tensor w = model.tensor(name);
    double[] y = new double[w.cols()];
    for (int j = 0; j < y.length; j++) {
      for (int k = 0; k < x.length; k++) {
        y[j] += x[k] * w.get(k, j);
      }
    }
    return y;
  }

  private double get(String name, int row, int col) {
    return model.tensor(name).get(row, col);
  }

  private double[] row(String name, int row) {
    double[] values = new double[model.tensor(name).cols()];
    for (int j = 0; j < values.length; j++) {
      values[j] = get(name, row, j);
    }
    return values;
  }

  private static double[] tanh(double[] v) {
    for (int j = 0; j < v.length; j++) {
      v[j] = Math.tanh(v[j]);
    }
    return v;
  }

  private static double sigmoid(double v) {
    return 1 / (1 + Math.exp(-v));
  }
}
