package io.latimer.cli.command;

import java.util.IllformedLocaleException;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Options that name languages. */
public final class Languages {
  private Languages() {}

  /**
   * Checks a tag by BCP 47, RFC 5646: what the records of a job carry, and what splits sentences
   * goes by.
   *
   * @throws ParameterException if it is none
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
