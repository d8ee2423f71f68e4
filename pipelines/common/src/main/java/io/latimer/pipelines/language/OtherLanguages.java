package io.latimer.pipelines.language;

/** What becomes of texts that are not in the language that they are to be translated from. */
public enum OtherLanguages {
  /** All texts are translated; nothing is checked. */
  TRANSLATE,
  /** They are not translated, and flagged. */
  PASS,
  /** Those in the target language are not translated, and flagged; others are refused. */
  DEAD_LETTER
}
