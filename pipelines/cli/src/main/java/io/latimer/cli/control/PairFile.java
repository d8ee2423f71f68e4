package io.latimer.cli.control;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Input;
import io.latimer.cli.command.InputLine;
import io.latimer.cli.command.LineReader;
import io.latimer.operators.RecordException;
import io.latimer.operators.phrases.index.LearnedPair;
import io.latimer.pipelines.record.AppendPart;
import io.latimer.pipelines.record.Corrections;
import io.latimer.schemas.Correction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads sentence pairs to be learned, one per line, in tab-separated columns. */
final class PairFile {
  private PairFile() {}

  /**
   * Reads all pairs. The id of a pair is derived from its line, so sending it again has no effect
   * while the job remembers the id, until the second compaction after it was learned.
   *
   * @return the pairs in order, in parts of a command's size; at least one
   * @throws CommandException if a line is invalid, or there is none
   */
  static List<List<Correction>> read(Input input) throws IOException {
    List<AppendPart> parts = new ArrayList<>();
    AppendPart part = null;
    Instant now = Instant.now();
    LineReader lines = new LineReader(input.stream());
    for (InputLine line = lines.next(); line != null; line = lines.next()) {
      Correction pair = pair(line, input.name(), now);
      if (part == null || !part.hasRoomFor(pair)) {
        part = new AppendPart();
        parts.add(part);
      }
      part.add(pair);
    }
    if (parts.isEmpty()) {
      throw new CommandException(input.name() + " has no sentence pairs");
    }
    return parts.stream().map(AppendPart::corrections).toList();
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
    String id = UUID.nameUUIDFromBytes(line.text().getBytes(StandardCharsets.UTF_8)).toString();
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
