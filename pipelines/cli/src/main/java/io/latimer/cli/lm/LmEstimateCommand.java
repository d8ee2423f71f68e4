package io.latimer.cli.lm;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.DeviceOption;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.MemoryConverter;
import io.latimer.cli.command.Output;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.command.TextProgress;
import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.operators.lm.estimate.Discounts;
import io.latimer.operators.lm.estimate.EstimateLm;
import io.latimer.operators.lm.estimate.EstimateOptions;
import io.latimer.operators.lm.estimate.EstimateReport;
import io.latimer.operators.util.BuildProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Estimates a language model from standard input. */
@Command(
    name = "estimate",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Estimate a language model from standard input with interpolated modified Kneser-Ney"
          + " smoothing, as KenLM's lmplz does, and write it in ARPA format.",
      "",
      "A line is a sentence. Words are separated by spaces, tabs, line feeds, carriage returns and"
          + " NULs.",
    },
    footer = {
      "",
      "Example, which omits n-grams of three and more words that occur once:",
      "  latimer lm estimate --order 5 --prune \"0 0 1\" < text > model.arpa",
    })
final class LmEstimateCommand extends TerminalCommand implements Callable<Integer> {
  private static final Pattern COMMAS_OR_SPACES = Pattern.compile("[ ,]+");

  @Option(
      names = {"-o", "--order"},
      paramLabel = "N",
      required = true,
      description = "Length of the longest n-grams in words, 1 to 8.")
  private int order;

  @Option(
      names = "--prune",
      paramLabel = "\"0 N ...\"",
      defaultValue = "0",
      description =
          "Omit n-grams that occur at most N times; one number per order, from 1; the last holds for"
              + " all higher orders. The first must be 0 (default: ${DEFAULT-VALUE}).")
  private String prune;

  @Option(
      names = "--discount-fallback",
      paramLabel = "\"D1 D2 D3\"",
      arity = "0..1",
      fallbackValue = "0.5 1 1.5",
      description =
          "If the text is too small to compute discounts, use these instead of failing:"
              + " \"0.5 1 1.5\" if omitted.")
  private String fallback;

  @Option(
      names = "--skip-symbols",
      description = "Skip <s>, </s> and <unk> in the text instead of refusing them.")
  private boolean skipSymbols;

  @Option(
      names = {"-S", "--memory"},
      paramLabel = "SIZE",
      converter = MemoryConverter.class,
      description =
          "Approximate Java memory to use besides the dictionary, such as 2G (default: three quarters"
              + " of Java's limit). What does not fit goes to temporary files.")
  private Long memory;

  @Option(
      names = {"-T", "--temp"},
      paramLabel = "FOLDER",
      description = "Folder for temporary files (default: Java's).")
  private Path temp;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      defaultValue = "cpu",
      completionCandidates = DeviceOption.Names.class,
      description =
          "Where to count: cpu sorts in memory or on disk; auto or gpu:N counts on a GPU, in memory,"
              + " for orders up to 5 (default: ${DEFAULT-VALUE}). The model is the same.")
  private String device;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Write to a file, which is replaced when the model is complete.")
  private Path file;

  @Override
  public Integer call() throws IOException {
    EstimateOptions options = options();
    BuildProgress progress = new TextProgress(terminal, Input.progress(terminal));
    EstimateReport report;
    try (Output out = Output.of(file, terminal)) {
      report = EstimateLm.estimate(terminal.in(), out.stream(), options, progress);
      if (file != null) {
        terminal.status("writing " + file + " to the disk ...");
      }
      out.commit();
    }
    terminal.status("");
    say(report);
    return 0;
  }

  private EstimateOptions options() {
    Device where = DeviceOption.parse(spec.commandLine(), device);
    try {
      EstimateOptions options =
          EstimateOptions.of(order)
              .withPrune(numbers(prune, "--prune", Long::valueOf))
              .withSkipSymbols(skipSymbols)
              .withDevice(where);
      if (memory != null) {
        requireMemory();
        options = options.withMemory(memory);
      }
      if (temp != null) {
        options = options.withTempFolder(temp);
      }
      if (fallback != null) {
        List<Float> amounts = numbers(fallback, "--discount-fallback", Float::valueOf);
        require(
            amounts.size() == 3, "--discount-fallback takes three numbers, such as \"0.5 1 1.5\".");
        options =
            options.withFallback(new Discounts(amounts.get(0), amounts.get(1), amounts.get(2)));
      }
      return options;
    } catch (OperatorException e) {
      throw usage(e.getMessage(), e);
    }
  }

  private void requireMemory() {
    long most = Runtime.getRuntime().maxMemory();
    if (memory > most) {
      throw new CommandException(
          String.format(
              Locale.ROOT,
              "--memory is %d MiB, but Java's limit is %d MiB; set"
                  + " LATIMER_JAVA_OPTS=-Xmx%dM, or lower --memory.",
              memory >> 20,
              most >> 20,
              (memory >> 20) * 5 / 4));
    }
  }

  private <T> List<T> numbers(String text, String option, Function<String, T> parser) {
    List<T> out = new ArrayList<>();
    for (String part : COMMAS_OR_SPACES.split(text.strip(), -1)) {
      try {
        out.add(parser.apply(part));
      } catch (NumberFormatException e) {
        throw usage("\"" + part + "\" of " + option + " is not a number.", e);
      }
    }
    return out;
  }

  private void say(EstimateReport report) {
    terminal.message(
        String.format(
            Locale.ROOT,
            "%,d sentences, %,d words%s",
            report.sentences(),
            report.words(),
            report.runs() > 0 ? ", sorted on disk in " + report.runs() + " runs" : ""));
    for (int i = 0; i < report.orders().size(); i++) {
      EstimateReport.Order one = report.orders().get(i);
      Discounts discounts = one.discounts();
      terminal.message(
          String.format(
              Locale.ROOT,
              "%d-grams: %,d%s  discounts %s%.6g %.6g %.6g",
              i + 1,
              one.kept(),
              one.kept() < one.types() ? String.format(Locale.ROOT, " of %,d", one.types()) : "",
              one.fallback() ? "could not be computed; using " : "",
              discounts.one(),
              discounts.two(),
              discounts.threePlus()));
    }
  }
}
