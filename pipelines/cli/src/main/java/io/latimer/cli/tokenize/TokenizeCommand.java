package io.latimer.cli.tokenize;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.Languages;
import io.latimer.cli.command.LineReader;
import io.latimer.cli.command.Output;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.text.LineTokenizer;
import io.latimer.operators.text.TextSettings;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Tokenizes the lines of the standard input. */
@Command(
    name = "tokenize",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Tokenize and case each line of the standard input, as 'translate' does with its input, for"
          + " 'align', 'phrases index', 'lm estimate' and 'tune'.",
      "",
      "Each line gives one line, also if it is blank, so that two files stay a parallel text. A line"
          + " that is not UTF-8, or has more than 1 MiB, ends it with an error.",
    },
    footer = {
      "",
      "Example:",
      "  latimer tokenize --language en < text.en > train.en",
    })
public final class TokenizeCommand extends TerminalCommand implements Callable<Integer> {
  /** The casings that need no model. */
  enum Casing {
    LOWER,
    KEEP;

    TextSettings.Casing setting() {
      return TextSettings.Casing.valueOf(name());
    }
  }

  @Option(
      names = "--language",
      paramLabel = "TAG",
      required = true,
      description = "Language of the text, such as en: apostrophes and abbreviations go by it.")
  private String language;

  @Option(
      names = "--tokenizer",
      paramLabel = "NAME",
      defaultValue = "moses",
      description =
          "moses, moses-aggressive, which separates at hyphens, too, or none, which only makes spaces"
              + " single (default: ${DEFAULT-VALUE}).")
  private TextSettings.Tokenizer tokenizer;

  @Option(
      names = "--casing",
      paramLabel = "CASE",
      defaultValue = "lower",
      description = "lower or keep (default: ${DEFAULT-VALUE}).")
  private Casing casing;

  @Option(
      names = "--entities",
      description = "Write some characters as entities, such as &apos;, as Moses' tokenizer does.")
  private boolean entities;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Write to a file, which is replaced when the text is complete.")
  private Path file;

  @Override
  public Integer call() throws IOException {
    Languages.require(spec.commandLine(), "--language", language);
    LineTokenizer words = new LineTokenizer(language, tokenizer, casing.setting(), entities);
    try (Output out = Output.of(file, terminal)) {
      Writer lines =
          new BufferedWriter(new OutputStreamWriter(out.stream(), StandardCharsets.UTF_8));
      LineReader in = new LineReader(terminal.in());
      for (InputLine line = in.next(); line != null; line = in.next()) {
        lines.write(words.tokenize(text(line)));
        lines.write('\n');
      }
      lines.flush();
      out.commit();
    }
    return 0;
  }

  /**
   * The text of a line; fails if it is unusable, because skipping it would misalign all later lines
   * with the other text.
   */
  private static String text(InputLine line) {
    if (line.problem().isPresent()) {
      throw new CommandException("line " + line.number() + ": " + line.problem().get() + ".");
    }
    return line.text();
  }
}
