package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.cpu.DecodeGoldenTest;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.text.Vocabulary;
import io.latimer.operators.text.bleu.Bleu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a GPU gives for trained models, in every precision, beside what independent decoders gave in
 * 32 and 64 bits; skipped by name where there is no GPU.
 */
class DecodeGpuGoldenTest {
  /** Trained models, and the vocabulary of their target. */
  private static final List<String[]> TRAINED =
      List.of(
          new String[] {"m30k-ende-gru", "vocab.de.yml"},
          new String[] {"m30k-ende-mlstm", "vocab.de.json"},
          new String[] {"tatoeba-ende-gru", "vocab.yml"},
          new String[] {"m30k-ende-transformer", "vocab.yml"},
          new String[] {"tatoeba-ende-transformer", "vocab.yml"},
          new String[] {"tatoeba-ende-live", "vocab.yml"});

  /**
   * What is allowed.
   *
   * @param same the least share of equal lines; where it is 1, near ties are forgiven
   * @param score how far the score of an equal line may lie from the golden's
   * @param bleu how far BLEU may lie from the golden's
   */
  private record Bounds(double same, double score, double bleu) {
    static Bounds of(NmtPrecision precision) {
      return switch (precision) {
        case FLOAT32 -> new Bounds(1, 1e-3, 0.1);
        case FLOAT16 -> new Bounds(0.99, 0.03, 0.1);
        case BFLOAT16 -> new Bounds(0.97, 0.1, 0.2);
        case INT8 -> throw new IllegalArgumentException(precision + " on a GPU");
      };
    }
  }

  @RegisterExtension final GpuDecoders gpu = new GpuDecoders();

  private static List<Decoded> decode(Decode decode, List<JsonNode> golden) {
    List<int[]> batch = golden.stream().map(line -> DecodeGoldenTest.ids(line.get("src"))).toList();
    return decode.decode(batch).stream().map(Result::orElseThrow).toList();
  }

  /** Compares the lines of one search, and says what it found. */
  private static final class Count {
    private final String what;
    private final Bounds bounds;
    private int lines;
    private int same;
    private int nearTies;
    private double worst;
    private final List<String> different = new ArrayList<>();

    Count(String what, Bounds bounds) {
      this.what = what;
      this.bounds = bounds;
    }

    void compare(Hypothesis found, JsonNode expected, boolean nearTie, String line) {
      lines++;
      if (Arrays.equals(found.ids(), DecodeGoldenTest.ids(expected.get("ids")))) {
        same++;
        worst = Math.max(worst, Math.abs(found.score() - expected.get("score").asDouble()));
      } else if (nearTie) {
        nearTies++;
      } else {
        different.add(line + ": " + found + " expected " + expected);
      }
    }

    void report() {
      System.out.printf(
          "  %s: %d of %d lines the same, %d near ties, worst score difference %.1e%n",
          what, same, lines, nearTies, worst);
      if (bounds.same == 1) {
        assertThat(different).as(what).isEmpty();
      }
      assertThat((same + nearTies) / (double) lines)
          .as(what + ", share of lines that are the same")
          .isGreaterThanOrEqualTo(bounds.same);
      assertThat(worst).as(what + ", scores").isLessThan(bounds.score);
    }
  }

  static Stream<Arguments> trained() {
    return Arrays.stream(NmtPrecision.values())
        .filter(NmtPrecision::onGpu)
        .flatMap(
            precision ->
                TRAINED.stream().map(names -> Arguments.of(precision, names[0], names[1])));
  }

  @ParameterizedTest
  @MethodSource("trained")
  void translatesAsTheTrainedModelsDo(NmtPrecision precision, String folder, String vocabulary)
      throws IOException {
    Path files = SharedData.require("models/" + folder);
    List<JsonNode> golden = DecodeGoldenTest.golden(files.resolve("golden/golden.jsonl"));
    Bounds bounds = Bounds.of(precision);
    GpuWeights model = gpu.bring(DecodeGoldenTest.model(folder), precision);
    DecodeTuning tuning = DecodeTuning.DEFAULT;
    List<Decoded> bare =
        decode(gpu.open(model, DecodeOptions.greedy().withScores(false), tuning), golden);
    List<Decoded> greedy = decode(gpu.open(model, DecodeOptions.greedy(), tuning), golden);
    List<Decoded> beam =
        decode(gpu.open(model, DecodeOptions.beam(5).withNBest(5), tuning), golden);
    System.out.println(folder + ", " + precision);
    Count greedyCount = new Count("greedy", bounds);
    Count beamCount = new Count("beam 5", bounds);
    Count listCount = new Count("5-best", bounds);
    int bareSame = 0;
    for (int i = 0; i < golden.size(); i++) {
      JsonNode line = golden.get(i);
      String name = folder + " line " + line.get("i").asInt();
      compareGreedy(greedyCount, greedy.get(i), line, name);
      boolean nearTie = line.get("margin").asDouble() < DecodeGoldenTest.NEAR_TIE;
      beamCount.compare(beam.get(i).best(), line.get("beam5"), nearTie, name);
      if (precision == NmtPrecision.FLOAT32) {
        DecodeGoldenTest.compareList(beam.get(i), line.get("nbest5"), name, listCount::compare);
      }
      bareSame += Arrays.equals(bare.get(i).best().ids(), greedy.get(i).best().ids()) ? 1 : 0;
    }
    greedyCount.report();
    beamCount.report();
    if (precision == NmtPrecision.FLOAT32) {
      listCount.report();
    }
    assertThat(bareSame / (double) golden.size())
        .as("greedy lines that are the same without scores")
        .isGreaterThanOrEqualTo(bounds.same);
    compareBleu(files, Vocabulary.load(files.resolve(vocabulary)), golden, greedy, beam, bounds);
  }

