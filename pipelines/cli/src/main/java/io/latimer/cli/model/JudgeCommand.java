package io.latimer.cli.model;

import io.latimer.cli.command.DeviceOption;
import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.GivenTranslation;
import io.latimer.operators.nmt.JudgeTranslations;
import io.latimer.operators.nmt.JudgedTranslation;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.quality.RankingQuality;
import io.latimer.operators.text.bleu.Chrf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Judges translations, whoever made them. */
@Command(
    name = "judge",
    sortOptions = false,
    description = {
      "Judge translations, whoever made them: print for each line the probability that it is right"
          + " (a dash if the model has no judge), and its log-probability per token, separated by a"
          + " tab.",
      "",
      "A line that cannot be judged is printed empty. The reason goes to the standard error with the"
          + " line's number, and the exit code is 1.",
    },
    footer = {
      "",
      "Example:",
      "  latimer model judge --model en-de.lmx --source a.en --translation a.de",
    })
final class JudgeCommand extends TerminalCommand implements Callable<Integer> {
  private static final int BATCH = 256;

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
      description = "Raw sentences, one per line.")
  private Path source;

  @Option(
      names = "--translation",
      paramLabel = "FILE",
      required = true,
      description = "Their translations.")
  private Path translation;

  @Option(
      names = "--reference",
      paramLabel = "FILE",
      description =
          "Translations by people: says on the standard error how well the probabilities tell right"
              + " translations (chrF at least --right-from) from wrong ones (below --wrong-below), if"
              + " there are some of both and the model has a judge.")
  private Path reference;

  @Option(
      names = "--right-from",
      paramLabel = "CHRF",
      defaultValue = "60",
      description = "0 to 100 (default: 60).")
  private double rightFrom;

  @Option(
      names = "--wrong-below",
      paramLabel = "CHRF",
      defaultValue = "35",
      description =
          "0 to --right-from (default: 35). What is between, one reference cannot decide.")
  private double wrongBelow;

  @Mixin private DeviceOption device;

  @Override
  public Integer call() throws IOException {
    requireScore("--right-from", rightFrom);
    requireScore("--wrong-below", wrongBelow);
    require(
        wrongBelow <= rightFrom,
        "--wrong-below must be at most --right-from, found " + wrongBelow + " and " + rightFrom);
    TextPair text = TextPair.read(source, translation);
    List<String> references = reference == null ? null : Files.readAllLines(reference);
    require(
        references == null || references.size() == text.first().size(),
        "--reference must have as many lines as --source.");
    List<Result<JudgedTranslation>> results = new ArrayList<>();
    try (JudgeTranslations judge =
        JudgeTranslations.opener(TranslateOptions.DEFAULTS)
            .open(model, device.device(spec.commandLine()))) {
      for (int from = 0; from < text.first().size(); from += BATCH) {
        List<GivenTranslation> batch = new ArrayList<>();
        for (int i = from; i < Math.min(text.first().size(), from + BATCH); i++) {
          batch.add(new GivenTranslation(text.first().get(i), text.second().get(i)));
        }
        List<Result<JudgedTranslation>> judged = judge.apply(batch);
        for (int i = 0; i < judged.size(); i++) {
          say(from + i + 1, judged.get(i));
        }
        results.addAll(judged);
      }
    }
    if (references != null) {
      summarize(text.second(), references, results);
    }
    boolean failed = results.stream().anyMatch(Result.Failure.class::isInstance);
    return failed ? ExitCodes.FAILED : 0;
  }

  private void requireScore(String option, double chrf) {
    require(chrf >= 0 && chrf <= 100, option + " must be from 0 to 100, found " + chrf);
  }

  private void say(int line, Result<JudgedTranslation> result) {
    if (result instanceof Result.Value<JudgedTranslation> value) {
      JudgedTranslation judged = value.value();
      OptionalDouble quality = judged.quality();
      terminal.result(
          (quality.isPresent() ? String.format(Locale.ROOT, "%.4f", quality.getAsDouble()) : "-")
              + String.format(Locale.ROOT, "\t%.4f", judged.normalizedScore()));
    } else {
      terminal.result("");
      terminal.message(
          "line "
              + line
              + ": "
              + ((Result.Failure<JudgedTranslation>) result).error().getMessage());
    }
  }

  private void summarize(
      List<String> translations, List<String> references, List<Result<JudgedTranslation>> results) {
    List<JudgedTranslation> decided = new ArrayList<>();
    List<Boolean> right = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      double chrf = Chrf.of(translations.get(i), references.get(i));
      if (results.get(i) instanceof Result.Value<JudgedTranslation> value
          && (chrf < wrongBelow || chrf >= rightFrom)) {
        decided.add(value.value());
        right.add(chrf >= rightFrom);
      }
    }
    long count = right.stream().filter(one -> one).count();
    terminal.message(
        String.format(
            Locale.ROOT,
            "%,d translations are right and %,d wrong; %,d are neither or were not judged. %s",
            count,
            right.size() - count,
            results.size() - right.size(),
            told(decided, right, count)));
  }

  /** How well the probabilities tell right from wrong, or why that cannot be said. */
  private String told(List<JudgedTranslation> decided, List<Boolean> right, long count) {
    if (decided.stream().anyMatch(one -> one.quality().isEmpty())) {
      return model
          + " has no judge, so there are no probabilities to compare; \"latimer model"
          + " train-quality\" gives it one.";
    }
    if (count == 0 || count == right.size()) {
      return "How well the probabilities tell right from wrong shows only where there are some of"
          + " both: use more lines, or other values of --right-from and --wrong-below.";
    }
    boolean[] rights = new boolean[right.size()];
    for (int i = 0; i < rights.length; i++) {
      rights[i] = right.get(i);
    }
    double[] probabilities =
        decided.stream().mapToDouble(one -> one.quality().orElseThrow()).toArray();
    return String.format(
        Locale.ROOT,
        "The area under the ROC curve is %.3f.",
        RankingQuality.area(probabilities, rights));
  }
}
