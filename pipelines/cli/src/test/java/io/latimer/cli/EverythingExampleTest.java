package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example with every operator, as docs/operators.md says to run it in a fresh clone. */
final class EverythingExampleTest extends CheckoutProcess {
  private static final String JOB = "examples/jobs/everything.yaml";
  private static final String SCRIPT = "examples/build-indexes.sh";

  @TempDir private static Path ready;

  @BeforeAll
  static void makeLibraries() throws IOException {
    makeLibraries(ready);
  }

  @Override
  Path ready() {
    return ready;
  }

  /** All that Git has of the examples; what is large is linked. */
  @BeforeEach
  void copyExamples() throws IOException {
    Path examples = Path.of(System.getProperty("latimer.root"), "examples");
    Path copy = Files.createDirectory(home.resolve("examples"));
    for (String part : List.of("corpora", "grammars", "jobs")) {
      Files.createDirectory(copy.resolve(part));
      try (Stream<Path> files = Files.list(examples.resolve(part))) {
        for (Path file : files.toList()) {
          Files.copy(file, copy.resolve(part).resolve(file.getFileName()));
        }
      }
    }
    Files.createSymbolicLink(copy.resolve("models"), examples.resolve("models"));
    Files.copy(examples.resolve("build-indexes.sh"), home.resolve(SCRIPT));
    assertThat(home.resolve(SCRIPT).toFile().setExecutable(true)).isTrue();
  }

  private Ended runJob(String job) throws Exception {
    ProcessBuilder process = command(Path.of("./latimer"), "run", "--config", job);
    process.environment().put("XDG_STATE_HOME", folder.toString());
    return run(process.directory(home.toFile()));
  }

  private Ended build() throws Exception {
    return run(command(Path.of(SCRIPT)).directory(home.toFile()));
  }

  /** The files in the folder of indexes, with their bytes. */
  private Map<String, ByteBuffer> indexes() throws IOException {
    Map<String, ByteBuffer> indexes = new TreeMap<>();
    try (Stream<Path> files = Files.list(home.resolve("examples/indexes"))) {
      for (Path file : files.toList()) {
        indexes.put(file.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(file)));
      }
    }
    return indexes;
  }

  @Test
  void theJobPrintsWhatEveryStageFound() throws Exception {
    Ended early = runJob(JOB);
    assertThat(early.exitCode()).isEqualTo(1);
    assertThat(early.out()).isEmpty();
    assertThat(early.err())
        .contains("front-desk.lpx does not exist; run ", "/" + SCRIPT + ", which builds it");

    Ended built = build();
    assertThat(built.exitCode()).as(built.err()).isZero();
    Map<String, ByteBuffer> indexes = indexes();
    assertThat(indexes).containsOnlyKeys("front-desk.lgx", "front-desk.llm", "front-desk.lpx");
    assertThat(build().exitCode()).isZero();
    assertThat(indexes()).isEqualTo(indexes);

    Ended ended = runJob(JOB);
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    List<JsonNode> records = new ArrayList<>();
    for (String line : ended.out().lines().toList()) {
      records.add(new ObjectMapper().readTree(line));
    }
    assertThat(records).hasSize(10).allSatisfy(EverythingExampleTest::assertWhole);
    assertChoices(records);

    // a line that only one of the files has, which the phrase index refuses: nothing is replaced
    Path german = home.resolve("examples/corpora/front-desk.de");
    Files.writeString(german, "Einer zu viel.\n", StandardOpenOption.APPEND);
    Ended failed = build();
    assertThat(failed.exitCode()).isNotZero();
    assertThat(failed.err()).contains("latimer: ");
    assertThat(indexes()).isEqualTo(indexes);
  }

  @Test
  void aJobTranslatesByPhrasesOfTheSameText() throws Exception {
    assertThat(build().exitCode()).isZero();
    Ended ended = runJob("examples/jobs/phrase-translation.yaml");
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    assertThat(ended.out().lines())
        .hasSize(3)
        .anySatisfy(line -> assertThat(line).contains("Bitte öffnen Sie das Fenster."));
  }

  private static void assertChoices(List<JsonNode> records) {
    assertThat(records)
        .extracting(record -> record.get("text").textValue())
        .contains(
            "Guten Morgen! Haben Sie gut geschlafen?",
            "Ihr Zimmer ist bereit.",
            "Möchten Sie noch eine Tasse Tee?",
            "Mein Bruder spielt Schlagzeug.");
    // the grammar derives the choices, but only some of what the model would have chosen
    assertThat(records).filteredOn(record -> derivable(record.get("nBest").get(0))).hasSize(8);
    assertThat(records).filteredOn(record -> derivable(choiceOfModel(record))).hasSizeLessThan(5);
  }

  private static JsonNode choiceOfModel(JsonNode record) {
    List<JsonNode> list = new ArrayList<>();
    record.get("nBest").forEach(list::add);
    return Collections.max(
        list, Comparator.comparingDouble(entry -> entry.get("normalizedScore").doubleValue()));
  }

  private static boolean derivable(JsonNode alternative) {
    return alternative.get("grammarChecks").get(0).get("derivable").booleanValue();
  }

  private static void assertWhole(JsonNode record) {
    JsonNode table = record.get("phraseTables").get(0);
    assertThat(table.get("stage").textValue()).isEqualTo("phrases");
    assertThat(table.get("phrases")).isNotEmpty();
    List<JsonNode> list = new ArrayList<>();
    record.get("nBest").forEach(list::add);
    assertThat(list)
        .hasSize(8)
        .isSortedAccordingTo(
            Comparator.comparingDouble((JsonNode a) -> a.get("rerankScore").doubleValue())
                .reversed())
        .allSatisfy(EverythingExampleTest::assertAlternative);
    JsonNode best = list.get(0);
    for (String field : List.of("text", "score", "normalizedScore", "alignment")) {
      assertThat(record.get(field)).as(field).isEqualTo(best.get(field));
    }
    assertThat(record.findValuesAsText("stage"))
        .contains("phrases", "translate", "score", "grammar-check", "rerank");
  }

  /** Every part is there, and the score is the sum of the parts with the weights of the job. */
  private static void assertAlternative(JsonNode alternative) {
    JsonNode language = alternative.get("languageScores").get(0);
    assertThat(language.get("text").textValue()).isEqualTo("alternative");
    JsonNode grammar = alternative.get("grammarChecks").get(0);
    assertThat(grammar.get("text").textValue()).isEqualTo("alternative");
    assertThat(grammar.get("continuation").isNull()).isEqualTo(derivable(alternative));
    assertThat(alternative.get("alignment")).isNotEmpty();
    assertThat(alternative.get("words").intValue())
        .isEqualTo(alternative.get("text").textValue().split(" ").length);
    double coverage = alternative.get("phraseCoverage").doubleValue();
    assertThat(coverage).isBetween(0.0, 1.0);
    double sum =
        alternative.get("normalizedScore").doubleValue()
            + 0.5 * language.get("log10").doubleValue() / language.get("words").intValue()
            + (derivable(alternative) ? 0.5 : 0)
            + 0.25 * coverage;
    assertThat(alternative.get("rerankScore").doubleValue()).isEqualTo(sum);
  }
}
