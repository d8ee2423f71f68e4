package io.latimer.operators.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.testing.TestGpu;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The operator on a GPU keeps to the contract, and gives what the CPU gives; skipped without. */
class CheckGrammarGpuTest extends CheckGrammarContractTest {
  private static final int ROUNDS = 20;

  /** A record's charts fit, those of a batch do not. */
  private static final long LITTLE = 1 << 20;

  /** Around the borders of machine words and of the kernels' shapes. */
  private static final int[] LENGTHS = {
    1, 2, 3, 5, 8, 16, 31, 32, 33, 63, 64, 65, 66, 95, 97, 127, 128, 129, 130, 192, 257
  };

  @RegisterExtension final TestGpu gpu = new TestGpu();

  @Override
  CheckGrammar open(Path file, GrammarOptions options) {
    return CheckGrammar.opener(options).open(file, gpu.device());
  }

  @Override
  CheckGrammar openWithLittleMemory(Path file, GrammarOptions options) {
    return CheckGrammar.opener(options, LITTLE).open(file, gpu.device());
  }

  private static String sentence(Random random, int length) {
    return IntStream.range(0, length)
        .mapToObj(i -> random.nextInt(200) == 0 ? "new" : "w" + random.nextInt(4))
        .collect(Collectors.joining(" "));
  }

  private List<Result<GrammarVerdict>> found(
      Path index, Device device, GrammarOptions options, List<String> sentences) {
    try (CheckGrammar check = CheckGrammar.opener(options).open(index, device)) {
      return check.apply(sentences);
    }
  }

  @ParameterizedTest
  @EnumSource(UnknownWords.class)
  void givesWhatTheCpuGives(UnknownWords unknown) {
    Random random = new Random(17);
    int derivable = 0;
    for (int round = 0; round < ROUNDS; round++) {
      boolean weighted = round % 2 == 0;
      int variables = 1 + random.nextInt(weighted ? 12 : 100);
      NaiveGrammar grammar = NaiveGrammar.random(random, variables, weighted);
      Path index = GrammarFiles.index(folder(), "gpu", grammar.lines());
      List<String> sentences =
          IntStream.range(0, 120)
              .mapToObj(i -> sentence(random, i % 9 == 0 ? 0 : LENGTHS[i % LENGTHS.length]))
              .toList();
      GrammarOptions options = new GrammarOptions(unknown, 1024, true, weighted);
      List<Result<GrammarVerdict>> expected = found(index, Device.CPU, options, sentences);
      assertThat(found(index, gpu.device(), options, sentences))
          .as(String.join("\n", grammar.lines()))
          .isEqualTo(expected);
      derivable +=
          (int) expected.stream().filter(result -> result.orElseThrow().derivable()).count();
    }
    assertThat(derivable).isPositive();
  }

  @Test
  void batchesOfAnySizeFollowEachOther() {
    GrammarOptions options = new GrammarOptions(UnknownWords.REFUSE, 1024, true, true);
    try (CheckGrammar onGpu = open(index(), options);
        CheckGrammar onCpu = CheckGrammar.opener(options).open(index(), Device.CPU)) {
      for (int size : new int[] {1, 3000, 2, 0, 500}) {
        List<String> batch = IntStream.range(0, size).mapToObj(this::record).toList();
        assertThat(onGpu.apply(batch)).isEqualTo(onCpu.apply(batch));
      }
    }
  }

  /** Blocks that earlier batches left in the arena leave too little room for the later one. */
  @Test
  void whatFitsDoesNotDependOnEarlierSentences() {
    List<String> lines = new ArrayList<>(List.of("start V0"));
    IntStream.range(0, 88).forEach(v -> lines.add("v V" + v));
    IntStream.range(0, 88).forEach(v -> lines.add("b V" + v + " V" + (v + 1) % 88 + " V" + v));
    IntStream.range(0, 88).forEach(v -> lines.add("t V" + v + " w" + v % 4));
    Path index = GrammarFiles.index(folder(), "room", lines.toArray(String[]::new));
    try (CheckGrammar check =
        CheckGrammar.opener(GrammarOptions.DEFAULT, 20 << 20).open(index, gpu.device())) {
      for (int words : new int[] {1000, 200, 600, 1000}) {
        String sentence = sentence(new Random(words), words);
        assertThat(check.apply(List.of(sentence)).get(0).orElseThrow().words()).isEqualTo(words);
      }
    }
  }
}
