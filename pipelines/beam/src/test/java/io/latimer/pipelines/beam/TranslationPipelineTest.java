package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.latimer.operators.lm.LanguageModels;
import io.latimer.operators.phrases.ParallelText;
import io.latimer.pipelines.config.ConfigException;
import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.beam.runners.flink.FlinkPipelineOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program with files, and its options. */
class TranslationPipelineTest {
  /** The time of the first sentence, when a window of ten seconds begins. */
  private static final Instant START = Instant.ofEpochSecond(1000);

  @TempDir Path folder;

  private TranslationOptions ordered(String input, String... more) {
    List<String> all = new ArrayList<>();
    all.add("--runner=DirectRunner");
    all.add("--ordered");
    all.add("--input=" + folder.resolve(input));
    all.add("--output=" + folder.resolve("out"));
    all.addAll(List.of(more));
    return TranslationPipeline.options(all.toArray(String[]::new));
  }

  @Test
  void bundlesEndBeforeCheckpointsOnFlink() {
    assertThat(finishesBundles("--runner=FlinkRunner")).isTrue();
    assertThat(finishesBundles("--runner=DirectRunner")).isFalse();
    assertThat(finishesBundles("--runner=FlinkRunner", "--finishBundleBeforeCheckpointing=false"))
        .isFalse();
  }

  private static boolean finishesBundles(String... arguments) {
    return TranslationPipeline.options(arguments)
        .as(FlinkPipelineOptions.class)
        .getFinishBundleBeforeCheckpointing();
  }

