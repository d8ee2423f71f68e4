package io.latimer.cli.phrases;

import io.latimer.cli.command.Candidates;
import io.latimer.cli.command.DeviceOption;
import io.latimer.cli.command.MemoryConverter;
import io.latimer.cli.command.NameConverter;
import io.latimer.cli.command.OperatorLines;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.device.Device;
import io.latimer.operators.phrases.PhraseOptions;
import io.latimer.operators.phrases.PhraseTable;
import io.latimer.operators.phrases.Phrases;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Looks up the phrases of standard input. */
@Command(
    name = "query",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Look up the phrases of standard input, one tokenized sentence per line, in a phrase index,"
          + " and print their translations.",
      "",
      "Format text has a row per phrase pair, sorted by the bytes of f, then of e: f ||| e |||"
          + " c(e,f) ||| c(f) ||| occ(f) ||| p(e|f) ||| coherence ||| lexEF ||| lexFE. c(e,f) is"
          + " how often a sampled occurrence of f gave e, c(f) the sum over all e, occ(f) the"
          + " occurrences in the index; p(e|f) = c(e,f)/c(f); coherence is the share of the samples"
          + " that gave a translation; lexEF and lexFE are lexical weights, sums of -log10. Format"
          + " cdec is a grammar with the features of cdec's extractor. Both print each phrase once,"
          + " when the input ends, unless --per-sentence is given. Format json has an object per"
          + " line.",
      "",
      "A line that is not UTF-8 or too long has no phrases. The reason goes to the standard error"
          + " with the line's number, and the exit code is 1.",
    },
    footer = {
      "",
      "Examples:",
      "  latimer phrases query --index en-de.lpx < sentences > table.txt",
      "  latimer phrases query --index en-de.lpx --format cdec --out-dir grammars \\",
      "    < sentences > sentences.sgm",
    })
final class PhrasesQueryCommand extends TerminalCommand implements Callable<Integer> {
  /** The value for all occurrences. */
  private static final String ALL = "all";

  private static final int BATCH_LINES = 1000;

  private static final long MIN_GPU_MEMORY = 16 << 20;

  /** The output format of phrases. */
  enum Format {
    TEXT,
    CDEC,
    JSON
  }

  @Option(
      names = "--index",
      paramLabel = "FILE",
      required = true,
      description = "The phrase index, .lpx.")
  private Path index;

  @Option(
      names = "--sample",
      paramLabel = "N|all",
      defaultValue = "300",
      completionCandidates = Samples.class,
      description =
          "Occurrences of a phrase to look at, evenly spaced, or all (default: ${DEFAULT-VALUE}).")
  private String sample;

  /** The values for shell completion. */
  static final class Samples extends Candidates {
    Samples() {
      super("300", ALL);
    }
  }

  @Option(
      names = "--max-source",
      paramLabel = "N",
      defaultValue = "5",
      description = "Words of the longest source phrase, 0 for any (default: ${DEFAULT-VALUE}).")
  private int maxSource;

  @Option(
      names = "--max-target",
      paramLabel = "N",
      defaultValue = "15",
      description = "Words of the longest target phrase, 0 for any (default: ${DEFAULT-VALUE}).")
  private int maxTarget;

  @Option(
      names = "--loose",
      description =
          "Words at the edges of a phrase may be unaligned. Prints a pair for every way to extend"
              + " the target phrase over unaligned words.")
  private boolean loose;

  @Option(
      names = "--best",
      paramLabel = "K",
      description = "Print the K most frequent translations of each phrase; all if omitted.")
  private Integer best;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "text",
      description = "text, cdec or json (default: ${DEFAULT-VALUE}).")
  private Format format;

  @Option(
      names = "--columns",
      paramLabel = "NAME",
      split = ",",
      converter = ColumnConverter.class,
      description =
          "Format text: the columns after f and e, of count, source-count, occurrences,"
              + " probability, coherence, lex-ef, lex-fe (these if omitted), samples, singleton-f"
              + " (1 if c(f) is 1), singleton-fe (1 if c(e,f) is 1).")
  private List<PhraseColumn> columns;

  static final class ColumnConverter extends NameConverter<PhraseColumn> {
    ColumnConverter() {
      super(PhraseColumn.class);
    }
  }

  @Option(
      names = "--per-sentence",
      description =
          "Formats text and cdec: print a block of rows per line of input; an empty line ends"
              + " each.")
  private boolean perSentence;

  @Option(
      names = "--out-dir",
      paramLabel = "FOLDER",
      description =
          "Format cdec: write a file grammar.N per line, N from 0, and print the line with a"
              + " reference to it, as cdec reads it.")
  private Path folder;

  @Option(
      names = "--force",
      description =
          "Write into the folder of --out-dir if it has files. Replaces grammars of the same"
              + " number; those of an earlier, longer input stay.")
  private boolean force;

  @Option(
      names = "--gpu-memory",
      paramLabel = "SIZE",
      defaultValue = "16G",
      converter = MemoryConverter.class,
      description =
          "GPU memory that a batch of lines may take beside the index (default: ${DEFAULT-VALUE})."
              + " A batch that needs more is split.")
  private long gpuMemory;

  @Mixin private DeviceOption device;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PhraseOptions options = options();
    require(best == null || best >= 1, "--best must be at least 1.");
    require(columns == null || format == Format.TEXT, "--columns needs --format text.");
    require(folder == null || format == Format.CDEC, "--out-dir needs --format cdec.");
    require(folder != null || !force, "--force needs --out-dir.");
    require(
        !perSentence || format != Format.JSON,
        "--per-sentence needs --format text or cdec; json has an object per line.");
    require(
        !perSentence || folder == null,
        "--per-sentence prints blocks, --out-dir writes files; use one of them.");
    require(gpuMemory >= MIN_GPU_MEMORY, "--gpu-memory must be at least 16M.");
    Device where = device.device(spec.commandLine());
    try (Phrases phrases = Phrases.opener(options, gpuMemory).open(index, where)) {
      return OperatorLines.run(phrases, BATCH_LINES, output(), "looked up", terminal);
    }
  }

  private PhraseOptions options() {
    require(
        sample.equals(ALL) || sample.matches("0*[1-9][0-9]{0,8}"),
        "--sample must be all or a whole number from 1 to 999999999.");
    require(maxSource >= 0 && maxTarget >= 0, "--max-source and --max-target must be at least 0.");
    int samples = sample.equals(ALL) ? 0 : Integer.parseInt(sample);
    return new PhraseOptions(samples, maxSource, maxTarget, loose);
  }

  private OperatorLines.Output<PhraseTable> output() throws IOException {
    int most = best == null ? 0 : best;
    if (format == Format.JSON) {
      return new JsonOutput(most, terminal);
    }
    PhraseRows rows =
        new PhraseRows(
            format == Format.CDEC
                ? RowFormat.CDEC
                : RowFormat.text(columns == null ? PhraseColumn.DEFAULT : columns),
            most);
    if (folder != null) {
      return new GrammarOutput(rows, folder, force, terminal);
    }
    return perSentence ? new BlockOutput(rows, terminal) : new UnionOutput(rows, terminal);
  }
}
