package io.latimer.cli.grammar;

import io.latimer.cli.command.DeviceOption;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.OperatorLines;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.CheckGrammar;
import io.latimer.operators.grammar.GrammarOptions;
import io.latimer.operators.grammar.GrammarVerdict;
import io.latimer.operators.grammar.NextWords;
import io.latimer.operators.grammar.UnknownWords;
import io.latimer.operators.ngram.SentenceWords;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks the sentences of standard input. */
@Command(
    name = "check",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Say whether a grammar derives the sentences of standard input, one tokenized sentence per"
          + " line.",
      "",
      "Format tsv has a row per line: 1 if the start symbol derives the sentence, else 0; its"
          + " words; the words of the longest prefix that the start symbol derives, 0 if none; how"
          + " many prefixes it derives; the symbols that derive the whole sentence, separated by"
          + " spaces, or - if none. Then, in this order: --chart adds the entries of the chart and"
          + " their hash; --tree the natural logarithm of the best tree's probability and the tree,"
          + " or - and -; --next the words of the longest beginning that a sentence of the grammar"
          + " has, how many words may follow it, and the first N of them, or - if none. Format json"
          + " has an object per line.",
      "",
      "A line that is not UTF-8 or too long is not checked: its row has - in every column. The"
          + " reason goes to the standard error with the line's number, and the exit code is 1.",
    },
    footer = {
      "",
      "Examples:",
      "  latimer grammar check --grammar shipping.lgx --next 10 < messages",
      "  latimer grammar check --grammar english.lgx --tree --unknown class < sentences",
    })
final class GrammarCheckCommand extends TerminalCommand implements Callable<Integer> {
  private static final int BATCH_LINES = 4096;

  /** The output format of verdicts. */
  enum Format {
    TSV,
    JSON
  }

  @Option(
      names = "--grammar",
      paramLabel = "FILE",
      required = true,
      description = "The compiled grammar, .lgx.")
  private Path grammar;

  @Option(
      names = "--unknown",
      paramLabel = "NAME",
      defaultValue = "refuse",
      description =
          "What derives unknown words. refuse: nothing; class: the symbols of the word's class such"
              + " as UNK-LC-ing, as in the Berkeley parser; any: every symbol that derives words"
              + " (default: ${DEFAULT-VALUE}).")
  private UnknownWords unknown;

  @Option(
      names = "--max-words",
      paramLabel = "N",
      defaultValue = "1024",
      description = "Words of the longest sentence to check (default: ${DEFAULT-VALUE}).")
  private int maxWords;

  @Option(names = "--chart", description = "Add the number of chart entries and their hash.")
  private boolean chart;

  @Option(names = "--tree", description = "Add the best tree; the grammar must have probabilities.")
  private boolean tree;

  @Option(
      names = "--next",
      paramLabel = "N",
      description =
          "Add where a sentence leaves the grammar, and up to N words that could have followed.")
  private Integer next;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "tsv",
      description = "tsv or json (default: ${DEFAULT-VALUE}).")
  private Format format;

  @Mixin private DeviceOption device;

  @Override
  public Integer call() throws IOException, InterruptedException {
    require(
        maxWords >= 1 && maxWords <= GrammarOptions.MOST_WORDS,
        "--max-words must be 1 to " + GrammarOptions.MOST_WORDS + ".");
    require(next == null || next >= 0, "--next must be at least 0.");
    GrammarOptions options = new GrammarOptions(unknown, maxWords, chart, tree);
    Device where = device.device(spec.commandLine());
    try (CheckGrammar check = CheckGrammar.opener(options).open(grammar, where)) {
      return OperatorLines.run(check, BATCH_LINES, output(check, options), "checked", terminal);
    }
  }

  private OperatorLines.Output<GrammarVerdict> output(CheckGrammar check, GrammarOptions options) {
    VerdictFormat verdicts =
        format == Format.JSON ? new JsonVerdicts() : new TsvVerdicts(options, next != null);
    NextWords words = next == null ? null : new NextWords(check.index(), unknown, next);
    StringBuilder rows = new StringBuilder();
    return new OperatorLines.Output<>() {
      @Override
      public void add(InputLine line, Result<GrammarVerdict> result) {
        if (result instanceof Result.Failure<GrammarVerdict> failure) {
          rows.append(verdicts.failed(line.number(), failure.error().getMessage()));
        } else {
          NextWords.Continuation after =
              words == null ? null : words.after(new SentenceWords(line.text()));
          rows.append(verdicts.of(line.number(), result.orElseThrow(), after));
        }
        rows.append('\n');
      }

      @Override
      public void endBatch() {
        terminal.results(rows.toString());
        rows.setLength(0);
      }
    };
  }
}
