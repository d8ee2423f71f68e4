package io.latimer.operators.grammar.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.testing.SharedData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Grammars that are not binary derive the sentences that other programs say. */
final class GrammarGoldenTest {
  private static Path data(String file) {
    return SharedData.require("data/cyk").resolve(file);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "small/ambig",
        "small/anbn",
        "small/brackets_cnf",
        "small/brackets_eps",
        "small/dyck2",
        "small/eqab",
        "small/expr",
        "small/fig1",
        "small/inh",
        "small/messy",
        "small/notww",
        "small/palindrome",
        "rand/raw00",
        "rand/raw01",
        "rand/raw02",
        "rand/raw03",
        "rand/raw04",
        "rand/raw05",
      })
  void derivesTheSameCases(String name) throws IOException {
    GrammarText.Read read =
        GrammarText.read(List.of(data(name + ".cfg")), GrammarTextOptions.DEFAULT);
    PlainCyk cyk = new PlainCyk(read.grammar());
    int cases = 0;
    for (String line : Files.readAllLines(data(name + ".cases.tsv"))) {
      if (!line.startsWith("#")) {
        String[] fields = line.split("\t", 3);
        assertThat(cyk.accepts(WordIds.split(fields[2]))).as(line).isEqualTo(fields[0].equals("1"));
        cases++;
      }
    }
    assertThat(cases).isGreaterThan(10);
  }

  @Test
  void commandTalkDerivesTheSentencesWithParses() throws IOException {
    GrammarText.Read read =
        GrammarText.read(
            List.of(data("commandtalk/commandtalk.cfg.gz")),
            new GrammarTextOptions(null, null, false, true));
    assertThat(read.report().rules()).isEqualTo(28_851);
    assertThat(read.report().undefined()).hasSize(24);
    PlainCyk cyk = new PlainCyk(read.grammar());
    int sentences = 0;
    try (BufferedReader lines = lines(data("commandtalk/commandtalk_sentences.txt.gz"))) {
      for (String line : (Iterable<String>) lines.lines()::iterator) {
        int colon = line.indexOf(" : ");
        if (colon > 0 && !line.startsWith("#")) {
          boolean parses = !line.substring(0, colon).strip().equals("0");
          assertThat(cyk.accepts(WordIds.split(line.substring(colon + 3))))
              .as(line)
              .isEqualTo(parses);
          sentences++;
        }
      }
    }
    assertThat(sentences).isEqualTo(162);
  }

  private static BufferedReader lines(Path file) throws IOException {
    return new BufferedReader(
        new InputStreamReader(
            new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8));
  }
}
