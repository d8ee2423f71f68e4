package io.latimer.operators.cycle1;

import io.latimer.operators.cycle2.OtherOfTwo;

/** A violation, for ImportRulesTest. */
public final class OneOfTwo {
  private OneOfTwo() {}

  public static String name() {
    return OtherOfTwo.name();
  }
}
