package io.latimer.cli.lm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.cli.Run;
import io.latimer.operators.testing.SharedData;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LmCommandTest {
  private static final String ARPA =
      """
      \\data\\
      ngram 1=5
      ngram 2=3

      \\1-grams:
      -2.5\t<unk>
      -99\t<s>\t-0.5
      -1.25\t</s>
      -0.75\tthe\t-0.375
      -1.5\tship\t-0.125

      \\2-grams:
      -0.4\t<s> the
      -0.35\tthe ship
      -0.2\tship </s>

      \\end\\
      """;

  @TempDir private Path folder;
  private Path arpa;
  private Path model;

  @BeforeEach
  void write() throws IOException {
    arpa = Files.writeString(folder.resolve("small.arpa"), ARPA);
    model = folder.resolve("small.llm");
  }

  private void load() {
    Run run = Run.of("lm", "import", "--arpa", arpa.toString(), "--out", model.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  private Run query(String text, String... more) {
    String[] all = new String[5 + more.length];
    System.arraycopy(
        new String[] {"lm", "query", "--device=cpu", "--model", model.toString()}, 0, all, 0, 5);
    System.arraycopy(more, 0, all, 5, more.length);
    return Run.withInput(text, all);
  }

  @Test
  void importSaysWhatItMadeAndDoesNotWriteOverAFile() {
    String[] command = {"lm", "import", "--arpa", arpa.toString(), "--out", model.toString()};
    Run run = Run.of(command);
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            model
                + ": order 2, 8 n-grams, 0.0 MB on disk, 0.0 MB on a device (KenLM: probing about"
                + " 0.0 MB, trie about 0.0 MB)\n");
    Run again = Run.of(command);
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err())
        .isEqualTo("latimer: " + model + " already exists; --force replaces it.\n");
    Run forced =
        Run.of(
            "lm",
            "import",
            "--force",
            "--layout=btree",
            "--keys=3",
            "--arpa",
            arpa.toString(),
            "--out",
            model.toString());
    assertThat(forced.exitCode()).isZero();
    assertThat(Run.of("index", "inspect", "--all", model.toString()).out())
        .contains("kind        language-model, format version 1\n", "\"layout\" : \"btree\"");
    assertThat(Run.of("index", "verify", model.toString()).out())
        .isEqualTo(model + ": language-model, intact\n");
  }

  @Test
  void whatIsWrongWithAnArpaFileIsASentence() throws IOException {
    Files.writeString(arpa, ARPA.replace("-0.35\tthe ship", "0.35\tthe ship"));
    Run run = Run.of("lm", "import", "--arpa", arpa.toString(), "--out", model.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "latimer: "
                + arpa
                + ", \\2-grams:, line 14, n-gram \"0.35 the ship\": the log-probability 0.35 is"
                + " above 0\n");
    assertThat(model).doesNotExist();
    Files.writeString(arpa, ARPA.replace("ngram 1=5", "ngram 1=4").replace("-2.5\t<unk>\n", ""));
    Run warned = Run.of("lm", "import", "--arpa", arpa.toString(), "--out", model.toString());
    assertThat(warned.exitCode()).isZero();
    assertThat(warned.err()).contains("has no <unk>: unknown words score -100");
    assertThat(Run.of("lm", "import", "--arpa", arpa.toString()).exitCode()).isEqualTo(2);
    Run keys =
        Run.of("lm", "import", "--keys=64", "--arpa", arpa.toString(), "--out", model.toString());
    assertThat(keys.exitCode()).isEqualTo(2);
    assertThat(Run.of("lm").exitCode()).isEqualTo(2);
  }

  @Test
  void queryPrintsAsKenlmDoes() {
    load();
    Run run = query("the ship\n\nzzz  the \nship");
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    String[] lines = {
      "the=3 2 -0.4\tship=4 2 -0.35\t</s>=2 2 -0.2\tTotal: -0.95 OOV: 0",
      "</s>=2 1 -1.75\tTotal: -1.75 OOV: 0",
      "zzz=0 1 -3\tthe=3 1 -0.75\t</s>=2 1 -1.625\tTotal: -5.375 OOV: 1",
      "ship=4 1 -2\t</s>=2 2 -0.2\tTotal: -2.2 OOV: 0",
      ""
    };
    assertThat(run.out()).startsWith(String.join("\n", lines));
    assertThat(run.out())
        .containsPattern(
            "\nPerplexity including OOVs:\t[0-9.]+\nPerplexity excluding OOVs:\t[0-9.]+\nOOVs:\t1\n"
                + "Tokens:\t9\n$");
    assertThat(query("the ship\n", "-n", "-v", "sentence").out()).isEqualTo("Total: -1.1 OOV: 0\n");
    assertThat(query("the ship\n", "-n", "-v", "word").out())
        .isEqualTo("the=3 1 -0.75\tship=4 2 -0.35\t\n");
    assertThat(query("", "-v", "summary").out().lines())
        .containsExactly(
            "Perplexity including OOVs:\tNaN",
            "Perplexity excluding OOVs:\tNaN",
            "OOVs:\t0",
            "Tokens:\t0");
  }

  @Test
  void tsvHasARowForEachThing() {
    load();
    String[] rows = query("zzz the\n", "--format=tsv").out().split("\n", -1);
    assertThat(rows).hasSize(9);
    assertThat(rows)
        .startsWith(
            "word\t1\t1\tzzz\t0\t1\t-3\t1",
            "word\t1\t2\tthe\t3\t1\t-0.75\t0",
            "word\t1\t3\t</s>\t2\t1\t-1.625\t0")
        .endsWith("summary\tunknown\t1", "summary\ttokens\t3", "");
    assertThat(rows[3]).startsWith("sentence\t1\t3\t1\t-5.375\t");
    assertThat(rows[4]).startsWith("summary\tperplexity\t");
    assertThat(rows[5]).startsWith("summary\tperplexity-of-known\t");
  }

  @Test
  void jsonHasAnObjectForEachLine() throws IOException {
    load();
    String[] lines = query("the \"\u0001é\n", "--format=json").out().split("\n", -1);
    assertThat(lines).hasSize(3);
    ObjectMapper json = new ObjectMapper();
    JsonNode line = json.readTree(lines[0]);
    assertThat(line.get("line").asInt()).isEqualTo(1);
    assertThat(line.get("total").floatValue()).isEqualTo(-0.4f - 2.875f - 1.25f);
    assertThat(line.get("tokens").asInt()).isEqualTo(3);
    assertThat(line.get("unknown").asInt()).isEqualTo(1);
    assertThat(line.get("words")).hasSize(3);
    JsonNode word = line.get("words").get(1);
    assertThat(word.get("word").asText()).isEqualTo("\"\u0001é");
    assertThat(word.get("id").asInt()).isZero();
    assertThat(word.get("length").asInt()).isEqualTo(1);
    assertThat(word.get("log10").floatValue()).isEqualTo(-2.875f);
    assertThat(word.get("unknown").asBoolean()).isTrue();
    JsonNode summary = json.readTree(lines[1]);
    assertThat(summary.get("tokens").asInt()).isEqualTo(3);
    assertThat(summary.get("lines").asInt()).isEqualTo(1);
    assertThat(summary.get("perplexity").doubleValue()).isPositive();
    assertThat(lines[2]).isEmpty();
    assertThat(query("", "--format=json", "-v", "summary").out())
        .isEqualTo(
            "{\"perplexity\":null,\"perplexityOfKnown\":null,\"unknown\":0,\"tokens\":0,"
                + "\"lines\":0}\n");
  }

  @Test
  void whatIsNoLanguageModelIsSaid() throws IOException {
    load();
    Run text = Run.of("lm", "query", "--device=cpu", "--model", arpa.toString());
    assertThat(text.exitCode()).isEqualTo(1);
    assertThat(text.err()).isEqualTo("latimer: " + arpa + " is not a Latimer index file\n");
    for (String command : new String[] {"query", "perplexity"}) {
      Run device = Run.of("lm", command, "--device=tpu", "--model", model.toString());
      assertThat(device.exitCode()).isEqualTo(2);
      assertThat(device.err()).contains("tpu", "See 'latimer lm " + command + " --help'.");
      assertThat(Run.of("lm", command).exitCode()).isEqualTo(2);
    }
    byte[] bytes = Files.readAllBytes(model);
    bytes[bytes.length - 1000] ^= 1;
    Files.write(model, bytes);
    Run damaged = Run.of("lm", "perplexity", "--device=cpu", "--model", model.toString());
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.err()).startsWith("latimer: " + model + " is corrupt: ");
  }

  @Test
  void longLinesAndWordsThatAreNotUtf8AreScoredAsTheyAre() {
    load();
    String words = "the ".repeat(300_000);
    assertThat(query(words, "-v", "sentence").out()).endsWith(" OOV: 0\n");
    byte[] input = {'x', (byte) 0xff, ' ', 't', 'h', 'e', '\n'};
    Run run =
        Run.withInput(
            new ByteArrayInputStream(input),
            "lm",
            "query",
            "--device=cpu",
            "--model",
            model.toString(),
            "-v",
            "word");
    assertThat(run.out()).startsWith("x\ufffd=0 1 -3\tthe=3 1 -0.75\t");
  }

  @ParameterizedTest
  @CsvSource({
    "tiny/tiny.arpa, tiny/queries.txt, tiny/tiny.kenlm.txt, hash",
    "tiny/tiny_nounk.arpa, tiny/queries.txt, tiny/tiny_nounk.kenlm.txt, btree",
    "small/small.o4.gaps.arpa.gz, small/small_test.txt, small/small.o4.gaps.kenlm.txt.gz, hash",
    "small/small.o6.arpa.gz, small/small_test.txt, small/small.o6.kenlm.txt.gz, btree",
    "en5.arpa.gz, golden/golden.txt, golden/golden.en5.kenlm.txt.gz, hash",
    "en5.arpa.gz, golden/edge.txt, golden/edge.en5.kenlm.txt.gz, hash"
  })
  void queryPrintsToTheByteWhatKenlmPrints(
      String arpaName, String text, String golden, String layout) throws IOException {
    Path from = SharedData.require("data/lm/" + arpaName);
    Run imported =
        Run.of(
            "lm",
            "import",
            "--layout",
            layout,
            "--arpa",
            from.toString(),
            "--out",
            model.toString());
    assertThat(imported.exitCode()).as(imported.err()).isZero();
    Run run =
        Run.withInput(
            new ByteArrayInputStream(bytes("data/lm/" + text)),
            "lm",
            "query",
            "--device=cpu",
            "--model",
            model.toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
    String expected = new String(bytes("data/lm/" + golden), StandardCharsets.UTF_8);
    if (!run.out().equals(expected)) { // so much text is no message
      assertThat(run.out().split("\n", -1)).containsExactly(expected.split("\n", -1));
    }
    if (text.equals("golden/golden.txt")) {
      Run perplexity =
          Run.withInput(
              new ByteArrayInputStream(bytes("data/lm/" + text)),
              "lm",
              "perplexity",
              "--device=cpu",
              "--model",
              model.toString());
      assertThat(expected).endsWith("\n" + perplexity.out());
      assertThat(perplexity.out().lines()).hasSize(4);
      Run fragments =
          Run.withInput(
              new ByteArrayInputStream(bytes("data/lm/" + text)),
              "lm",
              "query",
              "-n",
              "-v",
              "sentence,summary",
              "--device=cpu",
              "--model",
              model.toString());
      assertThat(fragments.out())
          .isEqualTo(
              new String(
                  bytes("data/lm/golden/golden.en5.nobos.kenlm.txt.gz"), StandardCharsets.UTF_8));
    }
  }

  private static byte[] bytes(String shared) throws IOException {
    try (InputStream raw = Files.newInputStream(SharedData.require(shared));
        InputStream in = shared.endsWith(".gz") ? new GZIPInputStream(raw) : raw) {
      return in.readAllBytes();
    }
  }
}
