package io.latimer.operators.nmt.convert.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.convert.IdOrder;
import io.latimer.operators.nmt.convert.JsonSettings;
import io.latimer.operators.nmt.cpu.DecodeCpu;
import io.latimer.operators.nmt.cpu.DecodeGoldenTest;
import io.latimer.operators.nmt.decode.Decode;
import io.latimer.operators.nmt.decode.DecodeInput;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.nmt.decode.Decoded;
import io.latimer.operators.nmt.decode.Hypothesis;
import io.latimer.operators.nmt.model.Network;
import io.latimer.operators.nmt.model.SearchSettings;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Models in Hugging Face's layout translate as its library does. */
public class HuggingFaceGoldenTest {
  private static final double SCORE = 1e-4;

  /** The library adds up 32-bit numbers: what a sum of hundreds loses. */
  private static final double ROUNDING = 1e-6;

  /** What the golden files of a model were made with. */
  public enum Model {
    /** Source: language, words, end. Target: start, language. */
    NLLB("hf-nllb-tiny", 2, 3, 1, false),
    /** Source: words, end, language. Target: start, language; the last word is the end. */
    MBART("hf-mbart-tiny", 2, 3, 1, true),
    /** Source: words, end. Target: start. */
    T5("hf-t5-tiny", 1, 2, 0, false);

    final String folder;
    final int end;
    final int unknown;
    final int prefix;
    final boolean forcedEnd;

    Model(String folder, int end, int unknown, int prefix, boolean forcedEnd) {
      this.folder = folder;
      this.end = end;
      this.unknown = unknown;
      this.prefix = prefix;
      this.forcedEnd = forcedEnd;
    }

    IdOrder order() {
      return IdOrder.of(320, end, unknown);
    }

    /** The network. */
    public Network network() {
      Path from = SharedData.require("models/published/" + folder);
      JsonSettings config = JsonSettings.read(from.resolve("config.json"));
      try (SafetensorsFile weights = SafetensorsFile.open(from.resolve("model.safetensors"))) {
        Family family = Family.of(config);
        SearchSettings search = SearchDefaults.of(from, config).search(family);
        return (this == T5
                ? T5Converter.convert(weights, config, order(), search)
                : BartConverter.convert(weights, config, family, order(), search, List.of()))
            .network();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void translatesAsTheLibraryDoes(Model model) throws IOException {
    Network network = model.network();
    compare(model, options -> new DecodeCpu(network, options));
  }

  /** Opens a decoder with options. */
  @FunctionalInterface
  public interface Opener {
    /** Opens it. */
    Decode open(DecodeOptions options);
  }

  /** Compares all lines of a model's golden file with what a decoder gives. */
  public static void compare(Model model, Opener opener) throws IOException {
    Path golden = SharedData.require("models/published/" + model.folder + ".golden.jsonl");
    int greedy = 0;
    int beam = 0;
    List<JsonNode> lines = DecodeGoldenTest.golden(golden);
    for (JsonNode line : lines) {
      greedy += compare(model, opener, line, 1) ? 1 : 0;
      beam += compare(model, opener, line, 5) ? 1 : 0;
    }
    System.out.printf("  %s: greedy %d, beam 5 %d of %d%n", model, greedy, beam, lines.size());
    assertThat(greedy).isEqualTo(lines.size());
    assertThat(beam).isEqualTo(lines.size());
  }

  private static boolean compare(Model model, Opener opener, JsonNode line, int beam) {
    IdOrder order = model.order();
    JsonNode expected = line.get(beam == 1 ? "greedy" : "beam5");
    int[] all = DecodeGoldenTest.ids(expected.get("ids"));
    int[] ids = IntStream.of(all).skip(1).map(order::of).toArray();
    int[] source = IntStream.of(DecodeGoldenTest.ids(line.get("src"))).map(order::of).toArray();
    int limit = 3 * source.length + 8;
    boolean cut = model.forcedEnd && ids.length == limit;
    int words = cut ? limit - 1 : limit;
    int[] wanted = cut ? Arrays.copyOf(ids, words) : ids;
    DecodeOptions options =
        DecodeOptions.beam(beam)
            .withMaxLengthFactor((float) (words - 0.5) / source.length)
            .withAllowUnknown(true);
    assertThat(options.limit(source.length)).isEqualTo(words);
    int[] prefix = Arrays.copyOf(ids, model.prefix);
    try (Decode decode = opener.open(options)) {
      List<Result<Decoded>> results = decode.apply(List.of(new DecodeInput(source, prefix)));
      Hypothesis found = results.get(0).orElseThrow().best();
      if (!Arrays.equals(found.ids(), wanted)) {
        System.out.println(
            model
                + " "
                + line.get("i")
                + " beam "
                + beam
                + ": "
                + found
                + ", expected "
                + Arrays.toString(wanted)
                + " "
                + expected.get("score"));
        return false;
      }
      double score = expected.get("score").asDouble();
      assertThat(found.score())
          .isCloseTo(score, within(Math.max(SCORE, ROUNDING * Math.abs(score))));
      return true;
    }
  }
}
