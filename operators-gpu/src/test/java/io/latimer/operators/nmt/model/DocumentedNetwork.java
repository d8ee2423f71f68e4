package io.latimer.operators.nmt.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** What docs/formats.md says of the networks of all kinds, read from a file's sections. */
abstract class DocumentedNetwork {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, byte[]> sections;
  final JsonNode settings;
  private final JsonNode stored;
  private final Map<String, double[][]> cache = new HashMap<>();

  DocumentedNetwork(String architecture, Map<String, byte[]> sections) throws Exception {
    this.sections = sections;
    JsonNode json = JSON.readTree(sections.get("settings"));
    assertThat(json.get("architecture").asText()).isEqualTo(architecture);
    settings = json.get("network");
    stored = json.get("tensors");
    long tensors = sections.keySet().stream().filter(s -> s.startsWith("tensor/")).count();
    assertThat(tensors).isEqualTo(stored.size());
  }

  final double[][] tensor(String name) {
    return cache.computeIfAbsent(name, this::read);
  }

  private double[][] read(String name) {
    JsonNode how = stored.get(name);
    double[][] rows = new double[how.get("rows").intValue()][how.get("cols").intValue()];
    boolean half = how.get("type").asText().equals("float16");
    ByteBuffer in = ByteBuffer.wrap(sections.get("tensor/" + name)).order(ByteOrder.LITTLE_ENDIAN);
    for (double[] row : rows) {
      for (int j = 0; j < row.length; j++) {
        row[j] = half ? half(in.getShort()) : in.getFloat();
      }
    }
    assertThat(in.hasRemaining()).isFalse();
    return rows;
  }

  private static double half(short bits) {
    int exponent = bits >> 10 & 31;
    double fraction = (bits & 1023) / 1024.0;
    double magnitude =
        exponent == 0 ? Math.scalb(fraction, -14) : Math.scalb(1 + fraction, exponent - 15);
    return bits < 0 ? -magnitude : magnitude;
  }

  static DocumentedNetwork of(Map<String, byte[]> sections) throws Exception {
    String architecture = JSON.readTree(sections.get("settings")).get("architecture").asText();
    return architecture.equals("recurrent")
        ? new DocumentedRecurrent(sections)
        : new DocumentedTransformer(sections);
  }

  /** The logarithm of the probability of each target word, by the document's equations. */
  abstract double[] wordScores(int[] source, int[] target);

  final double logSoftmax(double[][] output, double[] o, int word) {
    double[] bias = tensor("output.bias")[0];
    double sum = 0;
    double wanted = 0;
    for (int v = 0; v < output.length; v++) {
      double logit = bias[v];
      for (int i = 0; i < o.length; i++) {
        logit += o[i] * output[v][i];
      }
      sum += Math.exp(logit);
      wanted = v == word ? logit : wanted;
    }
    return wanted - Math.log(sum);
  }

  static double[] times(double[] x, double[][] w) {
    double[] y = new double[w[0].length];
    for (int i = 0; i < x.length; i++) {
      for (int j = 0; j < y.length; j++) {
        y[j] += x[i] * w[i][j];
      }
    }
    return y;
  }

  static double[] add(double[] a, double[] b) {
    double[] sum = new double[a.length];
    Arrays.setAll(sum, i -> a[i] + b[i]);
    return sum;
  }

  static double sigmoid(double v) {
    return 1 / (1 + Math.exp(-v));
  }
}
