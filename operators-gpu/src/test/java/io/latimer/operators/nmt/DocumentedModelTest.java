package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.operators.testing.DocumentedReader;
import io.latimer.operators.testing.SharedData;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Reads model files by what docs/formats.md says of them, computes by the equations given there, in
 * doubles, and compares with the golden word scores: so the document is right, and enough.
 */
class DocumentedModelTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "tatoeba-ende-gru,golden/,vocab.yml,vocab.yml,spm.model,false",
    "m30k-ende-mlstm,golden/,vocab.en.json,vocab.de.json,bpe.codes,true",
    "marian-tiny/amun-plain,'',vocab.en.yml,vocab.de.yml,../bpe.codes,true",
    "marian-tiny/amun-ln-tied,'',vocab.en.yml,vocab.de.yml,../bpe.codes,true",
    "marian-tiny/amun-tied-all,'',vocab.yml,vocab.yml,../bpe.codes,true",
    "marian-tiny/nematus-deep-ln,'',vocab.en.yml,vocab.de.yml,../bpe.codes,true",
    "marian-tiny/s2s-mlstm,'',vocab.en.yml,vocab.de.yml,../bpe.codes,true",
    "marian-tiny/s2s-lstm-ln,'',vocab.en.yml,vocab.de.yml,../bpe.codes,true"
  })
  void whatIsWrittenIsWhatTheDocumentSays(
      String name, String golden, String source, String target, String segmentation, boolean bpe)
      throws Exception {
    Path model = SharedData.require("models/" + name);
    ImportRequest.Builder request =
        ImportRequest.to(folder.resolve("m.lmx"))
            .weights(model.resolve("model.npz"))
            .vocabularies(model.resolve(source), model.resolve(target));
    Path file = model.resolve(segmentation);
    ModelImporter.importModel((bpe ? request.codes(file) : request.spm(file)).build());
    DocumentedReader.Parsed parsed =
        DocumentedReader.parse(Files.readAllBytes(folder.resolve("m.lmx")));
    assertThat(parsed.kind()).isEqualTo("translation-model");
    assertThat(parsed.kindVersion()).isEqualTo(1);
    assertThat(parsed.sections().get("segmentation/source")).isEqualTo(Files.readAllBytes(file));
    assertThat(parsed.sections().get("segmentation/target")).isEmpty();

    Network network = new Network(parsed.sections());
    List<String> lines = Files.readAllLines(model.resolve(golden + "golden.jsonl"));
    int words = 0;
    for (int i = 0; i < 3; i++) {
      JsonNode line = JSON.readTree(lines.get(i));
      int[] ids = ints(line.get("greedy").get("ids"));
      double[] scores = network.wordScores(ints(line.get("src")), ids);
      for (int j = 0; j < scores.length; j++) {
        assertThat(scores[j])
            .as("line %d word %d", i, j)
            .isCloseTo(line.get("greedy").get("word_scores").get(j).asDouble(), within(1e-5));
        words++;
      }
    }
    assertThat(words).isGreaterThan(10);
  }

  private static int[] ints(JsonNode array) {
    int[] values = new int[array.size()];
    Arrays.setAll(values, i -> array.get(i).intValue());
    return values;
  }

  /** The equations of the document, one sentence at a time. */
  private static final class Network {
    private final Map<String, byte[]> sections;
    private final JsonNode settings;
    private final JsonNode stored;
    private final int state;
    private final Map<String, double[][]> cache = new HashMap<>();

    Network(Map<String, byte[]> sections) throws Exception {
      this.sections = sections;
      JsonNode json = JSON.readTree(sections.get("settings"));
      assertThat(json.get("architecture").asText()).isEqualTo("recurrent");
      settings = json.get("network");
      stored = json.get("tensors");
      state = settings.get("state").intValue();
      long tensors = sections.keySet().stream().filter(s -> s.startsWith("tensor/")).count();
      assertThat(tensors).isEqualTo(stored.size());
    }

    private double[][] tensor(String name) {
      return cache.computeIfAbsent(name, this::read);
    }

    private double[][] read(String name) {
      JsonNode how = stored.get(name);
      double[][] rows = new double[how.get("rows").intValue()][how.get("cols").intValue()];
      boolean half = how.get("type").asText().equals("float16");
      ByteBuffer in =
          ByteBuffer.wrap(sections.get("tensor/" + name)).order(ByteOrder.LITTLE_ENDIAN);
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

    private double logSoftmax(double[][] output, double[] o, int word) {
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

    private static double[] times(double[] x, double[][] w) {
      double[] y = new double[w[0].length];
      for (int i = 0; i < x.length; i++) {
        for (int j = 0; j < y.length; j++) {
          y[j] += x[i] * w[i][j];
        }
      }
      return y;
    }

    private static double[] add(double[] a, double[] b) {
      double[] sum = new double[a.length];
      Arrays.setAll(sum, i -> a[i] + b[i]);
      return sum;
    }

    private static double[] tanh(double[] v) {
      return Arrays.stream(v).map(Math::tanh).toArray();
    }

    private static double sigmoid(double v) {
      return 1 / (1 + Math.exp(-v));
    }
  }
}
