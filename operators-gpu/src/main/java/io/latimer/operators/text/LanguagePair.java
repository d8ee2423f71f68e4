package io.latimer.operators.text;

import java.util.Objects;

/**
 * The languages of a text and of its translation: BCP 47 tags, {@code und} if unknown.
 *
 * @param source the language that the model reads the text in
 * @param target the language of the translation
 */
public record LanguagePair(String source, String target) {
  public LanguagePair {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(target, "target");
  }
}