  private static void compareGreedy(Count count, Decoded decoded, JsonNode line, String name) {
    Hypothesis found = decoded.best();
    JsonNode expected = line.get("greedy");
    count.compare(found, expected, DecodeGoldenTest.isCloseCall(found, expected), name);
  }

  private static void compareBleu(
      Path files,
      Vocabulary vocabulary,
      List<JsonNode> golden,
      List<Decoded> greedy,
      List<Decoded> beam,
      Bounds bounds)
      throws IOException {
    List<String> references = Files.readAllLines(files.resolve("golden/reference.txt"));
    for (String search : new String[] {"greedy", "beam5"}) {
      List<Decoded> decoded = search.equals("greedy") ? greedy : beam;
      List<String> found = decoded.stream().map(d -> text(vocabulary, d.best().ids())).toList();
      List<String> expected =
          golden.stream()
              .map(line -> text(vocabulary, DecodeGoldenTest.ids(line.get(search).get("ids"))))
              .toList();
      double bleu = Bleu.of(found, references);
      double goldenBleu = Bleu.of(expected, references);
      System.out.printf("  %s: BLEU %.2f, the golden's %.2f%n", search, bleu, goldenBleu);
      assertThat(goldenBleu).as("BLEU of the golden lines").isGreaterThan(30);
      assertThat(Math.abs(bleu - goldenBleu)).as("BLEU, " + search).isLessThan(bounds.bleu);
    }
  }

  /** Joins the pieces of BPE or SentencePiece to words. */
  static String text(Vocabulary vocabulary, int[] ids) {
    StringBuilder text = new StringBuilder();
    for (int id : ids) {
      if (id != Decode.END) {
        text.append(vocabulary.token(id)).append(' ');
      }
    }
    String line = text.toString();
    return line.contains("\u2581")
        ? line.replace(" ", "").replace('\u2581', ' ').strip()
        : line.replace("@@ ", "").strip();
  }

  @ParameterizedTest
  @MethodSource("io.latimer.operators.nmt.cpu.DecodeGoldenTest#marianVariants")
  void translatesAsMarianDoes(String variant) throws IOException {
    String folder = "marian-tiny/" + variant;
    List<JsonNode> golden =
        DecodeGoldenTest.golden(SharedData.require("models/" + folder + "/golden.jsonl"));
    Bounds bounds = Bounds.of(NmtPrecision.FLOAT32);
    GpuWeights model = gpu.bring(DecodeGoldenTest.model(folder), NmtPrecision.FLOAT32);
    DecodeTuning tuning = DecodeTuning.DEFAULT;
    DecodeOptions five = DecodeOptions.beam(5).withNBest(5);
    List<Decoded> greedy =
        decode(gpu.open(model, DecodeOptions.greedy().withLengthNormalization(0), tuning), golden);
    List<Decoded> beam = decode(gpu.open(model, five, tuning), golden);
    List<Decoded> norm =
        decode(
            gpu.open(model, five.withLengthNormalization(0.6f).withAlignment(true), tuning),
            golden);
    System.out.println(folder);
    Count greedyCount = new Count("greedy", bounds);
    Count listCount = new Count("5-best", bounds);
    Count normCount = new Count("beam 5, norm 0.6", bounds);
    for (int i = 0; i < golden.size(); i++) {
      JsonNode line = golden.get(i);
      String name = folder + " line " + line.get("i").asInt();
      if (line.get("src").size() <= 1) {
        assertThat(greedy.get(i).best().ids()).containsExactly(Decode.END);
        continue;
      }
      compareGreedy(greedyCount, greedy.get(i), line, name);
      DecodeGoldenTest.compareList(beam.get(i), line.get("nbest5"), name, listCount::compare);
      JsonNode expected = line.get("beam5_norm0.6");
      Hypothesis best = norm.get(i).best();
      normCount.compare(best, expected, DecodeGoldenTest.isAsGood(best, expected), name);
    }
    greedyCount.report();
    listCount.report();
    normCount.report();
    if (DecodeGoldenTest.WITH_ALIGNMENT.contains(folder)) {
      DecodeGoldenTest.compareAlignments(folder, norm, golden);
    }
  }
}
