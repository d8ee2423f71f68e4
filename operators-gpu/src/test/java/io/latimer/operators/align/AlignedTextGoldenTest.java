package io.latimer.operators.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.ngram.WordIds;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.util.BuildProgress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Alignments of three texts, beside those that fast_align made of them with the same options. It
 * fits the tension to distances from the place before a word, which matters in short sentences:
 * with that copied, the error rates between the two were 0.005, 0.006 and 0.001.
 */
class AlignedTextGoldenTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "multi30k, train.lc.norm.tok.en.gz, train.lc.norm.tok.de.gz, train.en-de.gdfa.gz, 0.045",
    "pydocs-en-es, train.lc.tok.en.gz, train.lc.tok.es.gz, train.en-es.gdfa.gz, 0.01",
    "tatoeba-en-de, train.lc.tok.en.gz, train.lc.tok.de.gz, train.en-de.gdfa.gz, 0.065"
  })
  void alignsAsFastAlignDid(
      String data, String source, String target, String alignment, double most) throws IOException {
    Path text = SharedData.require("data/" + data);
    long common = 0;
    long found = 0;
    long expected = 0;
    AlignedText aligned =
        AlignedText.train(
            text.resolve("tok/" + source),
            text.resolve("tok/" + target),
            TrainingOptions.DEFAULTS,
            2,
            BuildProgress.NONE);
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(text.resolve("align/" + alignment))),
                StandardCharsets.UTF_8))) {
      for (int i = 0; i < aligned.size(); i++) {
        Set<String> links = new HashSet<>(WordIds.split(lines.readLine()));
        expected += links.size();
        for (Alignment.Link link : aligned.alignment(i).links()) {
          found++;
          common += links.contains(link.toString()) ? 1 : 0;
        }
      }
    }
    double errorRate = 1 - 2.0 * common / (found + expected);
    System.out.printf(
        "%s: %,d links, %,d of fast_align's %,d; alignment error rate between them %.4f%n",
        data, found, common, expected, errorRate);
    assertThat(errorRate).isLessThan(most);
  }
}
