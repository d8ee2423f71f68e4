package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.NmtPrecision;
import io.latimer.operators.testing.Int8Cpu;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.operators.text.bleu.Bleu;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** The example model translates its test set as well in 8 bits as in 32. */
class Int8BleuTest {
  private static final double MOST_LOST = 0.2;

  @Test
  void eightBitsKeepTheExampleModelsBleu() throws IOException {
    Int8Cpu.require();
    Path data = SharedData.require("data/tatoeba-en-de/raw");
    List<String> sources = lines(data.resolve("test.en.gz"));
    List<String> references = lines(data.resolve("test.de.gz"));
    double exact = bleu(translate(sources, NmtPrecision.FLOAT32), references);
    double rounded = bleu(translate(sources, NmtPrecision.INT8), references);
    System.out.printf("  greedy BLEU in float32 %.2f, in int8 %.2f%n", exact, rounded);
    assertThat(rounded).isGreaterThan(exact - MOST_LOST);
  }

  private static List<String> translate(List<String> sources, NmtPrecision precision) {
    TranslateOptions options =
        TranslateOptions.of(DecodeOptions.greedy().withScores(false))
            .withPrecision(Optional.of(precision));
    try (Translate translate =
        Translate.opener(options).open(IndexRefs.of(ShippedModel.path()), Device.CPU)) {
      return translate.apply(sources).stream().map(line -> line.orElseThrow().text()).toList();
    }
  }

  private static List<String> lines(Path file) throws IOException {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      return in.lines().toList();
    }
  }

  private static double bleu(List<String> translations, List<String> references) {
    return Bleu.of(split(translations), split(references));
  }

  /** Makes punctuation words of its own. */
  private static List<String> split(List<String> texts) {
    return texts.stream().map(text -> text.replaceAll("\\p{Punct}", " $0 ").strip()).toList();
  }
}
