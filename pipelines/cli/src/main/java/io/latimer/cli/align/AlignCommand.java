package io.latimer.cli.align;

import io.latimer.cli.command.Output;
import io.latimer.cli.command.SentencePairOptions;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.cli.command.TextProgress;
import io.latimer.cli.terminal.ByteProgress;
import io.latimer.operators.align.AlignedText;
import io.latimer.operators.align.TrainingOptions;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.Team;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Aligns the words of a parallel text. */
@Command(
    name = "align",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Align the words of a parallel text for 'phrases index'.",
      "",
      "Trains the model of fast_align (Dyer, Chahuneau and Smith 2013) on the text in both"
          + " directions, and joins the two alignments by grow-diag-final-and. Writes a line for each"
          + " sentence pair in Pharaoh's format, such as 0-0 1-2: places of linked words from 0, source"
          + " first. The same text gives the same lines on every machine.",
      "",
      "The two files, plain or gzip, have one line per sentence pair. Words are separated by spaces,"
          + " tabs, vertical tabs, form feeds, carriage returns and NULs. A pair with an empty sentence,"
          + " or with more than a million pairs of words, gets an empty line. Needs 50 to 100 bytes of"
          + " memory for each distinct pair of words that occur in a sentence pair.",
    },
    footer = {
      "",
      "Example:",
      "  latimer align --source train.en.gz --target train.de.gz --out train.en-de",
    })
public final class AlignCommand extends TerminalCommand implements Callable<Integer> {
  @Mixin private SentencePairOptions files;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      defaultValue = "5",
      description = "Passes over the text, 1 to 1000 (default: ${DEFAULT-VALUE}).")
  private int iterations;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Write to a file, which is replaced when the alignment is complete.")
  private Path file;

  @Override
  public Integer call() throws IOException {
    TrainingOptions options = options();
    try (Output out = Output.of(file, terminal)) {
      AlignedText text =
          AlignedText.train(
              files.source(), files.target(), options, Team.defaultThreads(), progress());
      terminal.status("aligning ...");
      Writer lines =
          new BufferedWriter(new OutputStreamWriter(out.stream(), StandardCharsets.US_ASCII));
      text.write(lines);
      lines.flush();
      out.commit();
      terminal.status("");
      say(text);
    }
    return 0;
  }

  private TrainingOptions options() {
    TrainingOptions defaults = TrainingOptions.DEFAULTS;
    try {
      return new TrainingOptions(iterations, defaults.nullProbability(), defaults.concentration());
    } catch (IllegalArgumentException e) {
      throw usage("--iterations: " + e.getMessage(), e);
    }
  }

  private BuildProgress progress() {
    List<Path> both = List.of(files.source(), files.target());
    boolean plain = both.stream().noneMatch(one -> one.toString().endsWith(".gz"));
    long bytes = plain ? both.stream().mapToLong(one -> one.toFile().length()).sum() : 0;
    return new TextProgress(terminal, new ByteProgress(terminal, bytes, System::nanoTime));
  }

  private void say(AlignedText text) {
    terminal.message(
        String.format(
            Locale.ROOT,
            "latimer: aligned %,d sentence %s.",
            text.size(),
            text.size() == 1 ? "pair" : "pairs"));
    int unalignable = text.unalignable();
    if (unalignable > 0) {
      terminal.message(
          String.format(
              Locale.ROOT,
              "latimer: warning: %,d of them have no links, because a sentence is empty or both are"
                  + " too long.",
              unalignable));
    }
  }
}
