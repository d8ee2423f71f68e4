package io.latimer.operators.phrases.index;

import java.util.Objects;

/**
 * A text and its translation as a correction taught them, word for word.
 *
 * @param id names the correction
 * @param time of the correction, in milliseconds since 1970
 * @param source raw text of one sentence or more
 * @param target its raw translation
 */
public record TaughtPair(String id, long time, String source, String target) {
  public TaughtPair {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(target, "target");
  }
}
