package io.latimer.operators.glossary.text;

import java.nio.file.Path;
import java.util.Locale;

/** The formats of glossary files. */
public enum GlossaryFormat {
  /** Columns separated by tabs; nothing is quoted. */
  TSV,
  /** Columns separated by commas, as in RFC 4180. */
  CSV,
  /** TermBase eXchange, ISO 30042 of 2008 or 2019. */
  TBX;

  /** The format that a file's name says, plain or with .gz; TSV if it says none. */
  public static GlossaryFormat of(Path file) {
    String name =
        String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT).replaceFirst("\\.gz$", "");
    if (name.endsWith(".csv")) {
      return CSV;
    }
    return name.endsWith(".tbx") || name.endsWith(".xml") ? TBX : TSV;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
