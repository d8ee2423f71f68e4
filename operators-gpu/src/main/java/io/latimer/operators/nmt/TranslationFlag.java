package io.latimer.operators.nmt;

import java.util.Locale;

/** What is doubtful about a translation. */
public enum TranslationFlag {
  /** A number of the source is not in the translation with its value, or one is invented. */
  NUMBERS,
  /** A term of the glossary is not translated as the glossary says. */
  TERMS,
  /**
   * The model lost a number or a term; it was put back where, by attention, it belongs. Its value
   * is right, its grammar may not be.
   */
  ASSEMBLED;

  /** As records name it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
