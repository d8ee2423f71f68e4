package io.latimer.operators.nmt.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.convert.NetworkReader;
import io.latimer.operators.nmt.convert.NpzFile;
import io.latimer.operators.nmt.convert.Numpy;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.DecodeStatistics;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.testing.OnEachOpenBlasCore;
import io.latimer.operators.testing.SharedData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the decoder gives for trained models is what independent decoders gave. */
@OnEachOpenBlasCore
public class DecodeGoldenTest {
  private static final double SCORE = 5e-4;

  /** Below this distance between two hypotheses, or two words, their order is rounding's. */
  public static final double NEAR_TIE = 1e-4;

  /** The share of hypotheses that may be a near tie broken in another way than the golden's. */
  private static final double NEAR_TIES = 0.01;

  /** System property: how many lines of each golden file to decode; all if it is not set. */
  private static final String LINES = "latimer.golden.lines";

  /** The folders for which Marian wrote its attention. */
  public static final Set<String> WITH_ALIGNMENT =
      Set.of("marian-tiny/amun-plain", "marian-tiny/s2s-mlstm", "marian-tiny/transformer");

  private static final ObjectMapper JSON = new ObjectMapper();

  public static List<JsonNode> golden(Path file) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      lines.add(JSON.readTree(line));
    }
    return lines.subList(0, Math.min(lines.size(), Integer.getInteger(LINES, lines.size())));
  }

  /**
   * Whether a greedy search went another way over a near tie: up to the first word that differs the
   * two are the same, so that the scores of that word can be compared.
   */
  public static boolean isCloseCall(Hypothesis found, JsonNode expected) {
    int first = Arrays.mismatch(found.ids(), ids(expected.get("ids")));
    JsonNode words = expected.get("word_scores");
    return first >= 0
        && first < Math.min(found.wordScores().length, words.size())
        && Math.abs(found.wordScores()[first] - words.get(first).asDouble()) < NEAR_TIE;
  }

  /** Whether a hypothesis is as good as the golden's best, to within rounding. */
  public static boolean isAsGood(Hypothesis found, JsonNode expected) {
    return Math.abs(found.normalizedScore() - expected.get("norm").asDouble()) < NEAR_TIE;
  }

  public static int[] ids(JsonNode array) {
    int[] ids = new int[array.size()];
    Arrays.setAll(ids, i -> array.get(i).asInt());
    return ids;
  }

  public static Network model(String folder) {
    try (NpzFile file = NpzFile.open(SharedData.require("models/" + folder + "/model.npz"))) {
      return NetworkReader.read(file, Optional.empty());
    }
  }

  private static List<Decoded> decode(
      CpuWeights model, DecodeOptions options, List<JsonNode> golden) {
    List<int[]> batch = new ArrayList<>();
    golden.forEach(line -> batch.add(ids(line.get("src"))));
    List<Decoded> decoded = new ArrayList<>();
    try (DecodeCpu decoder = new DecodeCpu(model, options)) {
      long start = System.nanoTime();
      for (int from = 0; from < batch.size(); from += 128) {
        for (Result<Decoded> result :
            decoder.decode(batch.subList(from, Math.min(batch.size(), from + 128)))) {
          decoded.add(result.orElseThrow());
        }
      }
      DecodeStatistics s = decoder.statistics();
      System.out.printf(
          "  %d sentences, %.0f target words/s, %.0f %% in matrix products%n",
          s.sentences(),
          s.targetTokens() / ((System.nanoTime() - start) / 1e9),
          100 * s.matrixShare());
    }
    return decoded;
  }

  /** Compares hypotheses and counts what a near tie excuses. */
  private static final class Count {
    private final String what;
    private int same;
    private int nearTies;
    private final List<String> different = new ArrayList<>();
    private double worst;

    Count(String what) {
      this.what = what;
    }

    void compare(Hypothesis found, JsonNode expected, boolean nearTie, String line) {
      boolean normalized = expected.has("norm");
      if (!Arrays.equals(found.ids(), ids(expected.get("ids")))) {
        if (nearTie) {
          nearTies++;
        } else {
          different.add(line + ": " + found + " expected " + expected);
        }
        return;
      }
      same++;
      off(found.score(), expected.get("score").asDouble());
      if (normalized) {
        off(found.normalizedScore(), expected.get("norm").asDouble());
      }
      JsonNode words = expected.get("word_scores");
      if (words != null) {
        assertThat(found.wordScores()).hasSize(words.size());
        for (int i = 0; i < words.size(); i++) {
          off(found.wordScores()[i], words.get(i).asDouble());
        }
      }
    }

    private void off(double found, double expected) {
      worst = Math.max(worst, Math.abs(found - expected));
    }

    void report() {
      System.out.printf(
          "  %s: %d identical, %d near ties (margin < %.0e), %d different, worst score difference"
              + " %.1e%n",
          what, same, nearTies, NEAR_TIE, different.size(), worst);
      assertThat(different).as(what).isEmpty();
      assertThat(nearTies)
          .as(what + ", near ties")
          .isLessThanOrEqualTo((int) Math.ceil(NEAR_TIES * (same + nearTies)));
      assertThat(worst).as(what + ", scores").isLessThan(SCORE);
      assertThat(same).as(what).isPositive();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "m30k-ende-gru",
        "m30k-ende-mlstm",
        "m30k-ende-transformer",
        "tatoeba-ende-gru",
        "tatoeba-ende-transformer",
        "tatoeba-ende-live"
      })
  void translatesAsTheTrainedModelsDo(String folder) throws IOException {
    System.out.println(folder);
    List<JsonNode> golden = golden(SharedData.require("models/" + folder + "/golden/golden.jsonl"));
    try (CpuWeights model = CpuWeights.of(model(folder))) {
      List<Decoded> greedy = decode(model, DecodeOptions.greedy(), golden);
      List<Decoded> beam = decode(model, DecodeOptions.beam(5).withNBest(5), golden);
      Count greedyCount = new Count("greedy");
      Count beamCount = new Count("beam 5");
      Count listCount = new Count("5-best");
      for (int i = 0; i < golden.size(); i++) {
        JsonNode line = golden.get(i);
        double margin = line.get("margin").asDouble();
        String name = folder + " line " + line.get("i").asInt();
        Hypothesis found = greedy.get(i).best();
        greedyCount.compare(
            found, line.get("greedy"), isCloseCall(found, line.get("greedy")), name);
        beamCount.compare(beam.get(i).best(), line.get("beam5"), margin < NEAR_TIE, name);
        compareList(beam.get(i), line.get("nbest5"), name, listCount::compare);
      }
      greedyCount.report();
      beamCount.report();
      listCount.report();
    }
  }

  /** Compares a hypothesis with the expected one; a near tie may excuse a difference. */
  public interface Comparison {
    void compare(Hypothesis found, JsonNode expected, boolean nearTie, String name);
  }

  /** Compares the entries of an n-best list, if one is expected. */
  public static void compareList(Decoded found, JsonNode list, String name, Comparison comparison) {
    if (list == null) {
      return;
    }
    assertThat(found.nBest()).as(name).hasSize(list.size());
    for (int k = 0; k < list.size(); k++) {
      comparison.compare(
          found.nBest().get(k), list.get(k), isNearTie(list, k), name + " entry " + k);
    }
  }

  /** Whether the score of an entry of a list is almost that of a neighbor. */
  private static boolean isNearTie(JsonNode list, int k) {
    return (k > 0 && Math.abs(gap(list.get(k - 1), list.get(k))) < NEAR_TIE)
        || (k + 1 < list.size() && Math.abs(gap(list.get(k), list.get(k + 1))) < NEAR_TIE);
  }

  private static double gap(JsonNode better, JsonNode worse) {
    return better.get("norm").asDouble() - worse.get("norm").asDouble();
  }

  /** The folders of marian-tiny, for every decoder. */
  static Stream<String> marianVariants() {
    return Stream.of(
        "amun-plain",
        "amun-ln-tied",
        "amun-tied-all",
        "nematus-deep-ln",
        "s2s-mlstm",
        "s2s-lstm-ln",
        "transformer",
        "transformer-prenorm",
        "transformer-ssru");
  }

  @ParameterizedTest
  @MethodSource("marianVariants")
  void translatesAsMarianDoes(String variant) throws IOException {
    String folder = "marian-tiny/" + variant;
    System.out.println(folder);
    List<JsonNode> golden = golden(SharedData.require("models/" + folder + "/golden.jsonl"));
    try (CpuWeights model = CpuWeights.of(model(folder))) {
      DecodeOptions five = DecodeOptions.beam(5).withNBest(5);
      List<Decoded> greedy =
          decode(model, DecodeOptions.greedy().withLengthNormalization(0), golden);
      List<Decoded> beam = decode(model, five, golden);
      List<Decoded> norm =
          decode(model, five.withLengthNormalization(0.6f).withAlignment(true), golden);
      Count greedyCount = new Count("greedy");
      Count listCount = new Count("5-best");
      Count normCount = new Count("beam 5, norm 0.6");
      int empty = 0;
      for (int i = 0; i < golden.size(); i++) {
        JsonNode line = golden.get(i);
        String name = folder + " line " + line.get("i").asInt();
        if (line.get("src").size() <= 1) {
          assertThat(greedy.get(i).best().ids()).containsExactly(Decode.END);
          assertThat(beam.get(i).nBest()).hasSize(1);
          empty++;
          continue;
        }
        Hypothesis found = greedy.get(i).best();
        greedyCount.compare(
            found, line.get("greedy"), isCloseCall(found, line.get("greedy")), name);
        compareList(beam.get(i), line.get("nbest5"), name, listCount::compare);
        Hypothesis best = norm.get(i).best();
        normCount.compare(
            best, line.get("beam5_norm0.6"), isAsGood(best, line.get("beam5_norm0.6")), name);
      }
      if (Integer.getInteger(LINES) == null) {
        assertThat(empty).as("empty lines").isEqualTo(1);
      }
      greedyCount.report();
      listCount.report();
      normCount.report();
      if (WITH_ALIGNMENT.contains(folder)) {
        compareAlignments(folder, norm, golden);
      }
    }
  }

  public static void compareAlignments(String folder, List<Decoded> found, List<JsonNode> golden)
      throws IOException {
    Path file = SharedData.require("models/" + folder + "/marian.beam5.norm0.6.softalign.txt.gz");
    double worst = 0;
    int rows = 0;
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      for (int i = 0; i < found.size(); i++) {
        String line = in.readLine();
        Hypothesis best = found.get(i).best();
        if (golden.get(i).get("src").size() <= 1
            || !Arrays.equals(best.ids(), ids(golden.get(i).get("beam5_norm0.6").get("ids")))) {
          continue;
        }
        String[] words = line.substring(line.lastIndexOf("||| ") + 4).trim().split(" ");
        assertThat(words).as("line " + i).hasSize(best.ids().length);
        for (int t = 0; t < words.length; t++) {
          String[] weights = words[t].split(",");
          assertThat(weights).hasSize(best.attention()[t].length);
          for (int s = 0; s < weights.length; s++) {
            double difference = Math.abs(Double.parseDouble(weights[s]) - best.attention()[t][s]);
            worst = Math.max(worst, difference);
          }
          rows++;
        }
      }
    }
    System.out.printf("  soft alignment: %d words, worst difference %.1e%n", rows, worst);
    assertThat(rows).as("aligned words").isGreaterThan(9 * found.size());
    assertThat(worst).isLessThan(SCORE);
  }

  /** Compares tensors with those of a trace, and keeps the worst differences. */
  private static final class Trace {
    private final Numpy trace;
    private double worst;
    private double worstLogit;
    private double worstLogProbability;
    private int tensors;

    Trace(String folder) {
      trace = new Numpy(SharedData.require("models/" + folder + "/golden/trace.npz"));
    }

    void compare(String name, float[] found) {
      worst = Math.max(worst, off(found, trace.values(name)));
      tensors++;
    }

    /**
     * Compares a row of logits word by word, and the best twenty by rank: two that are nearly equal
     * may change places, but no rank can move further than the worst of the logits does.
     *
     * @param row the logits without their bias
     */
    void compareLogits(String p, float[] row, float[] bias, LogitScan scan) {
      double[] ids = trace.values(p + "top20_ids");
      double[] logits = trace.values(p + "top20_logits");
      double[] logProbabilities = trace.values(p + "top20_logprob");
      float[] byWord = new float[20];
      for (int k = 0; k < 20; k++) {
        byWord[k] = row[(int) ids[k]] + bias[(int) ids[k]];
        assertThat(scan.best[k])
            .as(p + "logit of word " + scan.ids[k])
            .isEqualTo(row[scan.ids[k]] + bias[scan.ids[k]]);
        double logProbability = scan.best[k] - scan.logSum;
        worstLogProbability =
            Math.max(worstLogProbability, Math.abs(logProbability - logProbabilities[k]));
      }
      worstLogit = Math.max(worstLogit, off(byWord, logits));
      worstLogit = Math.max(worstLogit, off(Arrays.copyOf(scan.best, 20), logits));
      tensors += 2;
    }

    void report(String folder, int expected) {
      System.out.printf(
          "%s: %d traced tensors, worst difference %.1e of the tensor's largest value, of logits"
              + " %.1e of the row's largest, of logarithms of probabilities %.1e%n",
          folder, tensors, worst, worstLogit, worstLogProbability);
      assertThat(tensors).isEqualTo(expected);
      assertThat(worst).isLessThan(2e-5);
      assertThat(worstLogit).isLessThan(2e-5);
      assertThat(worstLogProbability).isLessThan(1e-4);
    }
  }

  /** Decodes the sentences of a trace; after the encoder and after each step something looks. */
  private static <D extends CpuDecoder> void follow(
      Trace trace,
      CpuWeights model,
      D decoder,
      Product product,
      BiConsumer<String, D> encoded,
      BiConsumer<String, D> stepped) {
    for (String name : trace.trace.names()) {
      if (!name.endsWith("_src")) {
        continue;
      }
      String s = name.substring(0, name.length() - 4);
      int[] source = Arrays.stream(trace.trace.values(name)).mapToInt(v -> (int) v).toArray();
      decoder.start(new int[][] {source});
      encoded.accept(s, decoder);
      int word = CpuDecoder.NO_WORD;
      for (int t = 0; trace.trace.names().contains(s + "_t" + t + "_word"); t++) {
        String p = s + "_t" + t + "_";
        decoder.step(1, new int[] {word}, new int[1]);
        stepped.accept(p, decoder);
        trace.compare(p + "attention", decoder.attention);
        trace.compare(p + "readout", decoder.readout);
        LogitScan scan = new LogitScan(model.outputBias);
        float[] outputs = new float[model.output.outputs];
        product.multiply(decoder.readout, 1, model.output, outputs);
        scan.softmax(outputs, 0, 20, true);
        trace.compareLogits(p, outputs, model.outputBias, scan);
        decoder.reorder(new int[1], 1);
        word = (int) trace.trace.values(p + "word")[0];
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"m30k-ende-gru", "m30k-ende-mlstm", "tatoeba-ende-gru"})
  void computesTheTracedTensors(String folder) {
    Trace trace = new Trace(folder);
    try (CpuRnnModel model = (CpuRnnModel) CpuWeights.of(model(folder));
        Product product = new Product(model.widest())) {
      follow(
          trace,
          model,
          model.decoder(product),
          product,
          (s, decoder) -> {
            trace.compare(s + "_encoder", decoder.encoded.annotations);
            trace.compare(s + "_init_state", decoder.encoded.start);
            trace.compare(s + "_att_key", decoder.encoded.keys);
          },
          (p, decoder) -> {
            trace.compare(p + "h1", decoder.between);
            trace.compare(p + "context", decoder.context);
            trace.compare(p + "h2", decoder.state);
          });
    }
    trace.report(folder, 3 * (3 + 3 * 7));
  }

  @ParameterizedTest
  @ValueSource(strings = {"m30k-ende-transformer", "tatoeba-ende-transformer", "tatoeba-ende-live"})
  void computesTheTracedTensorsOfTransformers(String folder) {
    Trace trace = new Trace(folder);
    try (CpuTransformerModel model = (CpuTransformerModel) CpuWeights.of(model(folder));
        Product product = new Product(model.widest())) {
      follow(
          trace,
          model,
          model.decoder(product),
          product,
          (s, decoder) -> trace.compare(s + "_encoder", decoder.encoder.output),
          (p, decoder) -> {});
    }
    trace.report(folder, 3 * (1 + 3 * 4));
  }

  /**
   * The worst difference in a tensor, relative to its largest value: what is near zero in a tensor
   * is the difference of large terms, so that its own size says nothing about its rounding.
   */
  private static double off(float[] found, double[] expected) {
    double largest = 0;
    double worst = 0;
    for (int i = 0; i < expected.length; i++) {
      largest = Math.max(largest, Math.abs(expected[i]));
      worst = Math.max(worst, Math.abs(found[i] - expected[i]));
    }
    return worst / largest;
  }

  @Test
  void unknownWordsAreTranslatedButNeverProduced() {
    try (DecodeCpu decoder = new DecodeCpu(model("m30k-ende-gru"), DecodeOptions.beam(5))) {
      int[] source = {2, 1, 4, 1, 1, 3, 0};
      Hypothesis best = decoder.decode(List.of(source)).get(0).orElseThrow().best();
      assertThat(best.ids()).doesNotContain(Decode.UNKNOWN);
      assertThat(best.ended()).isTrue();
    }
  }
}
