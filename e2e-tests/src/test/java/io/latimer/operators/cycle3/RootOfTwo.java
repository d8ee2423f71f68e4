package io.latimer.operators.cycle3;

import io.latimer.operators.cycle3.part.PartOfRoot;

/** Breaks a rule on purpose: a root package and its part know each other. */
public final class RootOfTwo {
  private RootOfTwo() {}

  static Class<?> known() {
    return PartOfRoot.class;
  }
}
