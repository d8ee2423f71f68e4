package io.latimer.cli.lm;

import io.latimer.cli.command.CommandGroup;
import io.latimer.cli.command.DeviceOption;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.ModelFileOptions;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.terminal.ByteProgress;
import io.latimer.operators.lm.Perplexity;
import io.latimer.operators.lm.Score;
import io.latimer.operators.lm.ScoreOptions;
import io.latimer.operators.lm.arpa.LmImportReport;
import io.latimer.operators.lm.arpa.LmImportRequest;
import io.latimer.operators.lm.arpa.LmImporter;
import io.latimer.operators.lm.model.LmLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Language models. */
@Command(
    name = "lm",
    description = "Make language models, and score text with them.",
    subcommands = {
      LmEstimateCommand.class,
      LmCommand.Import.class,
      LmCommand.Query.class,
      LmCommand.PerplexityOf.class
    })
public final class LmCommand extends CommandGroup {
  /** Imports a model. */
  @Command(
      name = "import",
      sortOptions = false,
      abbreviateSynopsis = true,
      description = {
        "Convert an ARPA file of order 1 to 8, as SRILM, KenLM and IRSTLM write it, to a model"
            + " file.",
        "",
        "Refuses what KenLM refuses, with section, line and n-gram. Adds suffixes of n-grams that"
            + " the file omits, as KenLM does. Needs as much memory as the model.",
      })
  static final class Import extends TerminalCommand implements Runnable {
    @Option(
        names = "--arpa",
        paramLabel = "FILE",
        required = true,
        description = "The ARPA file, plain or gzip.")
    private Path arpa;

    @Option(
        names = "--layout",
        paramLabel = "NAME",
        defaultValue = "hash",
        description =
            "Layout of the n-grams: hash, the fastest, or btree, which is smaller (default:"
                + " ${DEFAULT-VALUE}). Scores are the same.")
    private LmLayout layout;

    @Option(
        names = "--keys",
        paramLabel = "K",
        defaultValue = "31",
        description = "Layout btree: maximum keys per node, 3 to 63 (default: ${DEFAULT-VALUE}).")
    private int keys;

    @Mixin private ModelFileOptions file;

    @Override
    public void run() {
      require(keys >= 3 && keys <= 63, "--keys must be 3 to 63.");
      Path out = file.out();
      LmImportProgress progress = new LmImportProgress(terminal, System::nanoTime);
      LmImportReport report =
          LmImporter.importArpa(
              new LmImportRequest(arpa, out, layout, keys, file.version()), progress::at);
      terminal.status("");
      tell(report);
    }

    private void tell(LmImportReport report) {
      if (!report.unknown()) {
        terminal.message(
            "latimer: warning: "
                + arpa
                + " has no <unk>: unknown words score -100 (log10), as in KenLM");
      }
      if (report.doubled() > 0) {
        terminal.message(
            String.format(
                Locale.ROOT,
                "latimer: warning: %s has %,d n-grams twice; the first of each is used",
                arpa,
                report.doubled()));
      }
      long ngrams = sum(report.stored());
      long said = sum(report.arpa());
      terminal.message(
          String.format(
              Locale.ROOT,
              "%s: order %d, %,d n-grams%s, %.1f MB on disk, %.1f MB on a device (KenLM: probing"
                  + " about %.1f MB, trie about %.1f MB)",
              report.file(),
              report.stored().size(),
              ngrams,
              ngrams > said
                  ? String.format(Locale.ROOT, " (%,d of them added)", ngrams - said)
                  : "",
              report.fileBytes() / 1e6,
              report.deviceBytes() / 1e6,
              KenlmSizes.probing(report.arpa()) / 1e6,
              KenlmSizes.trie(report.arpa()) / 1e6));
    }

    private static long sum(List<Long> numbers) {
      return numbers.stream().mapToLong(Long::longValue).sum();
    }
  }

  /** The common part of the scoring commands. */
  static final class Model {
    @Option(
        names = "--model",
        paramLabel = "FILE",
        required = true,
        description = "The model file, .llm.")
    private Path file;

    @Mixin private DeviceOption device;

    @Option(
        names = {"-n", "--no-sentences"},
        description = "Lines are not sentences: score them without <s> and </s>.")
    private boolean fragments;

    ScoreOptions options() {
      return fragments ? ScoreOptions.FRAGMENTS : ScoreOptions.SENTENCES;
    }

    Score open(ScoreOptions options, CommandLine command) {
      return Score.opener(options).open(file, device.device(command));
    }
  }

  /** Scores standard input. */
  @Command(
      name = "query",
      sortOptions = false,
      abbreviateSynopsis = true,
      description = {
        "Score standard input, one sentence per line, and print log10 probabilities.",
        "",
        "Words are separated by spaces, tabs, vertical tabs, form feeds, carriage returns and NULs,"
            + " as in KenLM. Format kenlm is what KenLM's query prints: for each word WORD=ID LENGTH"
            + " LOG10 and a tab, then the sentence's total and unknown words, and perplexities at"
            + " the end. Format tsv has a row each: word, line, place, word, id, length, log10,"
            + " unknown (1 or 0); sentence, line, words, unknown words, total, perplexity;"
            + " summary, name, value. Format json has an object a line.",
      })
  static final class Query extends TerminalCommand implements Callable<Integer> {
    @Mixin private Model model;

    @Option(
        names = "--format",
        paramLabel = "NAME",
        defaultValue = "kenlm",
        description = "kenlm, tsv or json (default: ${DEFAULT-VALUE}).")
    private ScorePrinter.Format format;

    @Option(
        names = {"-v", "--show"},
        paramLabel = "PART",
        split = ",",
        description = "What to print: word, sentence, summary; all three if omitted.")
    private List<ScorePrinter.Part> parts;

    @Override
    public Integer call() throws IOException {
      Set<ScorePrinter.Part> shown =
          parts == null || parts.isEmpty()
              ? EnumSet.allOf(ScorePrinter.Part.class)
              : EnumSet.copyOf(parts);
      ByteProgress progress = Input.progress(terminal);
      try (Score score = model.open(model.options(), spec.commandLine())) {
        ScorePrinter printer = new ScorePrinter(terminal, format, shown);
        ScoreInput.run(terminal.in(), score, progress, printer::print);
        progress.end();
        printer.end();
      }
      return 0;
    }
  }

  /** Computes the perplexity of standard input. */
  @Command(
      name = "perplexity",
      sortOptions = false,
      abbreviateSynopsis = true,
      description = {
        "Print the perplexity of standard input, one sentence per line, with and without unknown"
            + " words, like the last lines of KenLM's query.",
      })
  static final class PerplexityOf extends TerminalCommand implements Callable<Integer> {
    @Mixin private Model model;

    @Override
    public Integer call() throws IOException {
      ByteProgress progress = Input.progress(terminal);
      Perplexity perplexity = new Perplexity();
      try (Score score = model.open(model.options().totalsOnly(), spec.commandLine())) {
        ScoreInput.run(terminal.in(), score, progress, (lines, results) -> perplexity.add(results));
      }
      progress.end();
      terminal.results(ScorePrinter.summary(perplexity));
      return 0;
    }
  }
}
