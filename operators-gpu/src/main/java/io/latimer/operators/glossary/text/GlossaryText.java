package io.latimer.operators.glossary.text;

import io.latimer.operators.RecordException;
import io.latimer.operators.glossary.index.GlossaryBuilder;
import io.latimer.operators.glossary.index.GlossaryFormatException;
import io.latimer.operators.util.BuildProgress;
import io.latimer.operators.util.FileErrors;
import io.latimer.operators.util.PackedFile;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** Reads glossaries from files, plain or gzip. */
public final class GlossaryText {
  private static final int BUFFER = 1 << 16;

  private final Path file;
  private final GlossaryFormat format;
  private final String sourceLanguage;
  private final String targetLanguage;

  /**
   * A glossary file.
   *
   * @param format null to go by its name
   * @param sourceLanguage BCP 47 tag; selects the source forms of TBX
   * @param targetLanguage BCP 47 tag; selects the target forms of TBX
   */
  public GlossaryText(
      Path file, GlossaryFormat format, String sourceLanguage, String targetLanguage) {
    this.file = file;
    this.format = format == null ? GlossaryFormat.of(file) : format;
    this.sourceLanguage = sourceLanguage;
    this.targetLanguage = targetLanguage;
  }

  /**
   * What was read.
   *
   * @param builder has the terms
   * @param skipped entries of TBX without a term in both languages
   */
  public record Read(GlossaryBuilder builder, int skipped) {}

  /**
   * Reads the file.
   *
   * @throws GlossaryFormatException if it cannot be read or used, naming the file and the line
   */
  public Read read(BuildProgress progress) {
    GlossaryBuilder builder =
        new GlossaryBuilder(
            sourceLanguage,
            targetLanguage,
            GlossaryBuilder.Repeated.REFUSED,
            line -> file + " line " + line);
    int skipped = 0;
    try (InputStream packed = PackedFile.open(file, BUFFER);
        CountedStream in = new CountedStream(packed, progress)) {
      if (format == GlossaryFormat.TBX) {
        TbxReader reader = new TbxReader(file, sourceLanguage, targetLanguage, builder::add);
        reader.read(in);
        skipped = reader.skipped();
      } else {
        readTable(in, format, file.toString(), builder::add);
      }
    } catch (IOException e) {
      throw new GlossaryFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
    }
    if (builder.size() == 0) {
      throw new GlossaryFormatException(file + " has no terms");
    }
    return new Read(builder, skipped);
  }

  /**
   * Reads the terms of a table; {@link TermCells} says which settings they have.
   *
   * @param format {@link GlossaryFormat#TSV} or {@link GlossaryFormat#CSV}
   * @param name of the table, for messages
   * @throws GlossaryFormatException if a row is wrong, naming the table and the line
   */
  public static void readTable(InputStream in, GlossaryFormat format, String name, TermSink sink)
      throws IOException {
    boolean csv = format == GlossaryFormat.CSV;
    TextRows rows = new TextRows(new BufferedInputStream(in, BUFFER), csv);
    TermRows terms = new TermRows(sink);
    try {
      for (List<String> row = rows.next(); row != null; row = rows.next()) {
        terms.add(row, rows.line(), csv ? "a comma" : "a tab");
      }
    } catch (RecordException e) {
      throw new GlossaryFormatException(name + " line " + rows.line() + ": " + e.getMessage(), e);
    }
  }
}
