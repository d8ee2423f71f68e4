package io.latimer.operators.text.terms;

import io.latimer.operators.RecordException;

/** The terms that one record brings with it. They count before those of a glossary. */
@FunctionalInterface
public interface RecordTerms {
  /** The record has no terms. */
  RecordTerms NONE = (sourceLanguage, targetLanguage) -> Terminology.NONE;

  /**
   * The terms, for the record's languages.
   *
   * @param sourceLanguage a BCP 47 tag; {@code und} if unknown
   * @param targetLanguage the same of the translation
   * @throws RecordException saying which term is wrong and why
   */
  Terminology in(String sourceLanguage, String targetLanguage);
}
