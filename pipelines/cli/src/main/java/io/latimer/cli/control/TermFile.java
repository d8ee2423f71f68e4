package io.latimer.cli.control;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Input;
import io.latimer.operators.OperatorException;
import io.latimer.operators.glossary.text.GlossaryFormat;
import io.latimer.operators.glossary.text.GlossaryText;
import io.latimer.operators.text.terms.Term;
import io.latimer.pipelines.record.TermCorrections;
import io.latimer.schemas.Correction;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Reads terms to be learned beside a glossary: a table as {@code glossary build} reads it. */
final class TermFile {
  private TermFile() {}

  /**
   * Reads all terms, of a file whose name ends with .csv as CSV, else as TSV. Ids are those of
   * {@link PairFile#read}.
   *
   * @return the terms in order, in parts of a command's size; at least one
   * @throws CommandException if a row is wrong, or there is none
   */
  static List<List<Correction>> read(Input input) throws IOException {
    GlossaryFormat format = GlossaryFormat.of(Path.of(input.name()));
    if (format == GlossaryFormat.TBX) {
      throw new CommandException(
          input.name()
              + ": terms are appended of a table (TSV or CSV); build a glossary of this file, and"
              + " swap to it");
    }
    AppendParts parts = new AppendParts();
    Instant now = Instant.now();
    try {
      GlossaryText.readTable(
          new BufferedInputStream(input.stream()),
          format,
          input.name(),
          (term, line) -> parts.add(correction(term, now)));
    } catch (OperatorException e) {
      throw new CommandException(e.getMessage(), e);
    }
    return parts.all(input.name() + " has no terms");
  }

  private static Correction correction(Term term, Instant now) {
    Correction correction = TermCorrections.of("", now, term);
    correction.setId(AppendParts.id(correction.getSource() + "\t" + correction.getTarget()));
    return TermCorrections.normalized(correction); // also checks its limits
  }
}
