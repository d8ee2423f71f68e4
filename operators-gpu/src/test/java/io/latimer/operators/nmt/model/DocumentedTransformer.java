package io.latimer.operators.nmt.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The equations of the document for transformers, all words of a sentence side by side. */
final class DocumentedTransformer extends DocumentedNetwork {
  private final int width;
  private final String normalization;
  private final JsonNode variant;

  DocumentedTransformer(Map<String, byte[]> sections) throws Exception {
    super("transformer", sections);
    width = settings.get("width").intValue();
    normalization = settings.get("normalization").asText();
    variant = settings.has("variant") ? settings.get("variant") : marian();
  }

  /** What files of version 1 mean. */
  private static JsonNode marian() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("positions", "SINUSOIDAL")
        .put("firstPosition", 0)
        .put("scalesEmbeddings", true)
        .put("normalizesEmbeddings", false)
        .put("rootMeanSquare", false)
        .put("epsilon", 1e-6)
        .put("gatedFeedForward", false)
        .put("scalesAttention", true)
        .put("headWidth", 0)
        .put("start", -1);
  }

  private boolean is(String key) {
    return settings.get(key).booleanValue();
  }

  private boolean varies(String key) {
    return variant.get(key).booleanValue();
  }

  private int number(String key) {
    return variant.get(key).intValue();
  }

  @Override
  double[] wordScores(int[] source, int[] target) {
    double[][] words = tensor(is("sharesEmbeddings") ? "source.embedding" : "target.embedding");
    List<double[]> x = new ArrayList<>();
    for (int t = 0; t < source.length; t++) {
      x.add(input("source", tensor("source.embedding")[source[t]], t));
    }
    for (int i = 1; i <= settings.get("encoderLayers").intValue(); i++) {
      x = attention("encoder.layer" + i + ".self", x, null, false);
      x = feedForward("encoder.layer" + i + ".feedforward", x);
    }
    List<double[]> encoded = top("encoder", x);
    x = new ArrayList<>();
    for (int t = 0; t < target.length; t++) {
      int before = t == 0 ? number("start") : target[t - 1];
      x.add(input("target", before < 0 ? new double[width] : words[before], t));
    }
    for (int i = 1; i <= settings.get("decoderLayers").intValue(); i++) {
      String layer = "decoder.layer" + i;
      x =
          settings.get("autoregression").asText().equals("SSRU")
              ? ssru(layer + ".ssru", x)
              : attention(layer + ".self", x, null, true);
      x = attention(layer + ".cross", x, encoded, false);
      x = feedForward(layer + ".feedforward", x);
    }
    x = top("decoder", x);
    double[] scores = new double[target.length];
    for (int t = 0; t < target.length; t++) {
      scores[t] = logSoftmax(is("tiesOutput") ? words : tensor("output.Wt"), x.get(t), target[t]);
    }
    return scores;
  }

  private double[] input(String side, double[] embedding, int t) {
    double[] position = position(side, t);
    double scale = varies("scalesEmbeddings") ? Math.sqrt(width) : 1;
    double[] x = add(Arrays.stream(embedding).map(v -> v * scale).toArray(), position);
    return varies("normalizesEmbeddings") ? norm(side, x) : x;
  }

  private double[] position(String side, int t) {
    double[] x = new double[width];
    switch (variant.get("positions").asText()) {
      case "SINUSOIDAL" -> {
        int half = width / 2;
        for (int i = 0; i < half; i++) {
          double angle = (t + number("firstPosition")) * Math.pow(10000, -i / (half - 1.0));
          x[i] = Math.sin(angle);
          x[half + i] = Math.cos(angle);
        }
      }
      case "LEARNED" -> x = tensor(side + ".positions")[t];
      default -> {
        // relative ones are added in attention
      }
    }
    return x;
  }

  private double relative(String block, int distance, int head) {
    boolean encoder = block.startsWith("encoder");
    int n = encoder ? number("relativeBuckets") / 2 : number("relativeBuckets");
    int b = encoder && distance > 0 ? n : 0;
    int a = encoder ? Math.abs(distance) : Math.max(0, -distance);
    int e = n / 2;
    if (a < e) {
      b += a;
    } else {
      double far =
          Math.log((double) a / e) / Math.log((double) number("relativeDistance") / e) * (n - e);
      b += Math.min(n - 1, (int) (e + Math.floor(far)));
    }
    return tensor((encoder ? "encoder" : "decoder") + ".positions")[b][head];
  }

  private List<double[]> top(String side, List<double[]> x) {
    return is("normalizesTop") ? each(x, v -> norm(side, v)) : x;
  }

  private static List<double[]> each(List<double[]> x, UnaryOperator<double[]> f) {
    return new ArrayList<>(x.stream().map(f).toList());
  }

  private double[] norm(String n, double[] v) {
    double[] gain = tensor(n + ".norm.gain")[0];
    double epsilon = variant.get("epsilon").doubleValue();
    if (varies("rootMeanSquare")) {
      double square = Arrays.stream(v).map(a -> a * a).sum() / width;
      double[] out = new double[width];
      Arrays.setAll(out, i -> v[i] / Math.sqrt(square + epsilon) * gain[i]);
      return out;
    }
    double[] shift = tensor(n + ".norm.shift")[0];
    double mean = Arrays.stream(v).sum() / width;
    double variance = Arrays.stream(v).map(a -> (a - mean) * (a - mean)).sum() / width;
    double[] out = new double[width];
    Arrays.setAll(out, i -> (v[i] - mean) / Math.sqrt(variance + epsilon) * gain[i] + shift[i]);
    return out;
  }

  private List<double[]> before(String block, List<double[]> x) {
    return normalization.equals("POST") ? x : each(x, v -> norm(block, v));
  }

  private List<double[]> after(String block, List<double[]> x, List<double[]> f) {
    List<double[]> sums = new ArrayList<>();
    for (int t = 0; t < x.size(); t++) {
      double[] sum = add(x.get(t), f.get(t));
      sums.add(normalization.equals("POST") ? norm(block, sum) : sum);
    }
    return sums;
  }

  private double[] linear(String l, double[] x) {
    return add(times(x, tensor(l + ".W")), tensor(l + ".bias")[0]);
  }

  private List<double[]> attention(
      String block, List<double[]> x, List<double[]> encoded, boolean onlyBefore) {
    List<double[]> v = before(block, x);
    List<double[]> seen = encoded != null ? encoded : normalization.equals("PRE_QUERIES") ? x : v;
    List<double[]> keys = each(seen, c -> linear(block + ".key", c));
    List<double[]> values = each(seen, c -> linear(block + ".value", c));
    int heads = settings.get("heads").intValue();
    int wide = number("headWidth") == 0 ? width / heads : number("headWidth");
    boolean relative = encoded == null && variant.get("positions").asText().equals("RELATIVE");
    List<double[]> f = new ArrayList<>();
    for (int t = 0; t < x.size(); t++) {
      double[] q = linear(block + ".query", v.get(t));
      double[] joined = new double[heads * wide];
      int n = onlyBefore ? t + 1 : seen.size();
      for (int h = 0; h < heads; h++) {
        double[] weights = new double[n];
        for (int u = 0; u < n; u++) {
          double product = 0;
          for (int i = h * wide; i < (h + 1) * wide; i++) {
            product += q[i] * keys.get(u)[i];
          }
          product /= varies("scalesAttention") ? Math.sqrt(wide) : 1;
          weights[u] = Math.exp(product + (relative ? relative(block, u - t, h) : 0));
        }
        double sum = Arrays.stream(weights).sum();
        for (int u = 0; u < n; u++) {
          for (int i = h * wide; i < (h + 1) * wide; i++) {
            joined[i] += weights[u] / sum * values.get(u)[i];
          }
        }
      }
      f.add(linear(block + ".output", joined));
    }
    return after(block, x, f);
  }

  private List<double[]> feedForward(String block, List<double[]> x) {
    return after(
        block,
        x,
        each(
            before(block, x),
            v -> {
              double[] inner =
                  Arrays.stream(linear(block + ".inner", v)).map(this::activated).toArray();
              if (varies("gatedFeedForward")) {
                double[] gate = linear(block + ".gate", v);
                Arrays.setAll(inner, i -> inner[i] * gate[i]);
              }
              return linear(block + ".outer", inner);
            }));
  }

  private double activated(double a) {
    return switch (settings.get("activation").asText()) {
      case "RELU" -> Math.max(0, a);
      case "GELU_TANH" -> a * sigmoid(2 * Math.sqrt(2 / Math.PI) * (a + 0.044715 * a * a * a));
      case "SWISH" -> a * sigmoid(a);
      default -> throw new AssertionError("no test has this activation yet");
    };
  }

  private List<double[]> ssru(String block, List<double[]> x) {
    double[] c = new double[width];
    return after(
        block,
        x,
        each(
            before(block, x),
            v -> {
              double[] forget = linear(block + ".forget", v);
              double[] candidate = times(v, tensor(block + ".candidate.W"));
              for (int i = 0; i < width; i++) {
                double z = sigmoid(forget[i]);
                c[i] = z * c[i] + (1 - z) * candidate[i];
              }
              return Arrays.stream(c).map(a -> Math.max(0, a)).toArray();
            }));
  }
}
