package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.CellKind;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.RnnSettings;
import io.latimer.operators.nmt.model.Tensor;
import java.util.ArrayList;
import java.util.List;

/** A recurrent network's weights in native memory, laid out for the CPU. */
final class CpuRnnModel extends CpuWeights {
  /** A part of the product with an input: its offset and its side. */
  record Part(Side side, int at) {}

  /** A cell with an input, and the transition cells after it. */
  record Stack(CpuCell cell, Part input, Part multiplied, List<CpuCell> transitions) {
    /** Applies the sides of products with inputs, of which each takes {@code stride} numbers. */
    void applySides(float[] inputs, int count, int stride) {
      input.side().applyAll(inputs, count, stride, input.at());
      if (multiplied.side() != null) {
        multiplied.side().applyAll(inputs, count, stride, multiplied.at());
      }
    }

    /** A step of all cells; each state takes the input of its row. */
    void step(
        int count,
        float[] inputs,
        int[] rows,
        int stride,
        float[] states,
        float[] cells,
        Product product,
        Workspace work) {
      int at = input.at();
      cell.step(count, inputs, rows, stride, at, multiplied.at(), states, cells, product, work);
      for (CpuCell transition : transitions) {
        transition.step(count, inputs, rows, stride, 0, 0, states, cells, product, work);
      }
    }
  }

  final RnnSettings settings;

  /** Embedding to both encoder cells. */
  final NativeMatrix encoderInput;

  final Stack forward;
  final Stack backward;
  final NativeMatrix start;
  final Side startSide;
  final NativeMatrix key;
  final Side keySide;
  final NativeMatrix query;
  final Side querySide;
  final float[] score;

  /** Embedding to decoder cell 1 and to the readout. */
  final NativeMatrix wordInput;

  final Stack cell1;
  final Part readoutPrevious;

  /** Context to decoder cell 2 and to the readout. */
  final NativeMatrix contextInput;

  final Stack cell2;
  final Part readoutContext;
  final NativeMatrix readoutState;
  final Side readoutStateSide;

  CpuRnnModel(Network model) {
    super(model);
    RnnSettings s = model.settings(RnnSettings.class);
    settings = s;
    List<Tensor> columns = new ArrayList<>();
    forward = stack(model, "encoder.forward", s.forwardCell(), s.encoderTransitions(), columns);
    backward = stack(model, "encoder.backward", s.backwardCell(), s.encoderTransitions(), columns);
    encoderInput = join(columns);
    start = own(NativeMatrix.join(model.tensor("start.W")));
    startSide = Side.ofLayer(model, "start");
    key = own(NativeMatrix.join(model.tensor("attention.key.W")));
    keySide = Side.ofLayer(model, "attention.key");
    query = own(NativeMatrix.join(model.tensor("attention.query.W")));
    querySide = Side.ofLayer(model, "attention.query");
    score = model.vector("attention.score");

    columns.clear();
    cell1 = stack(model, "decoder.cell1", s.decoderCell1(), 0, columns);
    readoutPrevious = layer(model, "readout.previous", columns);
    wordInput = join(columns);

    columns.clear();
    CpuCell second = own(CpuCell.of(model, "decoder.cell2", s.decoderCell2()));
    Part input = part(model, "decoder.cell2", columns);
    Part multiplied = multiplied(model, "decoder.cell2", s.decoderCell2(), columns);
    cell2 =
        new Stack(second, input, multiplied, transitions(model, "decoder", s.decoderTransitions()));
    readoutContext = layer(model, "readout.context", columns);
    contextInput = join(columns);
    readoutState = own(NativeMatrix.join(model.tensor("readout.state.W")));
    readoutStateSide = Side.ofLayer(model, "readout.state");
  }

  @Override
  RnnSettings settings() {
    return settings;
  }

  @Override
  CpuRnnDecoder decoder(Product product) {
    return new CpuRnnDecoder(this, product);
  }

  @Override
  long bytesPerToken() {
    return CpuRnnEncoder.bytesPerToken(this);
  }

  @Override
  long bytesPerRow() {
    return CpuRnnDecoder.bytesPerRow(this);
  }

  @Override
  long bytesPerTargetToken() {
    return 0;
  }

  private NativeMatrix join(List<Tensor> columns) {
    return own(NativeMatrix.join(columns.toArray(new Tensor[0])));
  }

  private Stack stack(
      Network model, String prefix, CellKind kind, int transitions, List<Tensor> columns) {
    CpuCell cell = own(CpuCell.of(model, prefix, kind));
    Part input = part(model, prefix, columns);
    Part multiplied = multiplied(model, prefix, kind, columns);
    return new Stack(cell, input, multiplied, transitions(model, prefix, transitions));
  }

  private List<CpuCell> transitions(Network model, String prefix, int n) {
    List<CpuCell> cells = new ArrayList<>();
    for (int i = 1; i <= n; i++) {
      cells.add(own(CpuCell.transition(model, prefix + ".transition" + i)));
    }
    return List.copyOf(cells);
  }

  private static Part part(Network model, String prefix, List<Tensor> columns) {
    int at = width(columns);
    columns.add(model.tensor(prefix + ".W"));
    return new Part(Side.ofCell(model, prefix + ".x"), at);
  }

  private static Part multiplied(
      Network model, String prefix, CellKind kind, List<Tensor> columns) {
    int at = width(columns);
    if (kind != CellKind.MLSTM) {
      return new Part(null, at);
    }
    columns.add(model.tensor(prefix + ".Wm"));
    return new Part(Side.ofLayer(model, prefix + ".xm"), at);
  }

  private static Part layer(Network model, String prefix, List<Tensor> columns) {
    int at = width(columns);
    columns.add(model.tensor(prefix + ".W"));
    return new Part(Side.ofLayer(model, prefix), at);
  }

  private static int width(List<Tensor> columns) {
    int width = 0;
    for (Tensor tensor : columns) {
      width = Math.addExact(width, tensor.cols());
    }
    return width;
  }

  @Override
  int widest() {
    return Math.max(super.widest(), 4 * settings.state());
  }
}
