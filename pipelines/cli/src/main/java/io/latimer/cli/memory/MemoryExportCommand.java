package io.latimer.cli.memory;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.Languages;
import io.latimer.cli.command.LineReader;
import io.latimer.cli.command.Output;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.OperatorException;
import io.latimer.operators.memory.TmxWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Converts pairs to TMX. */
@Command(
    name = "export",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Convert sentence pairs to a translation memory in TMX 1.4b.",
      "",
      "Reads the lines that 'control append --pairs' reads: source and target, separated by a tab."
          + " A third column, the word alignment, is left out.",
    },
    footer = {
      "",
      "Example:",
      "  latimer memory export desk.tsv --source-language en --target-language de --out desk.tmx",
    })
final class MemoryExportCommand extends TerminalCommand implements Callable<Integer> {
  private static final int COLUMNS = 3;

  @Parameters(paramLabel = "FILE.tsv", description = "The pairs; - is the standard input.")
  private Path pairs;

  @Option(
      names = "--source-language",
      paramLabel = "TAG",
      required = true,
      description = "Language of the sources, such as en.")
  private String sourceLanguage;

  @Option(
      names = "--target-language",
      paramLabel = "TAG",
      required = true,
      description = "Language of the targets.")
  private String targetLanguage;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The file to write; if not given, the standard output.")
  private Path out;

  @Override
  public Integer call() throws IOException {
    Languages.require(spec.commandLine(), "--source-language", sourceLanguage);
    Languages.require(spec.commandLine(), "--target-language", targetLanguage);
    try (Input input = Input.of(pairs, terminal);
        Output output = Output.of(out, terminal)) {
      OutputStream stream = new BufferedOutputStream(output.stream());
      try (TmxWriter writer = new TmxWriter(stream, version(), sourceLanguage, targetLanguage)) {
        LineReader lines = new LineReader(input.stream());
        for (InputLine line = lines.next(); line != null; line = lines.next()) {
          write(line, input.name(), writer);
        }
        writer.end();
      }
      stream.flush();
      output.commit();
    }
    return 0;
  }

  /** The number in "latimer 1.0 (Java ...)". */
  private String version() {
    return spec.root().version()[0].split(" ", -1)[1];
  }

  private static void write(InputLine line, String name, TmxWriter writer) {
    String[] columns = line.text().split("\t", -1);
    String problem =
        line.problem()
            .orElse(
                columns.length < 2 || columns.length > COLUMNS
                    ? "expected a source and a target sentence, separated by a tab"
                    : "");
    if (!problem.isEmpty()) {
      throw new CommandException(name + " line " + line.number() + ": " + problem);
    }
    try {
      writer.write(columns[0], columns[1]);
    } catch (OperatorException e) {
      throw new CommandException(name + " line " + line.number() + ": " + e.getMessage(), e);
    }
  }
}
