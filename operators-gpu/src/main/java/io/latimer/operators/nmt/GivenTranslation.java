package io.latimer.operators.nmt;

import io.latimer.operators.text.Guidance;
import java.util.Objects;

/**
 * A text and a translation of it, whoever made it.
 *
 * @param text raw; one sentence, or several that are translated at once
 * @param translation raw
 * @param guidance its languages, where the model has several; its prefix is ignored
 */
public record GivenTranslation(String text, String translation, Guidance guidance) {
  public GivenTranslation {
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(translation, "translation");
    Objects.requireNonNull(guidance, "guidance");
  }

  /** A translation between the model's usual languages. */
  public GivenTranslation(String text, String translation) {
    this(text, translation, Guidance.NONE);
  }
}
