package io.latimer.cli.memory;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.Output;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.OperatorException;
import io.latimer.operators.memory.TmxReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Converts TMX to pairs. */
@Command(
    name = "import",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Convert a translation memory in TMX 1.4b to sentence pairs, as 'control append --pairs'"
          + " reads them.",
      "",
      "Writes a line for each unit with both languages: source and target, separated by a tab."
          + " Tabs and line ends inside a text become spaces. Codes of inline markup are left out, the"
          + " text that they mark is kept. Units that lack a language are counted.",
    },
    footer = {
      "",
      "Example:",
      "  latimer memory import desk.tmx --target-language de --out desk.tsv",
    })
final class MemoryImportCommand extends TerminalCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE.tmx", description = "The memory; - is the standard input.")
  private Path memory;

  @Option(
      names = "--source-language",
      paramLabel = "TAG",
      defaultValue = "",
      description = "Language of the sources, such as en; if not given, the file's.")
  private String sourceLanguage;

  @Option(
      names = "--target-language",
      paramLabel = "TAG",
      defaultValue = "",
      description = "Language of the targets; if not given, the only other one.")
  private String targetLanguage;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The file to write; if not given, the standard output.")
  private Path out;

  @Override
  public Integer call() throws IOException {
    long skipped;
    try (Input input = Input.of(memory, terminal);
        Output output = Output.of(out, terminal);
        TmxReader reader = new TmxReader(input.stream(), sourceLanguage, targetLanguage)) {
      Writer lines =
          new BufferedWriter(new OutputStreamWriter(output.stream(), StandardCharsets.UTF_8));
      for (TmxReader.Unit unit = reader.next(); unit != null; unit = reader.next()) {
        lines.write(oneLine(unit.source()) + "\t" + oneLine(unit.target()) + "\n");
      }
      lines.flush();
      output.commit();
      skipped = reader.skipped();
    } catch (OperatorException e) {
      throw new CommandException(memory + " " + e.getMessage(), e);
    }
    if (skipped > 0) {
      terminal.message(skipped + " units lack one of the languages");
    }
    return 0;
  }

  private static String oneLine(String text) {
    return text.replaceAll("[\\t\\r\\n]+", " ");
  }
}
