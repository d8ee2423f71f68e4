package io.latimer.operators.text;

import java.util.Objects;

/**
 * What the sender of a text says about its translation.
 *
 * @param sourceLanguage a BCP 47 tag, or the model's name of the language; empty for the default.
 *     Models that are not told the source language ignore it
 * @param targetLanguage the same of the translation
 * @param targetPrefix raw text that the translation begins with; mostly empty. Without effect on a
 *     text without words
 */
public record Guidance(String sourceLanguage, String targetLanguage, String targetPrefix) {
  /** Nothing is said. */
  public static final Guidance NONE = new Guidance("", "", "");

  public Guidance {
    Objects.requireNonNull(sourceLanguage, "sourceLanguage");
    Objects.requireNonNull(targetLanguage, "targetLanguage");
    Objects.requireNonNull(targetPrefix, "targetPrefix");
  }

  /** This, with another's values for what it does not say. */
  public Guidance orElse(Guidance other) {
    return new Guidance(
        sourceLanguage.isEmpty() ? other.sourceLanguage : sourceLanguage,
        targetLanguage.isEmpty() ? other.targetLanguage : targetLanguage,
        targetPrefix.isEmpty() ? other.targetPrefix : targetPrefix);
  }
}