  /** Beam splits lists at commas. */
  @Test
  void aValueMayHaveCommas() throws IOException {
    Files.writeString(folder.resolve("in.txt"), "Hi.\n");
    Files.createSymbolicLink(folder.resolve("a,b.lmx"), Examples.MODEL);
    String model = folder.resolve("a,b.lmx").toString();
    String[] settings = {"--model=" + model, "--settings=beam=2,model=" + model};
    TranslationPipeline.build(ordered("in.txt", settings)).run().waitUntilFinish();
    assertThat(folder.resolve("out")).exists();
    assertThatThrownBy(
            () ->
                TranslationPipeline.build(
                    ordered("in.txt", "--model=" + model, "--settings=beam=2,3")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("2,3");
    assertThatThrownBy(
            () ->
                TranslationPipeline.build(
                    ordered("in.txt", "--model=" + model, "--settings=beam,x=2")))
        .hasMessageContaining("--settings: expected KEY=VALUE, found beam");
  }

  @Test
  void filesAreTranslatedByPhrases() throws IOException {
    Path index =
        ParallelText.of("the house ||| das haus ||| 0-0 1-1", "a house ||| ein haus ||| 0-0 1-1")
            .index(folder, "index.lpx");
    Path model = folder.resolve("model.llm");
    LanguageModels.estimate(List.of("das haus", "ein haus"), model);
    Files.writeString(folder.resolve("in.txt"), "A house\nThe house\n");
    String[] byPhrases = {"--phrases=" + index, "--languageModel=" + model};
    TranslationPipeline.build(ordered("in.txt", byPhrases)).run().waitUntilFinish();
    assertThat(folder.resolve("out")).hasContent("Ein haus\nDas haus");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "|translate needs --model, or --phrases and --languageModel",
        "--model=m --phrases=p --languageModel=l|translate needs --model, or --phrases",
        "--model=m --languageModel=l|--phrases and --languageModel need each other",
        "--phrases=p|--phrases and --languageModel need each other",
        "--stage=identity --phrases=p --languageModel=l|identity has no --model, --phrases"
      })
  void aTranslatorIsAModelOrPhrases(String options, String message) {
    String[] given = options == null ? new String[0] : options.split(" ");
    assertThatThrownBy(() -> TranslationPipeline.build(ordered("in.txt", given)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void anOrderedOutputNeedsOneInputFile() throws IOException {
    assertThatThrownBy(() -> TranslationPipeline.build(ordered("*.txt", "--stage=identity")))
        .hasMessageContaining("*.txt does not exist");
    Files.writeString(folder.resolve("a.txt"), "a\n");
    Files.writeString(folder.resolve("b.txt"), "b\n");
    assertThatThrownBy(() -> TranslationPipeline.build(ordered("*.txt", "--stage=identity")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--ordered needs one input file")
        .hasMessageContaining("matches 2");
    TranslationPipeline.build(ordered("b.*", "--stage=identity")).run().waitUntilFinish();
    assertThat(folder.resolve("out")).hasContent("b");
  }

  /** Sentences with times in an Avro file; one is too long to be translated. */
  private Path sentences(List<String> texts) throws IOException {
    List<Sentence> sentences = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      sentences.add(
          Sentence.newBuilder()
              .setId("id " + i)
              .setFeed("news")
              .setLanguage("en")
              .setText(texts.get(i))
              .setEventTime(START.plusSeconds(i))
              .build());
    }
    return Containers.write(folder.resolve("in.avro"), sentences);
  }

  private void run(Path input, Format format) {
    TranslationPipeline.build(
            TranslationPipeline.options(
                "--runner=DirectRunner",
                "--model=" + Examples.MODEL,
                "--input=" + input,
                "--output=" + folder.resolve("out"),
                "--format=" + format,
                "--deadLetters=" + folder.resolve("dead"),
                "--ngramWindowSeconds=10",
                "--ngramSettings=order=1",
                "--ngramOutput=" + folder.resolve("tables")))
        .run()
        .waitUntilFinish();
  }

  @Test
  void anAvroFileBecomesAvroFilesDeadLettersAndTables() throws IOException {
    List<String> texts = new ArrayList<>(Examples.feed(12));
    List<String> expected = Examples.translations(texts);
    texts.add("x".repeat(150_000));
    run(sentences(texts), Format.AVRO);

    Map<String, String> found = new TreeMap<>();
    for (Path part : Examples.parts(folder.resolve("out-"))) {
      assertThat(part.toString()).endsWith(".avro");
      for (Translation one : Containers.read(Translation.class, part)) {
        int number = (int) Duration.between(START, one.getSource().getEventTime()).toSeconds();
        assertThat(one.getSource().getText()).isEqualTo(texts.get(number));
        assertThat(one.getScore()).isNegative();
        found.put(one.getSource().getId(), one.getText());
      }
    }
    assertThat(found).hasSize(expected.size());
    for (int i = 0; i < expected.size(); i++) {
      assertThat(found).containsEntry("id " + i, expected.get(i));
    }
    assertThat(Examples.lines(folder.resolve("dead-")))
        .singleElement(STRING)
        .contains("\"stage\":\"translate\"", "\"offset\":12,");
    List<String> tables = Examples.lines(folder.resolve("tables-"));
    assertThat(tables).hasSize(2);
    assertThat(tables).filteredOn(line -> line.contains("\"sentences\":10,")).hasSize(1);
    assertThat(tables).filteredOn(line -> line.contains("\"sentences\":2,")).hasSize(1);
  }

  @Test
  void linesOfJsonHaveTheTranslations() throws IOException {
    List<String> texts = Examples.feed(3);
    run(sentences(texts), Format.JSON);
    List<String> lines = Examples.lines(folder.resolve("out-"));
    assertThat(lines).hasSize(3);
    List<String> expected = Examples.translations(texts);
    for (int i = 0; i < 3; i++) {
      String id = "\"id\":\"id " + i + "\"";
      String text = "\"text\":\"" + expected.get(i) + "\"";
      assertThat(lines)
          .filteredOn(line -> line.contains(id))
          .hasSize(1)
          .allMatch(line -> line.contains(text));
    }
    assertThat(Examples.lines(folder.resolve("dead-"))).isEmpty();
    assertThat(Examples.lines(folder.resolve("tables-"))).hasSize(1);
  }

  @Test
  void partsOfAFailedOutputAreDeleted() throws IOException {
    String output = folder.resolve("out").toString();
    String parts = OrderedLines.parts(output);
    Files.writeString(Path.of(parts), "whole");
    Files.writeString(Path.of(parts + "-7"), "chunk");
    Files.writeString(Path.of(OrderedLines.parts(output) + "-7"), "of another pipeline");
    Files.writeString(Path.of(output), "complete");
    OrderedLines.deleteLocal(parts);
    assertThat(Path.of(output)).exists();
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).hasSize(2).noneMatch(path -> path.toString().startsWith(parts));
    }
  }
}
