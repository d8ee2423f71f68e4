package io.latimer.operators.text;

import java.util.Objects;

/**
 * A record's text to translate.
 *
 * @param text raw; may be blank
 * @param guidance of its sender
 */
public record TextInput(String text, Guidance guidance) {
  public TextInput {
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(guidance, "guidance");
  }
}
