package io.latimer.cli.translate;

import io.latimer.cli.command.Examples;
import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.terminal.Terminal;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Translates the standard input. */
@Command(
    name = "translate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Translate the standard input, a record a line, to the standard output, in the same order.",
      "",
      "A line that cannot be translated becomes an empty line, or none at all with --nbest above"
          + " 1; the reason goes to the standard error with the line's number, and the exit code is"
          + " 1 at the end.",
    },
    footer = {
      "",
      "With --nbest above 1 a line of output is 'N ||| text ||| F0= score ||| normalized score', N"
          + " being the line of the input from 0, and a line that cannot be translated has none; with"
          + " --scores it is the same without N; with --alignment ' ||| 0-0 1-2' follows: words of"
          + " the line and of the text, parted at spaces, from 0; of several translations of a line"
          + " the best alone has them.",
    })
public final class TranslateCommand implements Callable<Integer> {
  @Option(
      names = {"-m", "--model"},
      paramLabel = "FILE",
      description = "Model file (.lmx); the English-German example if not given.")
  private Path model;

  @Mixin private SearchOptions search;

  @Option(
      names = "--nbest",
      paramLabel = "N",
      defaultValue = "1",
      description = "Print the N best translations of each line, 1 to the beam.")
  private int nBest;

  @Option(names = "--scores", description = "Print log probabilities, too.")
  private boolean scores;

  @Option(names = "--alignment", description = "Print the word alignment, too.")
  private boolean alignment;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Most lines in a batch, 1 to 4096 (default: 64 on the CPU, 1024 on a GPU).")
  private Integer batch;

  @Option(
      names = "--batch-tokens",
      paramLabel = "N",
      description = "Most tokens in a batch, roughly (default: 4096 on the CPU, 65536 on a GPU).")
  private Integer batchTokens;

  @Spec private CommandSpec spec;

  private final Terminal terminal;

  TranslateCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    boolean inRange = batch == null || (batch >= 1 && batch <= 4096);
    if (!inRange || (batchTokens != null && batchTokens < 1)) {
      throw new ParameterException(
          spec.commandLine(), "--batch must be from 1 to 4096 and --batch-tokens at least 1.");
    }
    TranslateOptions options = search.options(spec.commandLine(), nBest, scores, alignment);
    Device device = search.device(spec.commandLine());
    Path file = model == null ? Examples.model() : model;
    boolean gpu = device.kind() == Device.Kind.GPU;
    int lines = batch != null ? batch : gpu ? 1024 : 64;
    int tokens = batchTokens != null ? batchTokens : gpu ? 65_536 : 4096;
    OutputFormat format = new OutputFormat(nBest > 1, scores, alignment);
    long failed;
    try (Translate translate = Translate.opener(options).open(file, device)) {
      Progress progress = new Progress(terminal, inputSize(), System::nanoTime);
      failed =
          new LineTranslator(translate, lines, tokens, format, terminal, progress)
              .run(terminal.in());
    }
    if (failed > 0) {
      terminal.message(
          "latimer: " + failed + (failed == 1 ? " line was" : " lines were") + " not translated.");
    }
    return failed > 0 ? ExitCodes.FAILED : 0;
  }

  /** The size of an input that is a file, else 0. */
  private long inputSize() throws IOException {
    return terminal.in() instanceof FileInputStream file ? file.getChannel().size() : 0;
  }
}
