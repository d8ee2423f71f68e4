package io.latimer.operators.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latimer.operators.Result;
import io.latimer.operators.index.WordTable;
import io.latimer.operators.ngram.SentenceWords;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.util.PackedFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every column that other programs computed for real and random grammars. */
abstract class CheckGrammarGoldenTest {
  private static final GrammarOptions CHART =
      new GrammarOptions(UnknownWords.REFUSE, 1024, true, false);

  @TempDir private Path folder;

  /** Opens an operator. */
  abstract CheckGrammar open(Path file, GrammarOptions options);

  private static Path data(String path) {
    return SharedData.require("data/cyk/" + path);
  }

  /** The lines of a file, plain or gzip, but comments. */
  private static List<String> lines(String path) throws IOException {
    try (InputStream in = PackedFile.open(data(path), 1 << 16)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("# ") && !line.equals("#"))
          .toList();
    }
  }

  /** The last column of a file by the first. */
  private static Map<String, String> sentences(String path) throws IOException {
    Map<String, String> sentences = new HashMap<>();
    for (String line : lines(path)) {
      sentences.put(
          line.substring(0, line.indexOf('\t')), line.substring(line.lastIndexOf('\t') + 1));
    }
    return sentences;
  }

  private static String row(String id, GrammarVerdict verdict) {
    return String.join(
        "\t",
        id,
        "" + verdict.words(),
        verdict.derivable() ? "1" : "0",
        "" + verdict.longestPrefix(),
        "" + verdict.acceptedPrefixes(),
        "" + verdict.chart().orElseThrow().bits(),
        verdict.chart().orElseThrow().hashText(),
        verdict.roots().isEmpty() ? "-" : String.join(" ", verdict.roots()));
  }

  private void compare(Path index, Map<String, String> sentences, String golden)
      throws IOException {
    List<String> rows = lines(golden);
    assertThat(rows).isNotEmpty();
    List<String> ids = rows.stream().map(row -> row.substring(0, row.indexOf('\t'))).toList();
    List<String> found = new ArrayList<>();
    try (CheckGrammar check = open(index, CHART)) {
      List<Result<GrammarVerdict>> verdicts =
          check.apply(ids.stream().map(sentences::get).toList());
      for (int i = 0; i < ids.size(); i++) {
        found.add(row(ids.get(i), verdicts.get(i).orElseThrow()));
      }
    }
    assertThat(found).containsExactlyElementsOf(rows);
  }

  private Path index(String... grammars) {
    return GrammarFiles.index(
        folder, "golden", Arrays.stream(grammars).map(file -> data("grammars/" + file)).toList());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "tags1000.wsj0, wsj0.cfg.txt wsj0.postag.txt",
    "tags1000.wsj0, wsj0.cnf.txt.gz",
    "tags200.wsj3, wsj3.cfg.txt.gz",
    "tags60.sm6s, sm6s.cfg.txt.gz"
  })
  void tags(String golden, String grammars) throws IOException {
    compare(
        index(grammars.split(" ", -1)),
        sentences("golden/tags1000.input.tsv"),
        "golden/" + golden + ".golden.tsv");
  }

  /** The golden hashes have S, which is the start variable there, as variable 0. */
  @Test
  void withoutUnaryRules() throws IOException {
    List<String> rules = new ArrayList<>(List.of("start S", "v S"));
    rules.addAll(
        lines("grammars/wsj0.cfg.txt").stream()
            .filter(line -> !line.startsWith("u ") && !line.startsWith("start "))
            .filter(line -> !line.equals("v S"))
            .toList());
    rules.addAll(Files.readAllLines(data("grammars/wsj0.postag.txt")));
    compare(
        GrammarFiles.index(folder, "nounary", rules.toArray(String[]::new)),
        sentences("golden/tags1000.input.tsv"),
        "golden/tags1000.wsj0-nounary.golden.tsv");
  }

  @Test
  void words() throws IOException {
    compare(
        index("wsj0.cfg.txt", "wsj0.lexicon.txt.gz"),
        sentences("sentences/ewt.lextokens.tsv.gz"),
        "golden/words300.wsj0-lexicon.golden.tsv");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 32, 64, 65, 128, 129, 300})
  void random(int variables) throws IOException {
    String name = "rand/rand_v" + variables;
    compare(
        GrammarFiles.index(folder, "random", List.of(data(name + ".cfg.txt"))),
        sentences(name + ".input.tsv"),
        name + ".golden.tsv");
  }

  /** The published number of parses begins each line: 0 where the sentence is no member. */
  @Test
  void commandTalk() throws IOException {
    Map<String, String> sentences = new HashMap<>();
    List<Boolean> members = new ArrayList<>();
    for (String line : lines("commandtalk/commandtalk_sentences.txt.gz")) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] fields = line.split(":", 2);
        sentences.put("ct" + members.size(), fields[1].strip());
        members.add(!fields[0].strip().equals("0"));
      }
    }
    Path index =
        GrammarFiles.index(
            folder, "commandtalk", List.of(data("commandtalk/commandtalk.cnfu.txt.gz")));
    compare(index, sentences, "commandtalk/commandtalk.golden.tsv");
    try (CheckGrammar check = open(index, GrammarOptions.DEFAULT)) {
      for (int i = 0; i < members.size(); i++) {
        assertThat(check.apply(List.of(sentences.get("ct" + i))).get(0).orElseThrow().derivable())
            .as("sentence " + i)
            .isEqualTo(members.get(i));
      }
    }
  }

  /** The golden scores were added in double precision; ours have some 2 * length roundings. */
  @Test
  void viterbi() throws IOException {
    Map<String, String> sentences = sentences("sentences/ewt.lextokens.tsv.gz");
    List<String> rows = lines("golden/words200.wsj0-viterbi.golden.tsv");
    assertThat(rows).hasSize(200);
    Path index = index("wsj0.pcfg.txt.gz");
    try (CheckGrammar check =
        open(index, new GrammarOptions(UnknownWords.REFUSE, 1024, false, true))) {
      List<Result<GrammarVerdict>> verdicts =
          check.apply(
              rows.stream()
                  .map(row -> sentences.get(row.substring(0, row.indexOf('\t'))))
                  .toList());
      for (int i = 0; i < rows.size(); i++) {
        String[] row = rows.get(i).split("\t", -1);
        GrammarVerdict verdict = verdicts.get(i).orElseThrow();
        assertThat(verdict.words()).isEqualTo(Integer.parseInt(row[1]));
        assertThat(verdict.tree().isPresent()).as(row[0]).isEqualTo(!row[2].equals("-inf"));
        assertThat(verdict.derivable()).as(row[0]).isEqualTo(verdict.tree().isPresent());
        if (verdict.tree().isPresent()) {
          double expected = Double.parseDouble(row[2]);
          assertThat((double) verdict.tree().get().logProbability())
              .as(row[0])
              .isEqualTo(expected, within(-expected * 1e-6));
        }
      }
    }
  }

  /** The classes of unknown words as another program found them in 225,236 words. */
  @Test
  void classesOfUnknownWords() throws IOException {
    Path index = index("wsj0.cfg.txt", "wsj0.lexicon.txt.gz");
    Map<String, String> mapped = sentences("sentences/ewt.lextokens.tsv.gz");
    Map<String, String> sentences = sentences("sentences/ewt.words.tsv.gz");
    int compared = 0;
    try (CheckGrammar check = open(index, GrammarOptions.DEFAULT)) {
      WordTable terminals = check.index().terminals();
      SentenceTerminals classes = new SentenceTerminals(check.index(), UnknownWords.CLASS);
      for (Map.Entry<String, String> sentence : sentences.entrySet()) {
        String[] words = sentence.getValue().split(" ", -1);
        int[] ids = classes.ids(new SentenceWords(sentence.getValue()));
        String[] expected = mapped.get(sentence.getKey()).split(" ", -1);
        for (int i = 0; i < ids.length; i++) {
          // Python, which the expected classes come from, takes superscripts for digits.
          if (expected[i].startsWith("UNK") && words[i].chars().allMatch(c -> c < 128)) {
            assertThat(terminals.word(ids[i])).as(sentence.getValue()).isEqualTo(expected[i]);
            compared++;
          }
        }
      }
    }
    assertThat(compared).isGreaterThan(10_000);
  }
}
