package io.latimer.operators.nmt.convert;

import io.latimer.operators.nmt.convert.RnnNames.Layer;
import io.latimer.operators.nmt.convert.RnnNames.Role;
import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.LayerNormalization;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.nmt.model.Tensor;
import java.util.Arrays;
import java.util.Map;

/**
 * Converts cells and layers: joins tensors that files keep apart, and reorders biases and gates.
 *
 * @param normalization of the model
 * @param h width of the state
 * @param out receives the tensors
 */
record RnnCellConverter(
    WeightReader in,
    RnnNames names,
    LayerNormalization normalization,
    int h,
    Map<String, Tensor> out) {
  /**
   * Marian's LSTM orders its columns f, i, candidate, output; maps canonical block to file block.
   */
  private static final int[] MARIAN_LSTM = {0, 1, 3, 2};

  /** Infers a cell's kind from its tensors. */
  CellKind kind(Role role) {
    boolean multiplicative = false;
    for (String part : new String[] {"Wm", "bxm", "Um", "bhm"}) {
      multiplicative |= in.has(names.cell(role, part));
    }
    if (multiplicative) {
      return CellKind.MLSTM;
    }
    String name = names.cell(role, "U");
    Tensor u = in.any(name, h + " rows of gates");
    boolean apart = in.has(names.cell(role, "Ux"));
    if (u.rows() == h) {
      if (u.cols() == 2 * h) {
        return CellKind.GRU;
      }
      if (u.cols() == (apart ? 3 : 4) * h) {
        return CellKind.LSTM;
      }
    }
    throw in.shape(
        u, h + " x " + 2 * h + " (gru) or " + h + " x " + (apart ? 3 : 4) * h + " (lstm)");
  }

  /** Converts a cell with an input of the given width. */
  void cell(Role role, CellKind kind, int input) {
    String p = role.canonical;
    int wide = kind.blocks() * h;
    boolean apart = kind == CellKind.GRU || in.has(names.cell(role, "Wx"));
    if (names == RnnNames.MARIAN && kind != CellKind.GRU && apart) {
      throw new ModelFormatException(
          in.origin()
              + ": tensor "
              + names.cell(role, "Wx")
              + " is not expected in a Marian "
              + kind);
    }
    put(p + ".W", input, wide, gates(role, "W", "Wx", input, wide, apart));
    put(p + ".U", h, wide, gates(role, "U", "Ux", h, wide, apart));
    float[] bias = gates(role, "b", "bx", 1, wide, apart);
    float[] zero = new float[wide];

    // a GRU after the attention adds its candidate's bias to h·U, inside the product with r
    boolean inside = kind == CellKind.GRU && role == Role.CELL2;
    float[] outer = bias.clone();
    float[] inner = zero.clone();
    if (inside) {
      System.arraycopy(bias, 2 * h, inner, 2 * h, h);
      Arrays.fill(outer, 2 * h, 3 * h, 0f);
    }
    switch (normalization) {
      case NONE -> {
        put(p + ".x.bias", 1, wide, outer);
        put(p + ".h.bias", 1, wide, inner);
      }
      case JOINT -> {
        if (names == RnnNames.AMUN && kind != CellKind.GRU) {
          throw new ModelFormatException(
              in.origin() + ": layer normalization in Amun's " + kind + " cells is not supported");
        }
        side(p + ".x", zero, gates(role, "gamma1", wide), outer);
        side(p + ".h", zero, gates(role, "gamma2", wide), inner);
      }
      case SEPARATE -> {
        if (kind != CellKind.GRU) {
          throw new ModelFormatException(
              in.origin()
                  + ": layer normalization of Nematus in "
                  + kind
                  + " cells is not supported");
        }
        side(p + ".x", inside ? zero : bias, scales(role, "W", "_lns"), scales(role, "W", "_lnb"));
        side(p + ".h", inside ? bias : zero, scales(role, "U", "_lns"), scales(role, "U", "_lnb"));
      }
    }
    if (kind == CellKind.MLSTM) {
      multiplicative(role, input);
    }
  }

  private void multiplicative(Role role, int input) {
    String p = role.canonical;
    put(p + ".Wm", input, h, in.matrix(names.cell(role, "Wm"), input, h));
    put(p + ".Um", h, h, in.matrix(names.cell(role, "Um"), h, h));
    float[] x = in.vector(names.cell(role, "bxm"), h);
    float[] y = in.vector(names.cell(role, "bhm"), h);
    if (normalization == LayerNormalization.NONE) {
      put(p + ".xm.bias", 1, h, x);
      put(p + ".hm.bias", 1, h, y);
    } else {
      side(p + ".xm", x, in.vector(names.cell(role, "gamma1m"), h), new float[h]);
      side(p + ".hm", y, in.vector(names.cell(role, "gamma2m"), h), new float[h]);
    }
  }

  /** Reads the gates and the candidate of one matrix (or vector) in canonical block order. */
  private float[] gates(
      Role role, String gate, String candidate, int rows, int wide, boolean apart) {
    if (!apart) {
      String name = names.cell(role, gate);
      float[] whole = rows == 1 ? in.vector(name, wide) : in.matrix(name, rows, wide);
      return names == RnnNames.MARIAN ? reorder(whole, rows) : whole;
    }
    String first = names.cell(role, gate);
    String second = names.cell(role, candidate);
    if (rows == 1) {
      return join(in.vector(first, wide - h), in.vector(second, h), 1);
    }
    return join(in.matrix(first, rows, wide - h), in.matrix(second, rows, h), rows);
  }

  private float[] gates(Role role, String gamma, int wide) {
    float[] whole = in.vector(names.cell(role, gamma), wide);
    return wide == 4 * h && names == RnnNames.MARIAN ? reorder(whole, 1) : whole;
  }

  private float[] scales(Role role, String product, String suffix) {
    return join(
        in.vector(names.cell(role, product) + suffix, 2 * h),
        in.vector(names.cell(role, product + "x") + suffix, h),
        1);
  }

  private float[] reorder(float[] from, int rows) {
    float[] to = new float[from.length];
    for (int r = 0; r < rows; r++) {
      for (int block = 0; block < 4; block++) {
        System.arraycopy(from, (r * 4 + MARIAN_LSTM[block]) * h, to, (r * 4 + block) * h, h);
      }
    }
    return to;
  }

  private static float[] join(float[] left, float[] right, int rows) {
    int a = left.length / rows;
    int b = right.length / rows;
    float[] both = new float[left.length + right.length];
    for (int r = 0; r < rows; r++) {
      System.arraycopy(left, r * a, both, r * (a + b), a);
      System.arraycopy(right, r * b, both, r * (a + b) + a, b);
    }
    return both;
  }

  /**
   * Converts all transition cells of a stack.
   *
   * @param prefix the file's prefix, such as {@code encoder_r}
   * @param infix text between a part's name and the cell's number
   * @param canonical the canonical prefix of the stack
   * @param inside whether biases are added to h·U (decoder) or outside (encoder)
   */
  int transitions(String prefix, String infix, String canonical, boolean inside) {
    int n = 0;
    while (in.has(prefix + "_U" + infix + (n + 1))) {
      n++;
      String end = infix + n;
      String p = canonical + ".transition" + n;
      String gates = prefix + "_U" + end;
      String candidate = prefix + "_Ux" + end;
      float[] bias =
          join(in.vector(prefix + "_b" + end, 2 * h), in.vector(prefix + "_bx" + end, h), 1);
      float[] zero = new float[3 * h];
      put(p + ".x.bias", 1, 3 * h, inside ? zero : bias);
      put(p + ".U", h, 3 * h, join(in.matrix(gates, h, 2 * h), in.matrix(candidate, h, h), h));
      float[] inner = inside ? bias : zero;
      switch (normalization) {
        case NONE -> put(p + ".h.bias", 1, 3 * h, inner);
        case SEPARATE ->
            side(
                p + ".h",
                inner,
                join(in.vector(gates + "_lns", 2 * h), in.vector(candidate + "_lns", h), 1),
                join(in.vector(gates + "_lnb", 2 * h), in.vector(candidate + "_lnb", h), 1));
        case JOINT ->
            throw new ModelFormatException(
                in.origin()
                    + ": tensor "
                    + gates
                    + ": deep transition with Amun's layer normalization is not supported");
      }
    }
    return n;
  }

  /** Converts a layer with Amun's bias and either kind of normalization. */
  void layer(Layer layer, int inputs, int outputs) {
    String w = names.layer(layer, "W");
    put(layer.canonical + ".W", inputs, outputs, in.matrix(w, inputs, outputs));
    float[] bias = in.vector(names.layer(layer, "b"), outputs);
    float[] zero = new float[outputs];
    switch (normalization) {
      case NONE -> put(layer.canonical + ".bias", 1, outputs, bias);
      case JOINT ->
          side(layer.canonical, zero, in.vector(names.layer(layer, "gamma"), outputs), bias);
      case SEPARATE ->
          side(
              layer.canonical,
              bias,
              in.vector(names.layer(layer, "ln_s"), outputs),
              in.vector(names.layer(layer, "ln_b"), outputs));
    }
  }

  /** Converts the attention and returns its width. */
  int attention() {
    String keyName = "decoder_Wc_att";
    String queryName = "decoder_W_comb_att";
    Tensor query = in.any(queryName, h + " x attention");
    int a = query.cols();
    put("attention.key.W", 2 * h, a, in.matrix(keyName, 2 * h, a));
    put("attention.query.W", h, a, in.matrix(queryName, h, a));
    put("attention.score", 1, a, in.vector("decoder_U_att", a));
    float[] bias = in.vector("decoder_b_att", a);
    float[] zero = new float[a];
    switch (normalization) {
      case NONE -> {
        put("attention.key.bias", 1, a, bias);
        put("attention.query.bias", 1, a, zero);
      }
      case JOINT -> {
        side("attention.key", zero, in.vector("decoder_att_gamma1", a), bias);
        side("attention.query", zero, in.vector("decoder_att_gamma2", a), zero);
      }
      case SEPARATE -> {
        side("attention.key", bias, in.vector(keyName + "_lns", a), in.vector(keyName + "_lnb", a));
        side(
            "attention.query",
            zero,
            in.vector(queryName + "_lns", a),
            in.vector(queryName + "_lnb", a));
      }
    }
    return a;
  }

  private void side(String prefix, float[] bias, float[] gain, float[] shift) {
    put(prefix + ".bias", 1, bias.length, bias);
    put(prefix + ".gain", 1, gain.length, gain);
    put(prefix + ".shift", 1, shift.length, shift);
  }

  private void put(String name, int rows, int cols, float[] values) {
    out.put(name, Tensor.of(name, rows, cols, values));
  }
}
