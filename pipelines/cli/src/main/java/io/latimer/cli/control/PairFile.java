package io.latimer.cli.control;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.LineReader;
import io.latimer.operators.OperatorException;
import io.latimer.operators.RecordException;
import io.latimer.operators.memory.TmxReader;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.pipelines.record.Corrections;
import io.latimer.schemas.Correction;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Reads sentence pairs to be learned: one per line in tab-separated columns, or TMX. */
final class PairFile {
  private PairFile() {}

  /**
   * Reads all pairs, of a file whose name ends with .tmx as TMX. The id of a pair is derived from
   * it, so sending it again has no effect while the job remembers the id, until the second
   * compaction after it was learned.
   *
   * @return the pairs in order, in parts of a command's size; at least one
   * @throws CommandException if a line is invalid, or there is none
   */
  static List<List<Correction>> read(Input input) throws IOException {
    AppendParts parts = new AppendParts();
    if (input.name().toLowerCase(Locale.ROOT).endsWith(".tmx")) {
      readTmx(input, parts);
    } else {
      LineReader lines = new LineReader(input.stream());
      Instant now = Instant.now();
      for (InputLine line = lines.next(); line != null; line = lines.next()) {
        parts.add(pair(line, input.name(), now));
      }
    }
    return parts.all(input.name() + " has no sentence pairs");
  }

  private static void readTmx(Input input, AppendParts parts) {
    Instant now = Instant.now();
    try (TmxReader reader = new TmxReader(input.stream(), "", "")) {
      for (TmxReader.Unit unit = reader.next(); unit != null; unit = reader.next()) {
        String id = AppendParts.id(unit.source() + "\t" + unit.target());
        Correction pair = new Correction(id, now, unit.source(), unit.target(), null);
        try {
          parts.add(Corrections.normalized(pair));
        } catch (RecordException e) {
          throw new CommandException(
              input.name() + " line " + unit.line() + ": " + e.getMessage(), e);
        }
      }
    } catch (OperatorException e) {
      throw new CommandException(
          input.name() + " " + e.getMessage() + "; 'latimer memory import' takes its languages", e);
    }
  }

  private static Correction pair(InputLine line, String name, Instant now) {
    if (line.problem().isPresent()) {
      throw bad(name, line, line.problem().get(), null);
    }
    String[] columns = line.text().split("\t", -1);
    if (columns.length < 2 || columns.length > 3) {
      throw bad(
          name,
          line,
          "expected a source sentence, a target sentence and an optional alignment, separated by"
              + " tabs, found "
              + columns.length
              + (columns.length == 1 ? " column" : " columns"),
          null);
    }
    boolean aligned = columns.length == 3;
    String id = AppendParts.id(line.text());
    try {
      Correction pair =
          aligned
              ? Corrections.record(
                  new LearnedPair(id, now.toEpochMilli(), columns[0], columns[1], columns[2]))
              : new Correction(id, now, columns[0], columns[1], null);
      return Corrections.normalized(pair); // also checks its limits
    } catch (RecordException e) {
      throw bad(name, line, e.getMessage(), e);
    }
  }

  private static CommandException bad(String name, InputLine line, String problem, Throwable e) {
    return new CommandException(name + " line " + line.number() + ": " + problem, e);
  }
}
