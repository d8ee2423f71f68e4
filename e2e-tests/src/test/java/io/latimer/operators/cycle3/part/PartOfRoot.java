package io.latimer.operators.cycle3.part;

import io.latimer.operators.cycle3.RootOfTwo;

/** Breaks a rule on purpose: a root package and its part know each other. */
public final class PartOfRoot {
  private PartOfRoot() {}

  static Class<?> known() {
    return RootOfTwo.class;
  }
}
