package io.latimer.operators.text;

import io.latimer.operators.text.terms.RecordTerms;
import java.util.Objects;

/**
 * A record's text to translate.
 *
 * @param text raw; may be blank
 * @param guidance of its sender
 * @param terms that its translation must have
 */
public record TextInput(String text, Guidance guidance, RecordTerms terms) {
  public TextInput {
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(guidance, "guidance");
    Objects.requireNonNull(terms, "terms");
  }

  /** A text without terms of its own. */
  public TextInput(String text, Guidance guidance) {
    this(text, guidance, RecordTerms.NONE);
  }
}
