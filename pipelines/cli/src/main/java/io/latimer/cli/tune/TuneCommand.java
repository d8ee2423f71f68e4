package io.latimer.cli.tune;

import io.latimer.cli.command.DeviceOption;
import io.latimer.cli.command.LmDeviceOption;
import io.latimer.cli.command.Output;
import io.latimer.cli.command.PhraseSearchOptions;
import io.latimer.cli.command.SentencePairOptions;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.Phrases;
import io.latimer.operators.quality.TrainedQuality;
import io.latimer.operators.smt.DecodePhrases;
import io.latimer.operators.smt.Feature;
import io.latimer.operators.smt.FeatureWeights;
import io.latimer.operators.smt.PhraseQualityFeature;
import io.latimer.operators.smt.SearchOptions;
import io.latimer.operators.smt.tune.DevelopmentSet;
import io.latimer.operators.smt.tune.DevelopmentText;
import io.latimer.operators.smt.tune.TuneIteration;
import io.latimer.operators.smt.tune.TuneOptions;
import io.latimer.operators.smt.tune.TuneWeights;
import io.latimer.operators.util.Closer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tunes the weights of phrase-based translation. */
@Command(
    name = "tune",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Tune the feature weights of translation by phrases on translated sentences.",
      "",
      "Minimum error rate training (Och 2003): each iteration translates the sentences with n-best"
          + " lists, and searches the weights that choose from all lists so far the translations with"
          + " the highest BLEU. Prints a line for each iteration and writes the weights with the"
          + " highest BLEU. The same files, options and seed give the same weights.",
      "",
      "The two files, plain or gzip, have one line per sentence pair, tokenized and cased as the text"
          + " of the phrase index. Their pairs should not be in the index: phrases of a text that it"
          + " knows by heart teach nothing. A thousand pairs are usual, fewer than 500 give weights"
          + " that suit these pairs only.",
      "",
      "Some of the pairs are held out: the weights are not tuned on them, and their BLEU before and"
          + " after shows whether the weights suit other text.",
      "",
      "At the end, a judge of quality is trained on the translations of all pairs with the new"
          + " weights: it says how probable it is that a translation is right, that is, that its chrF"
          + " against the reference is high enough. It is written with the weights, if there are ten"
          + " right translations and ten wrong ones.",
    },
    footer = {
      "",
      "Example:",
      "  latimer tune --phrases en-de.lpx --lm de.llm --source dev.en --target dev.de \\",
      "    --out weights.yaml",
    })
public final class TuneCommand extends TerminalCommand implements Callable<Integer> {
  /** Number of pairs below which the weights would overfit. */
  private static final int FEW_PAIRS = 500;

  @Option(
      names = "--phrases",
      paramLabel = "FILE",
      required = true,
      description = "The phrase index, .lpx.")
  private Path phrases;

  @Option(
      names = "--lm",
      paramLabel = "FILE",
      required = true,
      description = "The language model of the target language, .llm.")
  private Path model;

  @Mixin private SentencePairOptions files;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Write the weights to a file, which is replaced when they are found.")
  private Path file;

