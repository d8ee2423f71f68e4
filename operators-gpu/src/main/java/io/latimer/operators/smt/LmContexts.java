package io.latimer.operators.smt;

import io.latimer.operators.lm.model.LmState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers the contexts of a sentence's partial translations: equal ones have one number. */
final class LmContexts {
  private final Map<LmState, Integer> numbers = new HashMap<>();
  private final List<LmState> states = new ArrayList<>();

  /** The number of a context, from 0 in order of first appearance. */
  int number(LmState state) {
    Integer known = numbers.putIfAbsent(state, states.size());
    if (known != null) {
      return known;
    }
    states.add(state);
    return states.size() - 1;
  }

  LmState state(int number) {
    return states.get(number);
  }
}
