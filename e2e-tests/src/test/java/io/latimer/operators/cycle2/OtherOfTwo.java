package io.latimer.operators.cycle2;

import io.latimer.operators.cycle1.OneOfTwo;

/** A violation, for ImportRulesTest. */
public final class OtherOfTwo {
  private OtherOfTwo() {}

  public static String name() {
    return OneOfTwo.name();
  }
}
