package io.latimer.operators.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.testing.TestGpu;
import io.latimer.operators.util.PackedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The golden files on a GPU, and whole test sets on it and the CPU; skipped without a GPU. */
class CheckGrammarGpuGoldenTest extends CheckGrammarGoldenTest {
  @RegisterExtension final TestGpu gpu = new TestGpu();

  @TempDir private Path temporary;

  @Override
  CheckGrammar open(Path file, GrammarOptions options) {
    return CheckGrammar.opener(options).open(file, gpu.device());
  }

  @ParameterizedTest(name = "{1} on {0}, {2} sentences")
  @CsvSource({
    "wsj0.cfg.txt wsj0.postag.txt, ewt.tags, 14968, false",
    "wsj3.cfg.txt.gz, ewt.tags, 2000, false",
    "wsj0.cfg.txt wsj0.lexicon.txt.gz, ewt.words, 14968, false",
    "wsj0.pcfg.txt.gz, ewt.words, 1000, true"
  })
  void givesWhatTheCpuGives(String grammars, String text, int count, boolean tree)
      throws IOException {
    Path index =
        GrammarFiles.index(
            temporary,
            "whole",
            Arrays.stream(grammars.split(" ", -1))
                .map(file -> SharedData.require("data/cyk/grammars/" + file))
                .toList());
    List<String> sentences = sentences("data/cyk/sentences/" + text + ".tsv.gz", count);
    GrammarOptions options = new GrammarOptions(UnknownWords.CLASS, 1024, false, tree);
    try (CheckGrammar onGpu = open(index, options);
        CheckGrammar onCpu = CheckGrammar.opener(options).open(index, Device.CPU)) {
      assertThat(onGpu.apply(sentences)).isEqualTo(onCpu.apply(sentences));
    }
  }

  private static List<String> sentences(String path, int count) throws IOException {
    try (InputStream in = PackedFile.open(SharedData.require(path), 1 << 16)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("# "))
          .limit(count)
          .map(line -> line.substring(line.lastIndexOf('\t') + 1))
          .toList();
    }
  }
}
