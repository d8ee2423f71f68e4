package io.latimer.cli.model;

import io.latimer.cli.command.DeviceOption;
import io.latimer.cli.command.ReplaceOption;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.nmt.TrainQuality;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.model.QualityFeature;
import io.latimer.operators.nmt.model.TranslationModel;
import io.latimer.operators.quality.TrainedQuality;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Trains the judge of quality of a translation model. */
@Command(
    name = "train-quality",
    sortOptions = false,
    description = {
      "Teach a model to say how probable it is that a translation of its own is right.",
      "",
      "The model translates sentences that it was not trained on. A translation counts as right if"
          + " its chrF against its reference is high enough. What tells right ones from wrong ones"
          + " goes into a copy of the model file; its translations stay as they are.",
    },
    footer = {
      "",
      "Example:",
      "  latimer model train-quality --model en-de.lmx --source dev.en --reference dev.de \\",
      "      --out en-de-judged.lmx",
    })
final class TrainQualityCommand extends TerminalCommand implements Callable<Integer> {
  @Option(
      names = {"-m", "--model"},
      paramLabel = "FILE",
      required = true,
      description = "The model file (.lmx).")
  private Path model;

  @Option(
      names = "--source",
      paramLabel = "FILE",
      required = true,
      description = "Raw sentences, one per line; a thousand are enough.")
  private Path source;

  @Option(
      names = "--reference",
      paramLabel = "FILE",
      required = true,
      description = "Their translations by people.")
  private Path reference;

  @Option(
      names = "--right-from",
      paramLabel = "CHRF",
      defaultValue = "50",
      description = "The chrF, 0 to 100, from which on a translation is right (default: 50).")
  private double rightFrom;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description = "The model file to write.")
  private Path out;

  @Mixin private ReplaceOption replace;

  @Mixin private DeviceOption device;

  @Override
  public Integer call() throws IOException {
    require(
        rightFrom >= 0 && rightFrom <= 100,
        "--right-from must be from 0 to 100, found " + rightFrom);
    replace.requireWritable(out);
    TextPair text = TextPair.read(source, reference);
    try (IndexFile file = IndexFile.open(model)) {
      file.expect(TranslationModel.KIND);
      TrainedQuality<QualityFeature> trained =
          TrainQuality.train(
              file,
              device.device(spec.commandLine()),
              TranslateOptions.DEFAULTS,
              text.first(),
              text.second(),
              rightFrom);
      TranslationModel.writeWithQuality(file, trained.model(), out);
      terminal.message(out + ": " + trained.summary());
      return 0;
    }
  }
}
