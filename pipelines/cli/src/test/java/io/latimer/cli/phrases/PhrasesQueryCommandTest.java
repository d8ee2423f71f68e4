package io.latimer.cli.phrases;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.cli.Run;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PhrasesQueryCommandTest {
  private static final String HOUSE = "house ||| haus ||| 4 ||| 4 ||| 4 ||| 1 ||| 1 ||| 0 ||| 0\n";
  private static final String THE =
      """
      the ||| das ||| 2 ||| 3 ||| 3 ||| 0.666666666667 ||| 1 ||| 0.176091259056 ||| 0
      the ||| dies ||| 1 ||| 3 ||| 3 ||| 0.333333333333 ||| 1 ||| 0.47712125472 ||| 0
      """;
  private static final String THE_HOUSE =
      """
      the house ||| das haus ||| 1 ||| 2 ||| 2 ||| 0.5 ||| 1 ||| 0.176091259056 ||| 0
      the house ||| dies haus ||| 1 ||| 2 ||| 2 ||| 0.5 ||| 1 ||| 0.47712125472 ||| 0
      """;

  @TempDir private Path folder;
  private Path index;

  @BeforeEach
  void index() throws IOException {
    index = ParallelText.write(folder.resolve("text")).index(folder.resolve("text.lpx"));
  }

  private String[] command(String... more) {
    List<String> all = new ArrayList<>(List.of("phrases", "query", "--index", index.toString()));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  /** What a query prints that succeeds. */
  private String query(String text, String... more) {
    Run run = Run.withInput(text, command(more));
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    return run.out();
  }

  @Test
  void printsEachPhraseOfTheInputOnceSorted() {
    assertThat(query("house the\nzzz the  house \n\nthe")).isEqualTo(HOUSE + THE + THE_HOUSE);
    assertThat(query("zzz\n")).isEmpty();
    assertThat(query("")).isEmpty();
  }

  @Test
  void perSentenceAnEmptyLineEndsEachBlock() {
    assertThat(query("the house\nzzz\n\nhouse", "--per-sentence"))
        .isEqualTo(HOUSE + THE + THE_HOUSE + "\n\n\n" + HOUSE + "\n");
  }

  @Test
  void phrasesAreSortedByTheirUtf8() throws IOException {
    // In UTF-16 the emoji comes first.
    ParallelText text =
        ParallelText.write(
            folder.resolve("unicode"), "\uD83D\uDE00\n\uFF61\n", "x\ny\n", "0-0\n0-0\n");
    index = text.index(folder.resolve("unicode.lpx"));
    String[] rows = query("\uD83D\uDE00 \uFF61\n").stripTrailing().split("\n", -1);
    assertThat(rows).hasSize(2);
    assertThat(rows[0]).startsWith("\uFF61 ||| y ||| ");
    assertThat(rows[1]).startsWith("\uD83D\uDE00 ||| x ||| ");
    assertThat(query("\uD83D\uDE00 \uFF61\n", "--per-sentence")).startsWith("\uFF61 ||| y ||| ");
  }

  @Test
  void lengthsAndTheNumberOfTranslationsAreLimited() {
    assertThat(query("the house\n", "--max-source=1")).isEqualTo(HOUSE + THE);
    assertThat(query("the house\n", "--max-target=1")).isEqualTo(HOUSE + THE);
    assertThat(query("the small house\n", "--max-source=2", "--max-target=0"))
        .doesNotContain("the small house |||")
        .contains("small house |||");
    assertThat(query("the small house\n", "--max-source=0")).contains("the small house |||");
    assertThat(query("the\n", "--best=1")).isEqualTo(THE.substring(0, THE.indexOf('\n') + 1));
  }

  @Test
  void columnsAreChosenByName() {
    assertThat(
            query(
                "the\n",
                "--sample=2",
                "--columns=samples,source-count,occurrences",
                "--columns=singleton-fe,singleton-f"))
        .isEqualTo("the ||| das ||| 2 ||| 2 ||| 3 ||| 0 ||| 0\n");
    assertThat(query("small\n", "--columns=singleton-f,LEX-EF"))
        .isEqualTo("small ||| kleine ||| 1 ||| 0\n");
  }

  @Test
  void edgesMayBeUnalignedIfTheUserWantsThat() throws IOException {
    ParallelText text =
        ParallelText.write(folder.resolve("loose"), "the big dog\n", "der hund da\n", "0-0 2-1\n");
    index = text.index(folder.resolve("loose.lpx"));
    assertThat(query("big dog\n", "--columns=count")).isEqualTo("dog ||| hund ||| 1\n");
    assertThat(query("big dog\n", "--columns=count", "--loose"))
        .isEqualTo(
            """
            big dog ||| hund ||| 1
            big dog ||| hund da ||| 1
            dog ||| hund ||| 1
            dog ||| hund da ||| 1
            """);
  }

  @Test
  void cdecGetsAGrammarWithTheFeaturesOfItsExtractor() {
    String rows =
        """
        [X] ||| the ||| das ||| EgivenFCoherent=0.176091259056 SampleCountF=0.602059991328\
         CountEF=0.47712125472 MaxLexFgivenE=0 MaxLexEgivenF=0.176091259056 IsSingletonF=0\
         IsSingletonFE=0
        [X] ||| the ||| dies ||| EgivenFCoherent=0.47712125472 SampleCountF=0.602059991328\
         CountEF=0.301029995664 MaxLexFgivenE=0 MaxLexEgivenF=0.47712125472 IsSingletonF=0\
         IsSingletonFE=1
        """;
    String small =
        "[X] ||| small ||| kleine ||| EgivenFCoherent=0 SampleCountF=0.301029995664"
            + " CountEF=0.301029995664 MaxLexFgivenE=0 MaxLexEgivenF=0 IsSingletonF=1"
            + " IsSingletonFE=1\n";
    assertThat(query("the\nsmall\nthe\n", "--format=cdec")).isEqualTo(small + rows);
    assertThat(query("the\nsmall\n", "--format=cdec", "--per-sentence"))
        .isEqualTo(rows + "\n" + small + "\n");
  }

  @Test
  void cdecReadsAGrammarFilePerSentence() throws IOException {
    Path grammars = folder.resolve("new/grammars");
    String[] options = {"--format=cdec", "--out-dir", grammars.toString()};
    assertThat(query("the\n\nzzz  small\n", options))
        .isEqualTo(seg(grammars, 0, "the") + seg(grammars, 1, "") + seg(grammars, 2, "zzz small"));
    assertThat(grammars.resolve("grammar.0"))
        .hasContent(query("the\n", "--format=cdec").stripTrailing());
    assertThat(grammars.resolve("grammar.1")).isEmptyFile();
    assertThat(grammars.resolve("grammar.2"))
        .hasContent(query("small\n", "--format=cdec").stripTrailing());
    Run again = Run.withInput("house\n", command(options));
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err())
        .isEqualTo("latimer: " + grammars + " is not empty; --force writes into it.\n");
    assertThat(query("house\n", "--format=cdec", "--force", "--out-dir", grammars.toString()))
        .endsWith("id=\"0\"> house </seg>\n");
    assertThat(grammars.resolve("grammar.0")).content().startsWith("[X] ||| house ||| haus |||");
    Run file = Run.withInput("house\n", command("--format=cdec", "--out-dir", index.toString()));
    assertThat(file.exitCode()).isEqualTo(1);
    assertThat(file.err()).isEqualTo("latimer: " + index + " is a file; name a folder.\n");
  }

  @Test
  void grammarsAreReplacedWhenCompleteAndNoneIsRemoved() throws IOException {
    Path grammars = folder.resolve("grammars");
    String[] options = {"--format=cdec", "--force", "--out-dir", grammars.toString()};
    query("the\nhouse\n", options);
    byte[] house = Files.readAllBytes(grammars.resolve("grammar.1"));
    byte[] the = Files.readAllBytes(grammars.resolve("grammar.0"));
    // another name of the old file shows whether it was written in place
    Path old = Files.createLink(folder.resolve("old"), grammars.resolve("grammar.0"));
    query("house\n", options);
    assertThat(old).hasBinaryContent(the);
    assertThat(grammars.resolve("grammar.0")).hasBinaryContent(house);
    assertThat(grammars.resolve("grammar.1")).hasBinaryContent(house);
    assertThat(grammars.toFile().list()).containsExactlyInAnyOrder("grammar.0", "grammar.1");

    Files.delete(grammars.resolve("grammar.0"));
    Files.createDirectories(grammars.resolve("grammar.0/in-the-way"));
    Run failed = Run.withInput("house\n", command(options));
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.err())
        .startsWith("latimer: " + grammars.resolve("grammar.0") + " cannot be written: ");
    assertThat(grammars.toFile().list()).containsExactlyInAnyOrder("grammar.0", "grammar.1");
  }

  private static String seg(Path folder, int number, String sentence) {
    return "<seg grammar=\""
        + folder.resolve("grammar." + number)
        + "\" id=\""
        + number
        + "\"> "
        + sentence
        + " </seg>\n";
  }

  @Test
  void jsonHasAnObjectForEachLine() throws IOException {
    String[] lines = query("zzz the house the\n\n", "--format=json", "--best=1").split("\n", -1);
    assertThat(lines).hasSize(3);
    JsonNode line = new ObjectMapper().readTree(lines[0]);
    assertThat(line.get("line").asInt()).isEqualTo(1);
    assertThat(line.get("phrases")).hasSize(3);
    assertThat(line.get("phrases").findValuesAsText("source"))
        .containsExactly("the", "the house", "house");
    JsonNode phrase = line.get("phrases").get(0);
    assertThat(phrase.get("from").asInt()).isEqualTo(1);
    assertThat(phrase.get("words").asInt()).isEqualTo(1);
    assertThat(phrase.get("occurrences").asInt()).isEqualTo(3);
    assertThat(phrase.get("samples").asInt()).isEqualTo(3);
    assertThat(phrase.get("sourceCount").asInt()).isEqualTo(3);
    assertThat(phrase.get("coherence").asDouble()).isEqualTo(1);
    assertThat(phrase.get("translations")).hasSize(1);
    JsonNode pair = phrase.get("translations").get(0);
    assertThat(pair.get("target").asText()).isEqualTo("das");
    assertThat(pair.get("count").asInt()).isEqualTo(2);
    assertThat(pair.get("probability").asDouble()).isEqualTo(0.666666666667);
    assertThat(pair.get("lexEF").asDouble()).isEqualTo(0.176091259056);
    assertThat(pair.get("lexFE").asDouble()).isEqualTo(0);
    assertThat(lines[1]).isEqualTo("{\"line\":2,\"phrases\":[]}");
    assertThat(lines[2]).isEmpty();
  }

  @Test
  void linesThatCannotBeLookedUpAreReportedAndTheOthersPrinted() throws IOException {
    byte[] input =
        ("house\n" + "house ".repeat(65_535) + "\nX\nhouse\n").getBytes(StandardCharsets.UTF_8);
    input[input.length - "X\nhouse\n".length()] = (byte) 0xff;
    Run run = Run.withInput(new ByteArrayInputStream(input), command("--per-sentence"));
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEqualTo(HOUSE + "\n\n\n" + HOUSE + "\n");
    assertThat(run.err())
        .isEqualTo(
            """
            latimer: line 2 cannot be looked up: the sentence has 65535 words, more than the 65534\
             that phrases are looked up in; split it
            latimer: line 3 cannot be looked up: it is not UTF-8; convert the input, for example\
             with iconv
            latimer: 2 lines were not looked up.
            """);
    Run json = Run.withInput(new ByteArrayInputStream(input), command("--format=json"));
    assertThat(json.exitCode()).isEqualTo(1);
    JsonNode failed = new ObjectMapper().readTree(json.out().split("\n", -1)[2]);
    assertThat(failed.get("line").asInt()).isEqualTo(3);
    assertThat(failed.get("error").asText()).startsWith("it is not UTF-8");
    Run union = Run.withInput(new ByteArrayInputStream(input), command());
    assertThat(union.exitCode()).isEqualTo(1);
    assertThat(union.out()).isEqualTo(HOUSE);
  }

  @Test
  void manyBatchesArePrintedInOrder() {
    StringBuilder text = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 2500; i++) {
      text.append(i % 3 == 0 ? "house\n" : "zzz\n");
      expected.append(i % 3 == 0 ? HOUSE : "").append('\n');
    }
    assertThat(query(text.toString(), "--per-sentence")).isEqualTo(expected.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "--sample=0, --sample must be all or a whole number from 1 to 999999999.",
    "--sample=some, --sample must be all or a whole number from 1 to 999999999.",
    "--max-source=-1, --max-source and --max-target must be at least 0.",
    "--max-target=-1, --max-source and --max-target must be at least 0.",
    "--best=0, --best must be at least 1.",
    "--out-dir=x, --out-dir needs --format cdec.",
    "--force, --force needs --out-dir.",
    "--format=cdec --force, --force needs --out-dir.",
    "--per-sentence --format=json, --per-sentence needs --format text or cdec; json has an",
    "--per-sentence --format=cdec --out-dir=x, '--per-sentence prints blocks, --out-dir writes'",
    "--columns=count --format=json, --columns needs --format text.",
    "--columns=weight, \"weight\" is not one of its values; see --help",
    "--gpu-memory=1M, --gpu-memory must be at least 16M.",
    "--gpu-memory=lots, is not an amount of memory",
    "--device=tpu, device \"tpu\" is not known"
  })
  void wrongUsageIsExplained(String options, String message) {
    Run run = Run.withInput("house\n", command(options.split(" ")));
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains(message, "See 'latimer phrases query --help'.");
  }

  @Test
  void runsOnTheDeviceThatIsAskedForAndOnNoOther() {
    assertThat(query("house\n", "--device=cpu")).isEqualTo(HOUSE);
    Run run = Run.withInput("house\n", command("--device", "gpu:77"));
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("latimer: device gpu:77: ");
  }

  @Test
  void whatIsNoPhraseIndexIsSaid() throws IOException {
    Path text = Files.writeString(folder.resolve("feed.txt"), "Good morning!");
    index = text;
    Run run = Run.withInput("house\n", command());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("latimer: " + text + " is not a Latimer index file\n");
    index = Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");
    Run model = Run.withInput("house\n", command());
    assertThat(model.exitCode()).isEqualTo(1);
    assertThat(model.err()).contains("translation-model", "phrase-index");
    assertThat(Run.of("phrases", "query").exitCode()).isEqualTo(2);
  }
}
