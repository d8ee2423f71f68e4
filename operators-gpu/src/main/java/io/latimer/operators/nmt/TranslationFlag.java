package io.latimer.operators.nmt;

import java.util.Locale;

/** What is doubtful about a translation, or why a text has none. */
public enum TranslationFlag {
  /** A number of the source is not in the translation with its value, or one is invented. */
  NUMBERS,
  /** A term of the glossary is not translated as the glossary says. */
  TERMS,
  /**
   * The model lost a number or a term; it was put back where, by attention, it belongs. Its value
   * is right, its grammar may not be.
   */
  ASSEMBLED,
  /** Some words follow themselves again and again, which they do not in the source. */
  LOOP,
  /** A sentence has more than twice the characters of its source. */
  TOO_LONG,
  /** A sentence has less than a third of the characters of its source. */
  TOO_SHORT,
  /** A sentence of several words is its source, though the languages differ. */
  COPIED,
  /** The text was in the target language, and is not translated. */
  ALREADY_TRANSLATED,
  /** The text was in a third language, and is not translated. */
  OTHER_LANGUAGE,
  /** The translation is in another language than the target's. */
  OUTPUT_LANGUAGE;

  /** As records name it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
