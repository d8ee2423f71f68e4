package io.latimer.operators.nmt.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.Result;
import io.latimer.operators.nmt.cpu.DecodeGoldenTest;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * In 32 bits the batch never changes what a trained model says; no near tie is excused. Skipped by
 * name where there is no GPU.
 */
class DecodeGpuBatchTest {
  /**
   * Logits have the same bits in every batch. What may differ is the order in which the terms of a
   * softmax's sum are added, which is done in 64 bits: a term passes fewer than 500 additions, so
   * that the logarithm of the sum is off by less than 500 * 2^-53 on either side, in each of at
   * most 132 words. That is 2e-11; the rest is for what 64 bits round in the total.
   */
  private static final double SCORE = 1e-10;

  @RegisterExtension final GpuDecoders gpu = new GpuDecoders();

  @ParameterizedTest
  @CsvSource({
    "m30k-ende-gru, 1",
    "m30k-ende-gru, 5",
    "m30k-ende-transformer, 1",
    "m30k-ende-transformer, 5"
  })
  void theBatchChangesNothing(String folder, int beam) throws IOException {
    Path golden = SharedData.require("models/" + folder + "/golden/golden.jsonl");
    List<int[]> sentences =
        DecodeGoldenTest.golden(golden).stream()
            .map(line -> DecodeGoldenTest.ids(line.get("src")))
            .toList();
    GpuWeights model = gpu.bring(DecodeGoldenTest.model(folder), NmtPrecision.FLOAT32);
    DecodeOptions options = DecodeOptions.beam(beam).withNBest(beam);
    Decode decode = gpu.open(model, options, DecodeTuning.DEFAULT);
    List<Integer> order = new ArrayList<>(IntStream.range(0, sentences.size()).boxed().toList());
    List<Decoded> together = decode(decode, sentences, order, sentences.size());
    assertThat(together).hasSize(500);
    for (int size : new int[] {64, 1}) {
      assertSame(decode(decode, sentences, order, size), together, order, "batches of " + size);
    }
    Collections.shuffle(order, new Random(5));
    for (int size : new int[] {500, 64, 7}) {
      String what = "batches of " + size + " in another order";
      assertSame(decode(decode, sentences, order, size), together, order, what);
    }
  }

  private static List<Decoded> decode(
      Decode decode, List<int[]> sentences, List<Integer> order, int size) {
    List<int[]> line = order.stream().map(sentences::get).toList();
    List<Decoded> decoded = new ArrayList<>();
    for (int from = 0; from < line.size(); from += size) {
      decode.decode(line.subList(from, Math.min(line.size(), from + size))).stream()
          .map(Result::orElseThrow)
          .forEach(decoded::add);
    }
    return decoded;
  }

  private static void assertSame(
      List<Decoded> found, List<Decoded> expected, List<Integer> order, String what) {
    assertThat(found).hasSameSizeAs(order);
    for (int i = 0; i < found.size(); i++) {
      List<Hypothesis> f = found.get(i).nBest();
      List<Hypothesis> e = expected.get(order.get(i)).nBest();
      assertThat(f).hasSameSizeAs(e);
      for (int k = 0; k < f.size(); k++) {
        assertSame(f.get(k), e.get(k), what + ", sentence " + order.get(i) + ", hypothesis " + k);
      }
    }
  }

  private static void assertSame(Hypothesis found, Hypothesis expected, String what) {
    assertThat(found.ids()).as(what).isEqualTo(expected.ids());
    assertThat(found.score()).as(what).isCloseTo(expected.score(), within(SCORE));
    assertThat(found.normalizedScore())
        .as(what)
        .isCloseTo(expected.normalizedScore(), within(SCORE));
    assertThat(found.wordScores()).as(what).hasSameSizeAs(expected.wordScores());
    for (int i = 0; i < found.wordScores().length; i++) {
      float word = expected.wordScores()[i];
      // rounded to 32 bits: what lies beside a boundary may fall to the other side
      assertThat((double) found.wordScores()[i])
          .as(what + ", word " + i)
          .isCloseTo(word, within(SCORE + Math.ulp(word)));
    }
  }
}
