package io.latimer.operators.nmt;

import java.util.Objects;

/**
 * A translation that a memory knows.
 *
 * @param text raw text
 * @param correction id of the correction that taught it; empty if none did
 * @param time of the correction, in milliseconds since 1970; 0 if there is none
 */
public record Remembered(String text, String correction, long time) {
  public Remembered {
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(correction, "correction");
  }

  /** A translation that no correction taught. */
  public static Remembered of(String text) {
    return new Remembered(text, "", 0);
  }

  /** The same with another text. */
  public Remembered with(String other) {
    return new Remembered(other, correction, time);
  }

  /** Whether a correction taught it. */
  public boolean isTaught() {
    return !correction.isEmpty();
  }
}
