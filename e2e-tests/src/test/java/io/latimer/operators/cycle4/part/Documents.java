package io.latimer.operators.cycle4.part;

import io.latimer.operators.cycle4.Documented;

/** Uses a class that names this one in its documentation. */
public final class Documents {
  private Documents() {}

  static Class<?> known() {
    return Documented.class;
  }
}
