package io.latimer.operators.nmt.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The equations of the document for recurrent networks, one sentence at a time. */
final class DocumentedRecurrent extends DocumentedNetwork {
  private final int state;

  DocumentedRecurrent(Map<String, byte[]> sections) throws Exception {
    super("recurrent", sections);
    state = settings.get("state").intValue();
  }

  @Override
  double[] wordScores(int[] source, int[] target) {
    List<double[]> inputs = new ArrayList<>();
    for (int id : source) {
      inputs.add(tensor("source.embedding")[id]);
    }
    List<double[]> forward = encode("encoder.forward", "forwardCell", inputs);
    Collections.reverse(inputs);
    List<double[]> backward = encode("encoder.backward", "backwardCell", inputs);
    Collections.reverse(backward);
    List<double[]> annotations = new ArrayList<>();
    List<double[]> keys = new ArrayList<>();
    double[] mean = new double[2 * state];
    for (int t = 0; t < source.length; t++) {
      double[] both = Arrays.copyOf(forward.get(t), 2 * state);
      System.arraycopy(backward.get(t), 0, both, state, state);
      annotations.add(both);
      keys.add(layer("attention.key", both));
      for (int i = 0; i < mean.length; i++) {
        mean[i] += both[i] / source.length;
      }
    }
    double[] h = tanh(layer("start", mean));
    double[] c = settings.get("startsCellFromState").booleanValue() ? h : new double[state];
    double[][] words =
        tensor(
            settings.get("sharesEmbeddings").booleanValue()
                ? "source.embedding"
                : "target.embedding");
    double[][] output = settings.get("tiesOutput").booleanValue() ? words : tensor("output.Wt");
    double[] e = new double[words[0].length];
    double[] scores = new double[target.length];
    for (int j = 0; j < target.length; j++) {
      double[][] first = cell("decoder.cell1", "decoderCell1", e, h, c);
      double[] context = attend(keys, annotations, layer("attention.query", first[0]));
      double[][] second = cell("decoder.cell2", "decoderCell2", context, first[0], first[1]);
      h = second[0];
      c = second[1];
      for (int i = 1; i <= settings.get("decoderTransitions").intValue(); i++) {
        h = transition("decoder.transition" + i, h);
      }
      double[] o =
          tanh(
              add(
                  add(layer("readout.state", h), layer("readout.previous", e)),
                  layer("readout.context", context)));
      scores[j] = logSoftmax(output, o, target[j]);
      e = words[target[j]];
    }
    return scores;
  }

  private List<double[]> encode(String name, String kind, List<double[]> inputs) {
    List<double[]> states = new ArrayList<>();
    double[] h = new double[state];
    double[] c = new double[state];
    for (double[] x : inputs) {
      double[][] next = cell(name, kind, x, h, c);
      h = next[0];
      c = next[1];
      for (int i = 1; i <= settings.get("encoderTransitions").intValue(); i++) {
        h = transition(name + ".transition" + i, h);
      }
      states.add(h);
    }
    return states;
  }

  private double[] attend(List<double[]> keys, List<double[]> annotations, double[] query) {
    double[] score = tensor("attention.score")[0];
    double[] weights = new double[keys.size()];
    double sum = 0;
    for (int t = 0; t < weights.length; t++) {
      double[] a = tanh(add(keys.get(t), query));
      double total = 0;
      for (int i = 0; i < a.length; i++) {
        total += a[i] * score[i];
      }
      weights[t] = Math.exp(total);
      sum += weights[t];
    }
    double[] context = new double[2 * state];
    for (int t = 0; t < weights.length; t++) {
      for (int i = 0; i < context.length; i++) {
        context[i] += weights[t] / sum * annotations.get(t)[i];
      }
    }
    return context;
  }

  /** Returns h' and c'. */
  private double[][] cell(String p, String kind, double[] x, double[] h, double[] c) {
    String cell = settings.get(kind).asText();
    double[] fromX = side(p + ".x", times(x, tensor(p + ".W")), true);
    double[] from = h;
    if (cell.equals("MLSTM")) {
      double[] mx = side(p + ".xm", times(x, tensor(p + ".Wm")), false);
      double[] mh = side(p + ".hm", times(h, tensor(p + ".Um")), false);
      from = new double[state];
      for (int i = 0; i < state; i++) {
        from[i] = mx[i] * mh[i];
      }
    }
    double[] fromH = side(p + ".h", times(from, tensor(p + ".U")), true);
    if (cell.equals("GRU")) {
      return new double[][] {gru(fromX, fromH, h), c};
    }
    double[] nextH = new double[state];
    double[] nextC = new double[state];
    double[] sum = add(fromX, fromH);
    for (int i = 0; i < state; i++) {
      double forget = sigmoid(sum[i]);
      double in = sigmoid(sum[state + i]);
      double out = sigmoid(sum[2 * state + i]);
      nextC[i] = forget * c[i] + in * Math.tanh(sum[3 * state + i]);
      nextH[i] = out * Math.tanh(nextC[i]);
    }
    return new double[][] {nextH, nextC};
  }

  private double[] transition(String t, double[] h) {
    return gru(tensor(t + ".x.bias")[0], side(t + ".h", times(h, tensor(t + ".U")), true), h);
  }

  private double[] gru(double[] x, double[] y, double[] h) {
    double[] next = new double[state];
    for (int i = 0; i < state; i++) {
      double r = sigmoid(x[i] + y[i]);
      double u = sigmoid(x[state + i] + y[state + i]);
      double n = Math.tanh(x[2 * state + i] + r * y[2 * state + i]);
      next[i] = u * h[i] + (1 - u) * n;
    }
    return next;
  }

  private double[] layer(String name, double[] v) {
    return side(name, times(v, tensor(name + ".W")), false);
  }

  private double[] side(String name, double[] v, boolean ofCell) {
    double[] sum = add(v, tensor(name + ".bias")[0]);
    String normalization = settings.get("normalization").asText();
    if (normalization.equals("NONE")) {
      return sum;
    }
    boolean separate = normalization.equals("SEPARATE");
    double epsilon = separate ? 1e-5 : 1e-9;
    if (separate && ofCell) {
      normalize(sum, 0, 2 * state, epsilon);
      normalize(sum, 2 * state, 3 * state, epsilon);
    } else {
      normalize(sum, 0, sum.length, epsilon);
    }
    double[] gain = tensor(name + ".gain")[0];
    double[] shift = tensor(name + ".shift")[0];
    for (int i = 0; i < sum.length; i++) {
      sum[i] = sum[i] * gain[i] + shift[i];
    }
    return sum;
  }

  private static void normalize(double[] v, int from, int to, double epsilon) {
    double mean = Arrays.stream(v, from, to).sum() / (to - from);
    double variance =
        Arrays.stream(v, from, to).map(x -> (x - mean) * (x - mean)).sum() / (to - from);
    for (int i = from; i < to; i++) {
      v[i] = (v[i] - mean) / Math.sqrt(variance + epsilon);
    }
  }

  private static double[] tanh(double[] v) {
    return Arrays.stream(v).map(Math::tanh).toArray();
  }
}
