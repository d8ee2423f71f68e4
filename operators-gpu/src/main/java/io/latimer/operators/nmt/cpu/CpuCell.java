package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.RnnSettings;
import java.util.List;

/**
 * One recurrent cell on the CPU; {@link RnnSettings} gives the equations.
 *
 * @param constant replaces the input in a transition cell, else null
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record CpuCell(
    CellKind kind,
    int h,
    Side y,
    Side multiplied,
    NativeMatrix u,
    NativeMatrix um,
    float[] constant)
    implements AutoCloseable {
  static CpuCell of(Network model, String prefix, CellKind kind) {
    boolean m = kind == CellKind.MLSTM;
    return new CpuCell(
        kind,
        model.settings(RnnSettings.class).state(),
        Side.ofCell(model, prefix + ".h"),
        m ? Side.ofLayer(model, prefix + ".hm") : null,
        NativeMatrix.join(model.tensor(prefix + ".U")),
        m ? NativeMatrix.join(model.tensor(prefix + ".Um")) : null,
        null);
  }

  static CpuCell transition(Network model, String prefix) {
    return new CpuCell(
        CellKind.GRU,
        model.settings(RnnSettings.class).state(),
        Side.ofCell(model, prefix + ".h"),
        null,
        NativeMatrix.join(model.tensor(prefix + ".U")),
        null,
        model.vector(prefix + ".x.bias"));
  }

  /**
   * Advances states by one step, in place.
   *
   * @param rows number of states
   * @param x products with the input, with sides applied; ignored by a transition cell
   * @param xRows row of x for each state
   * @param stride width of a row of x
   * @param at offset of the gates in a row of x
   * @param mAt offset of the multiplicative part in a row of x
   * @param state rows x H
   * @param cell rows x H; ignored by a GRU
   */
  void step(
      int rows,
      float[] x,
      int[] xRows,
      int stride,
      int at,
      int mAt,
      float[] state,
      float[] cell,
      Product product,
      Workspace w) {
    int wide = u.outputs;
    w.recurrent = Workspace.atLeast(w.recurrent, (long) rows * wide);
    float[] r = w.recurrent;
    if (kind == CellKind.MLSTM) {
      w.multiplied = Workspace.atLeast(w.multiplied, (long) rows * h);
      w.mixed = Workspace.atLeast(w.mixed, (long) rows * h);
      product.multiply(state, rows, um, w.multiplied);
      for (int i = 0; i < rows; i++) {
        multiplied.apply(w.multiplied, i * h);
        mix(x, xRows[i] * stride + mAt, w.multiplied, w.mixed, i * h);
      }
      product.multiply(w.mixed, rows, u, r);
    } else {
      product.multiply(state, rows, u, r);
    }
    for (int i = 0; i < rows; i++) {
      y.apply(r, i * wide);
      if (kind != CellKind.GRU) {
        lstm(x, xRows[i] * stride + at, r, i * wide, state, cell, i * h, w);
      } else if (constant == null) {
        gru(x, xRows[i] * stride + at, r, i * wide, state, i * h, w);
      } else {
        gru(constant, 0, r, i * wide, state, i * h, w);
      }
    }
  }

  private void mix(float[] x, int xo, float[] multiplied, float[] mixed, int at) {
    for (int j = 0; j < h; j++) {
      mixed[at + j] = x[xo + j] * multiplied[at + j];
    }
  }

  private void gru(float[] x, int xo, float[] y, int yo, float[] state, int so, Workspace w) {
    float[] gates = w.gates;
    float[] candidate = w.candidate;
    Vectors.add(x, xo, y, yo, gates, 2 * h);
    Vectors.sigmoid(gates, 2 * h);
    int xn = xo + 2 * h;
    int yn = yo + 2 * h;
    for (int j = 0; j < h; j++) {
      candidate[j] = Math.fma(gates[j], y[yn + j], x[xn + j]);
    }
    Vectors.tanh(candidate, h);
    for (int j = 0; j < h; j++) {
      state[so + j] = Math.fma(gates[h + j], state[so + j] - candidate[j], candidate[j]);
    }
  }

  private void lstm(
      float[] x, int xo, float[] y, int yo, float[] state, float[] cell, int so, Workspace w) {
    float[] gates = w.gates;
    float[] candidate = w.candidate;
    Vectors.add(x, xo, y, yo, gates, 3 * h);
    Vectors.sigmoid(gates, 3 * h);
    Vectors.add(x, xo + 3 * h, y, yo + 3 * h, candidate, h);
    Vectors.tanh(candidate, h);
    for (int j = 0; j < h; j++) {
      cell[so + j] = Math.fma(gates[j], cell[so + j], gates[h + j] * candidate[j]);
    }
    System.arraycopy(cell, so, candidate, 0, h);
    Vectors.tanh(candidate, h);
    for (int j = 0; j < h; j++) {
      state[so + j] = gates[2 * h + j] * candidate[j];
    }
  }

  List<NativeMatrix> matrices() {
    return um == null ? List.of(u) : List.of(u, um);
  }

  @Override
  public void close() {
    matrices().forEach(NativeMatrix::close);
  }
}
