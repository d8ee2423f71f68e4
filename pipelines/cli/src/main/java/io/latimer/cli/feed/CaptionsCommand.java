package io.latimer.cli.feed;

import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.LineReader;
import io.latimer.cli.command.Output;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.RecordException;
import io.latimer.pipelines.feed.caption.WebVtt;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes translated captions as WebVTT. */
@Command(
    name = "captions",
    sortOptions = false,
    description = {
      "Write translated captions as WebVTT. Reads the records of a job whose source is captions,"
          + " one JSON object a line, as its sinks write them with format: json.",
      "",
      "Each translation is divided among the cues of its sentence. A record without caption times is"
          + " reported on the standard error, and the exit code is 1. A record that comes again, as"
          + " after a restart of the job, is left out.",
    },
    footer = {
      "",
      "Example:",
      "  latimer run --config captions.yaml | latimer captions > talk.de.vtt",
    })
public final class CaptionsCommand extends TerminalCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description = "The file of records; the standard input if omitted or -.")
  private Path input;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Write to a file, which is replaced when the captions are complete.")
  private Path output;

  @Override
  public Integer call() throws IOException {
    long failed = 0;
    WebVtt captions = new WebVtt();
    try (Input lines = Input.of(input, terminal);
        Output results = Output.of(output, terminal)) {
      results.stream().write(utf8(WebVtt.HEAD));
      LineReader reader = new LineReader(lines.stream());
      for (InputLine line = reader.next(); line != null; line = reader.next()) {
        try {
          if (line.problem().isPresent()) {
            throw new RecordException(line.problem().get());
          }
          results.stream().write(utf8(captions.cues(utf8(line.text()))));
        } catch (RecordException e) {
          failed++;
          terminal.message(
              "latimer: " + lines.name() + ", line " + line.number() + ": " + e.getMessage() + ".");
        }
      }
      results.commit();
    }
    return failed > 0 ? ExitCodes.FAILED : 0;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
