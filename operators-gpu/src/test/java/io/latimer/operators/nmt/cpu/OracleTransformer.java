package io.latimer.operators.nmt.cpu;

import io.latimer.operators.nmt.model.Activation;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.NormPlacement;
import io.latimer.operators.nmt.model.Positions;
import io.latimer.operators.nmt.model.Tensor;
import io.latimer.operators.nmt.model.TransformerSettings;
import io.latimer.operators.nmt.model.TransformerVariant;
import java.util.ArrayList;
import java.util.List;

/**
 * A transformer as plainly as the equations of {@link TransformerSettings} stand there, in 64 bits:
 * nothing is kept from word to word, the decoder runs over the whole hypothesis every time.
 */
final class OracleTransformer implements OracleNetwork {
  private static final class Running implements State {
    final double[][] encoded;
    final List<Integer> words;

    Running(double[][] encoded, List<Integer> words) {
      this.encoded = encoded;
      this.words = words;
    }
  }

  private final Network model;
  private final TransformerSettings s;
  private final TransformerVariant variant;
  private final int d;

  OracleTransformer(Network model) {
    this.model = model;
    this.s = model.settings(TransformerSettings.class);
    this.variant = s.variant();
    this.d = s.width();
  }

  @Override
  public State start(int[] source) {
    double[][] x = new double[source.length][];
    for (int t = 0; t < x.length; t++) {
      x[t] = input("source", model.tensor("source.embedding"), source[t], t);
    }
    x = variant.normalizesEmbeddings() ? normalized("source", x) : x;
    for (int i = 1; i <= s.encoderLayers(); i++) {
      x = attention("encoder.layer" + i + ".self", x, null, false, null);
      x = feedForward("encoder.layer" + i + ".feedforward", x);
    }
    return new Running(s.normalizesTop() ? normalized("encoder", x) : x, List.of());
  }

  @Override
  public Step step(int word, State state, double[] attention) {
    Running before = (Running) state;
    List<Integer> words = new ArrayList<>(before.words);
    words.add(word);
    double[][] x = new double[words.size()][];
    for (int t = 0; t < x.length; t++) {
      int id = words.get(t) < 0 ? variant.start() : words.get(t);
      x[t] = input("target", model.targetEmbedding(), id, t);
    }
    x = variant.normalizesEmbeddings() ? normalized("target", x) : x;
    for (int i = 1; i <= s.decoderLayers(); i++) {
      String layer = "decoder.layer" + i;
      x =
          switch (s.autoregression()) {
            case SELF_ATTENTION -> attention(layer + ".self", x, null, true, null);
            case AVERAGE_ATTENTION -> average(layer + ".average", x);
            case SSRU -> ssru(layer + ".ssru", x);
          };
      boolean aligns = i == s.alignmentLayer();
      x = attention(layer + ".cross", x, before.encoded, false, aligns ? attention : null);
      x = feedForward(layer + ".feedforward", x);
    }
    if (s.normalizesTop()) {
      x = normalized("decoder", x);
    }
    return new Step(new Running(before.encoded, words), logProbability(model, x[words.size() - 1]));
  }

  private double[] input(String side, Tensor embedding, int word, int t) {
    double[] x = new double[d];
    int half = d / 2;
    for (int i = 0; i < d; i++) {
      double angle =
          (t + variant.firstPosition()) * Math.pow(10000, -(double) (i % half) / (half - 1));
      x[i] =
          switch (variant.positions()) {
            case SINUSOIDAL -> i < half ? Math.sin(angle) : Math.cos(angle);
            case LEARNED -> model.tensor(side + ".positions").get(t, i);
            case RELATIVE -> 0;
          };
      if (word >= 0) {
        x[i] += (variant.scalesEmbeddings() ? Math.sqrt(d) : 1) * embedding.get(word, i);
      }
    }
    return x;
  }

