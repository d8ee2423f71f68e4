package io.latimer.operators.cycle4;

import io.latimer.operators.cycle4.part.Documents;

/** Breaks a rule on purpose: it imports {@link Documents} only to say so. */
public final class Documented {
  private Documented() {}
}
