package io.latimer.cli.command;

import java.util.IllformedLocaleException;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Options that name languages. */
public final class Languages {
  private Languages() {}

  /**
   * Checks a BCP 47 tag (RFC 5646), as records of a job carry it and sentence splitting uses it.
   *
   * @throws ParameterException if it is invalid
   */
  public static void require(CommandLine command, String option, String tag) {
    try {
      new Locale.Builder().setLanguageTag(tag);
    } catch (IllformedLocaleException e) {
      throw new ParameterException(
          command,
          option
              + ": \""
              + tag
              + "\" is not a language tag; write "
              + (tag.contains("_") ? tag.replace('_', '-') : "it like en or pt-BR")
              + ".",
          e);
    }
  }
}
