package io.latimer.cli.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Run;
import io.latimer.cli.command.Converters;
import io.latimer.cli.model.TextOptions.Given;
import io.latimer.operators.nmt.convert.argos.ArgosPackages;
import io.latimer.operators.testing.SharedData;
import io.latimer.operators.text.SentenceFormat;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Normalization;
import io.latimer.operators.text.TextSettings.Recasing;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.text.TextSettings.Tokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

final class ModelCommandTest {
  @TempDir private Path folder;

  /** A command of nothing but the text options. */
  @Command
  static final class Only {
    @CommandLine.ArgGroup(exclusive = false)
    private final TextOptions text = new TextOptions();
  }

  private static TextSettings settings(Given given, String... args) {
    Only command = new Only();
    CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
    Converters.register(line);
    line.parseArgs(args);
    return command.text.settings("de", "en", given);
  }

  @Test
  void withoutTextOptionsTheImporterDecides() {
    assertThat(settings(Given.SPM)).isNull();
    assertThat(settings(Given.UNKNOWN)).isNull();
  }

  @Test
  void thePresetFollowsTheSegmentationAndSingleSettingsDiffer() {
    assertThat(settings(Given.SPM, "--protect=false").normalization())
        .isEqualTo(TextSettings.raw("de", "en").normalization());
    assertThat(settings(Given.SPM, "--protect=false").protect()).isFalse();
    assertThat(settings(Given.SPM, "--text=raw")).isEqualTo(TextSettings.raw("de", "en"));
    assertThat(settings(Given.BPE, "--text=prepared"))
        .isEqualTo(TextSettings.prepared("de", "en", Segmentation.BPE));
    assertThat(settings(Given.BPE, "--text=moses", "--casing=lower"))
        .isEqualTo(TextSettings.moses("de", "en", Casing.LOWER));
    assertThat(settings(Given.UNKNOWN, "--text=moses").segmentation())
        .isEqualTo(Segmentation.BPE); // the codes that the configuration names
  }

  @Test
  void everySettingCanBeSaid() {
    TextSettings all =
        settings(
            Given.BPE,
            "--normalization=nfkc",
            "--normalize-punctuation=true",
            "--split-sentences=true",
            "--casing=truecase",
            "--recasing=sentence-start",
            "--tokenizer=moses-aggressive",
            "--escape-entities=true",
            "--protect=true",
            "--max-source-tokens=77");
    assertThat(all)
        .isEqualTo(
            new TextSettings(
                "de",
                "en",
                Normalization.NFKC,
                true,
                true,
                Casing.TRUECASE,
                Recasing.SENTENCE_START,
                Tokenizer.MOSES_AGGRESSIVE,
                true,
                Segmentation.BPE,
                true,
                77,
                SentenceFormat.PLAIN));
  }

  @Test
  void whatDoesNotGoTogetherIsSaidInASentence() {
    String out = folder.resolve("x.lmx").toString();
    Run run = Run.of("model", "import", "--out", out, "--weights=w.npz", "--escape-entities=true");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("escapeEntities needs a Moses tokenizer").hasLineCount(1);
    assertThat(Run.of("model", "import", "--out", out).err())
        .contains("Give a published model, --weights or --config.");
    assertThat(Run.of("model", "import", "--weights=w.npz").exitCode()).isEqualTo(2);
    assertThat(Run.of("model", "import", "--tokenizer=none2").exitCode()).isEqualTo(2);
    Run none = Run.of("model", "import", "--out", out, "--weights=w.npz", "--shortlist-first=1");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("first words must be 2 or more");
    assertThat(Run.of("model").exitCode()).isEqualTo(2);
  }

  @Test
  void aLanguageIsATag() {
    Run run =
        Run.of("model", "import", "--weights=w.npz", "--out=x.lmx", "--target-language=de_AT");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("latimer: --target-language: \"de_AT\" is not a language tag; write de-AT.\n");
    assertThat(
            Run.of("model", "import", "--weights=w.npz", "--out=x.lmx", "--source-language=e")
                .err())
        .contains("write it like en or pt-BR.");
  }

  @Test
  void aFileThatIsNoSentencePieceModelIsNamed() throws IOException {
    Path files = SharedData.require("models/tatoeba-ende-live");
    Path text = Files.writeString(folder.resolve("text.model"), "not a model");
    Path out = folder.resolve("x.lmx");
    Run run =
        Run.of(
            "model",
            "import",
            "--weights=" + files.resolve("model.npz"),
            "--source-vocab=" + files.resolve("vocab.yml"),
            "--target-vocab=" + files.resolve("vocab.yml"),
            "--spm=" + text,
            "--out=" + out);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("latimer: " + text + " is not a SentencePiece model: ")
        .hasLineCount(1);
    assertThat(out).doesNotExist();
  }

  @Test
  void aFileThatIsThereIsNotReplacedUnasked() throws IOException {
    Path out = Files.writeString(folder.resolve("mine.lmx"), "mine");
    Run run = Run.of("model", "import", "--weights=none.npz", "--out=" + out);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("latimer: " + out + " already exists; --force replaces it.\n");
    Run forced = Run.of("model", "import", "--weights=none.npz", "--out=" + out, "--force");
    assertThat(forced.exitCode()).isEqualTo(1);
    assertThat(out).hasContent("mine"); // nothing is written when the import fails
  }

  @Test
  void aPublishedModelIsLookedAtAndImported() {
    Path model = SharedData.require("models/published/hf-marian-ende");
    Run inspected = Run.of("model", "inspect", model.toString());
    assertThat(inspected.exitCode()).isZero();
    assertThat(inspected.out())
        .startsWith("format: Hugging Face, marian\nnetwork: transformer, 4 + 4 layers, width 256")
        .contains("\nlanguages: en to de\n");
    Path out = folder.resolve("ende.lmx");
    Run imported = Run.of("model", "import", model.toString(), "--out=" + out);
    assertThat(imported.exitCode()).isZero();
    assertThat(imported.err()).contains("languages: en to de", "8,915,057 weights in");
    Run index = Run.of("index", "inspect", out.toString());
    assertThat(index.out()).contains("translation-model");
  }

  @Test
  void aPackageOfArgosIsLookedAtAndImported() throws IOException {
    String argos = ArgosPackages.arabic(folder).toString();
    Run inspected = Run.of("model", "inspect", argos);
    assertThat(inspected.exitCode()).isZero();
    assertThat(inspected.out())
        .startsWith("format: Argos package 1.5, CTranslate2, binary version 2\n")
        .endsWith("languages: ar to en\n");
    Path out = folder.resolve("aren.lmx");
    Run imported = Run.of("model", "import", argos, "--out=" + out);
    assertThat(imported.exitCode()).isZero();
    assertThat(imported.err()).contains(out + ": 182,731 weights in ");
    assertThat(Run.of("index", "inspect", out.toString()).out()).contains("translation-model");
  }

  @Test
  void whatIsNoPublishedModelIsRefused() {
    Run none = Run.of("model", "inspect", folder.toString());
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err())
        .isEqualTo(
            "latimer: "
                + folder
                + " is no model that can be read; expected a folder of Hugging Face's transformers,"
                + " with config.json and model.safetensors, or of CTranslate2, with model.bin, or a"
                + " package of Argos Translate, .argosmodel\n");
    Run both = Run.of("model", "import", folder.toString(), "--weights=w.npz");
    assertThat(both.exitCode()).isEqualTo(2);
    assertThat(both.err()).contains("A published model has all its files; give no others.");
  }
}
