package io.latimer.cli.glossary;

import io.latimer.cli.command.ExitCodes;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.ReadAhead;
import io.latimer.cli.command.TerminalCommand;
import io.latimer.operators.device.Device;
import io.latimer.operators.glossary.Glossary;
import io.latimer.operators.text.terms.TargetRule;
import io.latimer.operators.text.terms.TermMatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Finds the terms of a glossary in the lines of standard input. */
@Command(
    name = "find",
    sortOptions = false,
    abbreviateSynopsis = true,
    description = {
      "Find the terms of a glossary in the lines of standard input.",
      "",
      "Prints a tab-separated row per term found: number of the line; first character and the one"
          + " after the last, from 0; the text there; given, any or keep, the rule for translations;"
          + " the target forms, separated by |, or - if there are none. A line without terms has no"
          + " row.",
      "",
      "A line that is not UTF-8 or too long is skipped; the exit code is 1 then.",
    },
    footer = {
      "",
      "Example:",
      "  latimer glossary find --glossary hotel.ltx < text",
    })
final class GlossaryFindCommand extends TerminalCommand implements Callable<Integer> {
  private static final int BATCH_LINES = 4096;

  @Option(
      names = "--glossary",
      paramLabel = "FILE",
      required = true,
      description = "The glossary, .ltx.")
  private Path file;

  @Override
  public Integer call() throws IOException, InterruptedException {
    boolean failed = false;
    try (Glossary glossary = Glossary.opener().open(file, Device.CPU)) {
      ReadAhead lines = new ReadAhead(terminal.in(), BATCH_LINES);
      for (List<InputLine> batch = lines.next(); !batch.isEmpty(); batch = lines.next()) {
        StringBuilder rows = new StringBuilder();
        for (InputLine line : batch) {
          glossary.find(line.text()).forEach(match -> add(rows, line, match));
        }
        terminal.results(rows.toString());
        for (InputLine line : batch) {
          failed |= line.problem().isPresent();
          line.problem()
              .ifPresent(
                  problem ->
                      terminal.message(
                          "latimer: line " + line.number() + " is skipped: " + problem));
        }
      }
    }
    return failed ? ExitCodes.FAILED : 0;
  }

  private static void add(StringBuilder rows, InputLine line, TermMatch match) {
    int start = line.text().codePointCount(0, match.start());
    rows.append(line.number()).append('\t').append(start).append('\t');
    rows.append(start + match.text().codePointCount(0, match.text().length())).append('\t');
    rows.append(match.text().replace('\t', ' ')).append('\t');
    rows.append(name(match.term().rule())).append('\t');
    List<String> targets = match.term().targets();
    rows.append(targets.isEmpty() ? "-" : String.join("|", targets)).append('\n');
  }

  private static String name(TargetRule rule) {
    return switch (rule) {
      case AS_GIVEN -> "given";
      case ANY_FORM -> "any";
      case KEEP -> "keep";
    };
  }
}