  /** The bucket of a distance as the reference's authors define it. */
  private int bucket(int distance, boolean onlyBefore) {
    int buckets = variant.relativeBuckets();
    int first = 0;
    int n = -distance;
    if (onlyBefore) {
      n = Math.max(n, 0);
    } else {
      buckets /= 2;
      first = n < 0 ? buckets : 0;
      n = Math.abs(n);
    }
    int exact = buckets / 2;
    if (n < exact) {
      return first + n;
    }
    float far =
        (float) Math.log((float) n / exact)
            / (float) Math.log((double) variant.relativeDistance() / exact)
            * (buckets - exact);
    return first + Math.min(exact + (int) far, buckets - 1);
  }

  private boolean normalizesBefore() {
    return s.normalization() != NormPlacement.POST;
  }

  private double[][] before(String p, double[][] x) {
    return normalizesBefore() ? normalized(p, x) : x;
  }

  private double[][] after(String p, double[][] x, double[][] f) {
    double[][] sum = new double[x.length][d];
    for (int t = 0; t < x.length; t++) {
      for (int i = 0; i < d; i++) {
        sum[t][i] = x[t][i] + f[t][i];
      }
    }
    return normalizesBefore() ? sum : normalized(p, sum);
  }

  /** Attention to the sequence itself if there is no other, or to what went before. */
  private double[][] attention(
      String p, double[][] x, double[][] source, boolean onlyBefore, double[] alignment) {
    double[][] v = before(p, x);
    double[][] from =
        source != null ? source : s.normalization() == NormPlacement.PRE_QUERIES ? x : v;
    double[][] query = linear(p + ".query", v);
    double[][] key = linear(p + ".key", from);
    double[][] value = linear(p + ".value", from);
    double[][] joined = new double[x.length][s.attentionWidth()];
    int wide = s.headWidth();
    boolean relative = variant.positions() == Positions.RELATIVE && source == null;
    for (int t = 0; t < x.length; t++) {
      int n = onlyBefore ? t + 1 : from.length;
      for (int head = 0; head < s.heads(); head++) {
        double[] weights = new double[n];
        double sum = 0;
        for (int u = 0; u < n; u++) {
          double score = 0;
          for (int i = head * wide; i < (head + 1) * wide; i++) {
            score += query[t][i] * key[u][i];
          }
          score /= variant.scalesAttention() ? Math.sqrt(wide) : 1;
          if (relative) {
            String side = p.substring(0, p.indexOf('.'));
            score += model.tensor(side + ".positions").get(bucket(u - t, onlyBefore), head);
          }
          weights[u] = Math.exp(score);
          sum += weights[u];
        }
        for (int u = 0; u < n; u++) {
          weights[u] /= sum;
          for (int i = head * wide; i < (head + 1) * wide; i++) {
            joined[t][i] += weights[u] * value[u][i];
          }
        }
        if (alignment != null && head < variant.alignmentHeads() && t == x.length - 1) {
          for (int u = 0; u < n; u++) {
            alignment[u] += weights[u] / variant.alignmentHeads();
          }
        }
      }
    }
    return after(p, x, linear(p + ".output", joined));
  }

  private double[][] feedForward(String p, double[][] x) {
    return after(
        p,
        x,
        layers(
            p, before(p, x), s.activation(), variant.gatedFeedForward(), variant.middleLayers()));
  }

  private double[][] layers(
      String p, double[][] x, Activation activation, boolean gated, int middle) {
    double[][] inner = linear(p + ".inner", x);
    activate(inner, activation);
    if (gated) {
      double[][] gate = linear(p + ".gate", x);
      for (int t = 0; t < inner.length; t++) {
        for (int i = 0; i < inner[t].length; i++) {
          inner[t][i] *= gate[t][i];
        }
      }
    }
    for (int m = 1; m <= middle; m++) {
      inner = linear(p + ".middle" + m, inner);
      activate(inner, activation);
    }
    return linear(p + ".outer", inner);
  }