  @Option(names = "--weights", paramLabel = "FILE", description = "Start with these weights, YAML.")
  private Path start;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      defaultValue = "15",
      description =
          "Most iterations, 1 to 1000; it ends earlier when nothing improves (default:"
              + " ${DEFAULT-VALUE}).")
  private int iterations;

  @Option(
      names = "--n-best",
      paramLabel = "N",
      defaultValue = "100",
      description =
          "Translations of each sentence in an iteration, 2 to 10000 (default: ${DEFAULT-VALUE}).")
  private int best;

  @Option(
      names = "--restarts",
      paramLabel = "N",
      defaultValue = "8",
      description =
          "Random weights that a search starts from beside the best so far, 0 to 1000 (default:"
              + " ${DEFAULT-VALUE}).")
  private int restarts;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the random numbers (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--held-out",
      paramLabel = "PERCENT",
      defaultValue = "10",
      description =
          "Share of the pairs to hold out, 0 to 50, spread evenly over the files (default:"
              + " ${DEFAULT-VALUE}).")
  private int heldOut;

  @Option(
      names = "--right-from",
      paramLabel = "CHRF",
      defaultValue = "50",
      description = "The chrF, 0 to 100, from which on a translation is right (default: 50).")
  private double rightFrom;

  @Mixin private PhraseSearchOptions search;

  @Mixin private DeviceOption device;

  @Mixin private LmDeviceOption modelDevice;

  @Override
  public Integer call() throws IOException {
    TuneOptions options = options();
    require(best >= 2, "--n-best must be from 2 to 10000, found " + best);
    SearchOptions lists = search.search(spec.commandLine(), best);
    PhraseOptions lookup = search.phrases(spec.commandLine());
    Device where = device.device(spec.commandLine());
    Device scoring = modelDevice.device(spec.commandLine(), where);
    FeatureWeights weights = start == null ? FeatureWeights.DEFAULT : FeatureWeights.read(start);
    require(
        heldOut >= 0 && heldOut <= DevelopmentSet.MOST_HELD_OUT,
        "--held-out must be from 0 to " + DevelopmentSet.MOST_HELD_OUT + ", found " + heldOut);
    require(rightFrom >= 0 && rightFrom <= 100, "--right-from must be from 0 to 100.");
    DevelopmentSet set = DevelopmentSet.read(files.source(), files.target());
    DevelopmentSet.Parts parts = parts(set);
    try (Output out = Output.of(file, terminal);
        DecodePhrases decoder = decoder(where, scoring, lookup, weights, lists)) {
      TuneIteration tuned = tune(new TuneWeights(decoder, parts.tuned(), options, this::show));
      if (parts.heldOut().size() > 0) {
        compare(new DevelopmentText(decoder, parts.heldOut()), weights, tuned.weights());
      }
      FeatureWeights judged = judged(new DevelopmentText(decoder, set), tuned.weights());
      out.stream().write(yaml(tuned, judged).getBytes(StandardCharsets.UTF_8));
      out.commit();
    }
    return 0;
  }

  private TuneOptions options() {
    try {
      return new TuneOptions(iterations, restarts, seed);
    } catch (OperatorException e) {
      throw usage(e.getMessage(), e);
    }
  }

  private DevelopmentSet.Parts parts(DevelopmentSet set) {
    if (set.size() < FEW_PAIRS) {
      warn(
          String.format(
              Locale.ROOT,
              "%,d sentence pair%s too few to tune %d weights: they will suit these pairs only; use"
                  + " %d or more",
              set.size(),
              set.size() == 1 ? " is" : "s are",
              Feature.COUNT,
              FEW_PAIRS));
    }
    DevelopmentSet.Parts parts = set.divide(heldOut);
    if (heldOut > 0 && parts.heldOut().size() == 0) {
      warn(
          String.format(
              Locale.ROOT,
              "no pair is held out: %d %% of %d are less than one",
              heldOut,
              set.size()));
    }
    return parts;
  }

  /** Reports the effect of the weights on held-out sentences. */
  private void compare(DevelopmentText text, FeatureWeights before, FeatureWeights after) {
    IntConsumer progress = done -> show("held-out pairs: translating, " + done + " done");
    double old = text.bleu(before, progress);
    double tuned = text.bleu(after, progress);
    terminal.status("");
    terminal.message(
        String.format(
            Locale.ROOT,
            "%,d held-out pair%s: BLEU %.2f before, %.2f after",
            text.size(),
            text.size() == 1 ? "" : "s",
            old,
            tuned));
    if (tuned < old) {
      warn("the new weights are worse on the held-out pairs; tune on more pairs");
    }
  }

  /** The weights with a judge, if it can be trained. */
  private FeatureWeights judged(DevelopmentText text, FeatureWeights weights) {
    try {
      TrainedQuality<PhraseQualityFeature> trained =
          text.judge(
              weights, rightFrom, done -> show("judge of quality: translating, " + done + " done"));
      terminal.status("");
      terminal.message("judge of quality: " + trained.summary());
      return weights.judgedBy(Optional.of(trained.model()));
    } catch (TrainedQuality.TooFewException e) {
      terminal.status("");
      terminal.message("no judge of quality: " + e.getMessage());
      return weights.judgedBy(Optional.empty());
    }
  }

  private void warn(String what) {
    terminal.message("latimer: warning: " + what);
  }

  private DecodePhrases decoder(
      Device where,
      Device scoring,
      PhraseOptions lookup,
      FeatureWeights weights,
      SearchOptions lists) {
    Closer closer = new Closer();
    try {
      Phrases index = closer.add(Phrases.opener(lookup).open(phrases, where));
      Score scorer = closer.add(Score.opener(ScoreOptions.SENTENCES).open(model, scoring));
      return new DecodePhrases(index, scorer, weights, lists);
    } catch (RuntimeException | Error e) {
      closer.closeAfter(e);
      throw e;
    }
  }

  private void show(String step) {
    terminal.status(step + " ...");
  }

  /** Returns the iteration with the highest BLEU, the first if there are several. */
  private TuneIteration tune(TuneWeights tuning) {
    TuneIteration found = null;
    for (Optional<TuneIteration> next = tuning.next(); next.isPresent(); next = tuning.next()) {
      TuneIteration one = next.get();
      terminal.message(
          String.format(
              Locale.ROOT,
              "iteration %d: BLEU %.2f, %,d candidates, %,d of them new",
              one.number(),
              one.bleu(),
              one.candidates(),
              one.added()));
      found = found == null || one.bleu() > found.bleu() ? one : found;
    }
    terminal.status("");
    terminal.message(
        String.format(
            Locale.ROOT,
            "latimer: the weights of iteration %d are the best, BLEU %.2f.",
            found.number(),
            found.bleu()));
    return found;
  }

  private String yaml(TuneIteration tuned, FeatureWeights judged) {
    return String.format(
            Locale.ROOT,
            "# latimer tune, seed %d, iteration %d: BLEU %.2f of the development set\n",
            seed,
            tuned.number(),
            tuned.bleu())
        + judged.toYaml();
  }
}
