package io.latimer.cli.translate;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.DamagedModel;
import io.latimer.cli.Run;
import io.latimer.cli.command.LineReader;
import io.latimer.operators.nmt.convert.argos.ArgosPackages;
import io.latimer.operators.nmt.convert.ctranslate2.Ctranslate2Folders;
import io.latimer.operators.nmt.convert.huggingface.TinyFolders;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TranslateCommandTest {
  private static final String SOURCES =
      """
      I found the key.
      Where is my umbrella?
      We had to wait for the bus for forty minutes.
      Yes.
      """;

  @BeforeEach
  void nameTheCheckout() {
    System.setProperty("latimer.home", System.getProperty("latimer.root"));
  }

  @Test
  void orderAndOutputDoNotDependOnBatches() {
    String input = SOURCES.repeat(5);
    String expected = Run.withInput(SOURCES, "translate", "--batch", "1").out().repeat(5);
    assertThat(expected.lines()).hasSize(20).doesNotContain("");
    assertThat(Run.withInput(input, "translate", "--batch", "3").out()).isEqualTo(expected);
    assertThat(Run.withInput(input, "translate", "--batch-tokens", "20", "--no-shortlist").out())
        .isEqualTo(expected);
  }

  @Test
  void aLineThatCannotBeTranslatedIsEmptyAndExplained() throws IOException {
    ByteArrayOutputStream input = new ByteArrayOutputStream();
    input.write("I found the key.\n".getBytes(StandardCharsets.UTF_8));
    input.write(new byte[] {'a', (byte) 0xff, '\n'});
    input.write("x".repeat(LineReader.MAX_BYTES + 1).getBytes(StandardCharsets.UTF_8));
    input.write("\nWhere is my umbrella?\n".getBytes(StandardCharsets.UTF_8));
    Run run = Run.withInput(new ByteArrayInputStream(input.toByteArray()), "translate");
    assertThat(run.exitCode()).isEqualTo(1);
    List<String> lines = run.out().lines().toList();
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).isNotEmpty();
    assertThat(lines.get(1)).isEmpty();
    assertThat(lines.get(2)).isEmpty();
    assertThat(lines.get(3)).isNotEmpty();
    assertThat(run.err().lines())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("latimer: line 2 cannot").contains("UTF-8"),
            line -> assertThat(line).startsWith("latimer: line 3 cannot").contains("1048576"),
            line -> assertThat(line).isEqualTo("latimer: 2 lines were not translated."));
  }

  @Test
  void alignmentsAreOfWordsOfTheLines() {
    Run run =
        Run.withInput(
            "Tom's dog is very big.\n😀 See https://x.org now. Yes!\n", "translate", "--alignment");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines())
        .containsExactly(
            "Toms Hund ist sehr groß. ||| 0-0 1-1 2-2 3-3 4-4",
            "😀 Wir sehen uns jetzt https://x.org. Ja! ||| 1-1 1-2 1-3 3-4 2-5 3-5 4-6");
  }

  @Test
  void whatIsDoubtfulEndsALine() {
    Run run =
        Run.withInput(
            "Bach, Telemann, Vivaldi, Corelli.\nTom's dog is very big.\n", "translate", "--flags");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines())
        .containsExactly(
            "Bach, Telemann, Vivaldi, Corelli. ||| copied", "Toms Hund ist sehr groß. ||| ");
    Run list = Run.withInput("Yes.\n", "translate", "--flags", "--nbest", "2");
    assertThat(list.exitCode()).isEqualTo(2);
    assertThat(list.err()).contains("--quality and --flags are about one translation of a line");
  }

  @Test
  void translationsBeginWithAGivenText() {
    Run run = Run.withInput("Tom's dog is very big.\n", "translate", "--target-prefix", "Der Hund");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).startsWith("Der Hund von Tom ");
    Run other = Run.withInput("Yes.\n", "translate", "--target-language", "fr");
    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.err())
        .isEqualTo("latimer: the model translates to \"de\" only, not to \"fr\"\n");
  }

  @Test
  void aModelOfSeveralLanguagesIsToldThem(@TempDir Path folder) throws IOException {
    String model = TinyFolders.nllb(folder, false).toString();
    String[] german = {"translate", "--model", model, "--beam=1", "--target-language=de"};
    Run found = Run.withInput("w17 w18\n", german);
    assertThat(found.exitCode()).isZero();
    assertThat(found.out()).startsWith("w");
    Run lacking = Run.withInput("w17\n", "translate", "--model", model, "--target-language=tlh");
    assertThat(lacking.exitCode()).isEqualTo(1);
    assertThat(lacking.err())
        .endsWith(
            "latimer: the model cannot write the language \"tlh\"; it knows de, fr, zh, zh-Hant, ar,"
                + " en, sr\n");
    Run untold = Run.withInput("w17\n", "translate", "--model", model);
    assertThat(untold.exitCode()).isEqualTo(1);
    assertThat(untold.err())
        .contains("line 1 cannot be translated: the model must be told the target language: ");
    assertThat(Run.of("model", "inspect", model).out())
        .contains("languages: en to und; choice of de, fr, zh, zh-Hant, ar, en, sr\n");
  }

  @Test
  void modelsOfCtranslate2AndPackagesOfArgosTranslate(@TempDir Path folder) throws IOException {
    Path ct2 = Ctranslate2Folders.arabic(Files.createDirectory(folder.resolve("ct2")));
    String[] letters = {"translate", "--model", ct2.toString(), "--beam=1"};
    assertThat(Run.withInput(Ctranslate2Folders.ARABIC + "\n", letters).out())
        .isEqualTo(Ctranslate2Folders.LATIN + "\n");
    String argos = ArgosPackages.arabic(Files.createDirectory(folder.resolve("argos"))).toString();
    Run words =
        Run.withInput(ArgosPackages.ARABIC + "\n", "translate", "--model", argos, "--beam=1");
    assertThat(words.out()).isEqualTo(ArgosPackages.LATIN + "\n");
    assertThat(words.err())
        .contains("latimer: importing " + argos + ", once:", "languages: ar to en");
    Files.writeString(Path.of(argos), "no zip file");
    Run damaged = Run.withInput("a\n", "translate", "--model", argos);
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.err()).startsWith("latimer: " + argos + " is not an Argos package");
  }

  @Test
  void aModelWithAFlippedWeightIsRefusedByItsSection(@TempDir Path folder) throws IOException {
    Path model = DamagedModel.in(folder);
    Run run = Run.withInput(SOURCES, "translate", "--model", model.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("latimer: " + model + " is corrupt: section " + DamagedModel.SECTION + ", ")
        .hasLineCount(1);
  }

  @Test
  void nBestListsAreNumberedAndSorted() {
    Run run = Run.withInput(SOURCES, "translate", "--nbest", "3", "--alignment");
    assertThat(run.exitCode()).isZero();
    List<String[]> entries = run.out().lines().map(line -> line.split(" \\|\\|\\| ?", -1)).toList();
    assertThat(entries).hasSize(12).allSatisfy(fields -> assertThat(fields).hasSize(5));
    // in Marian's order: number, text, alignment, features, score
    for (int i = 0; i < entries.size(); i++) {
      assertThat(entries.get(i)[0]).isEqualTo(String.valueOf(i / 3));
      assertThat(entries.get(i)[2]).matches("([0-9]+-[0-9]+ ?)+");
      assertThat(entries.get(i)[3]).matches("F0= -[0-9]+\\.[0-9]+");
      if (i % 3 > 0) {
        assertThat(Double.parseDouble(entries.get(i)[4]))
            .isLessThanOrEqualTo(Double.parseDouble(entries.get(i - 1)[4]));
      }
    }
    String best = entries.get(0)[1];
    Run scored = Run.withInput(SOURCES, "translate", "--scores");
    assertThat(scored.out()).startsWith(best + " ||| F0= -");
  }

  @Test
  void aLineThatCannotBeTranslatedHasNoEntriesInNBestListsAndTheHelpSaysSo() throws IOException {
    ByteArrayOutputStream input = new ByteArrayOutputStream();
    input.write("I found the key.\n".getBytes(StandardCharsets.UTF_8));
    input.write(new byte[] {'a', (byte) 0xff, '\n'});
    input.write("\nYes.\n".getBytes(StandardCharsets.UTF_8));
    Run run =
        Run.withInput(new ByteArrayInputStream(input.toByteArray()), "translate", "--nbest", "2");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out().lines().map(line -> line.substring(0, line.indexOf(" ||| "))))
        .containsExactly("0", "0", "2", "3", "3"); // a blank line has one translation
    assertThat(run.err()).startsWith("latimer: line 2 cannot be translated: ");
    assertThat(Run.of("translate", "--help").out().replaceAll("\\s+", " "))
        .contains("becomes an empty line, or no line with --nbest above 1.")
        .contains("With --nbest above 1: 'N ||| text");
  }

  @Test
  void aFileIsTranslatedIntoAFile(@TempDir Path folder) throws IOException {
    Path input = Files.writeString(folder.resolve("in.txt"), SOURCES);
    Path output = Files.writeString(folder.resolve("out.txt"), "before");
    Run run = Run.of("translate", input.toString(), "--output", output.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).isEmpty();
    assertThat(output).hasContent(Run.withInput(SOURCES, "translate", "-").out());
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactlyInAnyOrder(input, output);
    }
  }

  @Test
  void anOutputIsNeverHalfWritten(@TempDir Path folder) throws IOException {
    Path output = Files.writeString(folder.resolve("out.txt"), "before");
    Run run = Run.withInput(brokenAfter(SOURCES), "translate", "--output", output.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(output).hasContent("before");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(output);
    }
  }

  @Test
  void aFileThatCannotBeReadIsNamed(@TempDir Path folder) {
    Path none = folder.resolve("none.txt");
    Run run = Run.of("translate", none.toString());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("latimer: " + none + ": no such file.\n");
    assertThat(Run.of("translate", folder.toString()).err())
        .isEqualTo("latimer: " + folder + " is a folder; name a file.\n");
    Path nowhere = folder.resolve("none").resolve("out.txt");
    Run lost = Run.of("translate", "--output", nowhere.toString());
    assertThat(lost.exitCode()).isEqualTo(1);
    assertThat(lost.err()).isEqualTo("latimer: " + nowhere.getParent() + ": no such folder.\n");
  }

  /** At a letter each, a model would take a quarter of a minute over it. */
  @Test
  void aLineOfThousandsOfLettersPassesThrough() {
    String keys = "x".repeat(3_000);
    Run run = Run.withInput(keys + "\nThe key is " + keys + ".\n", "translate");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines())
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo(keys),
            line -> assertThat(line).contains("Schlüssel", keys).hasSizeLessThan(3_100));
  }

  private static InputStream brokenAfter(String text) {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("Input/output error");
          }

          @Override
          public int read(byte[] bytes, int from, int length) throws IOException {
            return read();
          }
        };
    return new SequenceInputStream(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), broken);
  }

  @Test
  void anEmptyInputIsAnEmptyOutput() {
    Run run = Run.of("translate");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).isEmpty();
  }

  @Test
  void whatIsOutOfRangeIsWrongUsage() {
    assertThat(Run.of("translate", "--beam", "65").exitCode()).isEqualTo(2);
    assertThat(Run.of("translate", "--beam", "0").err()).contains("from 1 to 64, found 0");
    assertThat(Run.of("translate", "--beam", "5", "--nbest", "6").err())
        .contains("n-best", "from 1 to");
    assertThat(Run.of("translate", "--batch", "0").exitCode()).isEqualTo(2);
    assertThat(Run.of("translate", "--split-sentences", "perhaps").exitCode()).isEqualTo(2);
    Run precision = Run.of("translate", "--precision", "float8");
    assertThat(precision.exitCode()).isEqualTo(2);
    assertThat(precision.err()).contains("auto, float32, float16, bfloat16 or int8, found float8");
  }

  @Test
  void precisionsOfGpusAreRefusedOnTheCpu() {
    Run run = Run.of("translate", "--device", "cpu", "--precision", "float16");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("the CPU supports float32 and int8").contains("float16");
    assertThat(Run.of("translate", "--device", "cpu", "--precision", "float32").exitCode())
        .isZero();
  }

  @Test
  void aDeviceThatIsNoneIsWrongUsage() {
    Run run = Run.of("translate", "--device", "tpu");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("latimer: device \"tpu\" is not known");
    assertThat(Run.of("demo", "--device", "tpu").exitCode()).isEqualTo(2);
  }

  @Test
  void anInputThatCannotBeReadIsSaidSo() {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("Is a directory");
          }

          @Override
          public int read(byte[] bytes, int from, int length) throws IOException {
            return read();
          }
        };
    Run run = Run.withInput(broken, "translate");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("latimer: cannot read standard input: Is a directory\n");
  }

  @Test
  void aGpuThatIsAskedForAndNotThereIsAnErrorAndNeverTheCpu() {
    Run run = Run.withInput(SOURCES, "translate", "--device", "gpu:999");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("latimer: device gpu:999: ").hasLineCount(1);
  }

  @Test
  void linesInOtherLanguagesAreNotTranslated() {
    String input =
        """
        The dog is sleeping on the old sofa.
        Der Hund schläft heute wieder auf dem alten Sofa im Flur.
        Le chien dort encore sur le vieux canapé du couloir.
        Good morning.
        """;
    Run pass = Run.withInput(input, "translate", "--other-languages", "pass", "--flags");
    assertThat(pass.exitCode()).isZero();
    assertThat(pass.out().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("Hund").endsWith(" ||| "),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "Der Hund schläft heute wieder auf dem alten Sofa im Flur. |||"
                            + " already-translated"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "Le chien dort encore sur le vieux canapé du couloir. |||"
                            + " other-language"),
            line -> assertThat(line).isEqualTo("Guten Morgen. ||| "));
    Run fail = Run.withInput(input, "translate", "--other-languages", "fail", "--nbest", "2");
    assertThat(fail.exitCode()).isEqualTo(1);
    assertThat(fail.err())
        .contains("latimer: line 3 ")
        .contains("the text is in \"fr\" (confidence ")
        .contains("from \"en\"");
    assertThat(fail.out().lines().filter(line -> line.startsWith("1 ||| "))).hasSize(1);
    Run unknown = Run.of("translate", "--other-languages", "drop");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err()).contains("\"drop\" is not translate, pass or fail");
    assertThat(Run.of("translate", "--languages", "fr").err())
        .contains("--languages needs --other-languages pass or fail.");
    assertThat(Run.of("translate", "--other-languages", "pass", "--languages", "fr,klingon").err())
        .contains("the language \"klingon\" cannot be told from others");
  }
}