  private static void activate(double[][] rows, Activation activation) {
    for (double[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        row[i] =
            switch (activation) {
              case RELU -> Math.max(0, row[i]);
              case SWISH -> row[i] * sigmoid(row[i]);
              case GELU -> row[i] * sigmoid(1.702 * row[i]);
              case GELU_ERF -> row[i] / 2 * (1 + Erf.of(row[i] / Math.sqrt(2)));
              case GELU_TANH ->
                  row[i]
                      / 2
                      * (1
                          + Math.tanh(
                              Math.sqrt(2 / Math.PI) * (row[i] + 0.044715 * Math.pow(row[i], 3))));
            };
      }
    }
  }

  private double[][] average(String p, double[][] x) {
    double[][] mean = new double[x.length][d];
    for (int t = 0; t < x.length; t++) {
      for (int u = 0; u <= t; u++) {
        for (int i = 0; i < d; i++) {
          mean[t][i] += x[u][i] / (t + 1);
        }
      }
    }
    double[][] y = layers(p, before(p, mean), s.averageActivation(), false, 0);
    double[][] input = linear(p + ".input", x);
    double[][] forget = linear(p + ".forget", y);
    double[][] f = new double[x.length][d];
    for (int t = 0; t < x.length; t++) {
      for (int i = 0; i < d; i++) {
        f[t][i] = sigmoid(input[t][i]) * x[t][i] + sigmoid(forget[t][i]) * y[t][i];
      }
    }
    return after(p, x, f);
  }

  private double[][] ssru(String p, double[][] x) {
    double[][] v = before(p, x);
    double[][] candidate = times(p + ".candidate", v);
    double[][] forget = linear(p + ".forget", v);
    double[] c = new double[d];
    double[][] f = new double[x.length][d];
    for (int t = 0; t < x.length; t++) {
      for (int i = 0; i < d; i++) {
        double z = sigmoid(forget[t][i]);
        c[i] = z * c[i] + (1 - z) * candidate[t][i];
        f[t][i] = Math.max(0, c[i]);
      }
    }
    return after(p, x, f);
  }

  private double[][] linear(String p, double[][] x) {
    double[][] y = times(p, x);
    Tensor bias = model.tensor(p + ".bias");
    for (double[] row : y) {
      for (int i = 0; i < row.length; i++) {
        row[i] += bias.get(0, i);
      }
    }
    return y;
  }

  private double[][] times(String p, double[][] x) {
    Tensor w = model.tensor(p + ".W");
    double[][] y = new double[x.length][w.cols()];
    for (int t = 0; t < x.length; t++) {
      for (int i = 0; i < w.cols(); i++) {
        for (int j = 0; j < w.rows(); j++) {
          y[t][i] += x[t][j] * w.get(j, i);
        }
      }
    }
    return y;
  }

  private double[][] normalized(String p, double[][] x) {
    double[][] y = new double[x.length][d];
    Tensor gain = model.tensor(p + ".norm.gain");
    if (variant.rootMeanSquare()) {
      for (int t = 0; t < x.length; t++) {
        double square = variant.epsilon();
        for (double v : x[t]) {
          square += v * v / d;
        }
        for (int i = 0; i < d; i++) {
          y[t][i] = x[t][i] / Math.sqrt(square) * gain.get(0, i);
        }
      }
      return y;
    }
    Tensor shift = model.tensor(p + ".norm.shift");
    for (int t = 0; t < x.length; t++) {
      double mean = 0;
      for (double v : x[t]) {
        mean += v / d;
      }
      double variance = 0;
      for (double v : x[t]) {
        variance += (v - mean) * (v - mean) / d;
      }
      for (int i = 0; i < d; i++) {
        y[t][i] =
            (x[t][i] - mean) / Math.sqrt(variance + variant.epsilon()) * gain.get(0, i)
                + shift.get(0, i);
      }
    }
    return y;
  }

  private static double sigmoid(double v) {
    return 1 / (1 + Math.exp(-v));
  }
}
