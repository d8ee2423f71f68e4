package io.latimer.operators.grammar.text;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Gives names to the variables that a conversion adds, unlike all names of the grammar. */
final class VariableNames {
  private final Set<String> taken;
  private final Map<String, Integer> last = new HashMap<>();

  VariableNames(Collection<String> taken) {
    this.taken = new HashSet<>(taken);
  }

  /** A part of the rules of a variable: its name, a tilde and a number. */
  String part(String variable) {
    int number = last.getOrDefault(variable, 0);
    String name;
    do {
      number++;
      name = variable + "~" + number;
    } while (!taken.add(name));
    last.put(variable, number);
    return name;
  }

  /** The variable that derives only a terminal: the terminal in quotes. */
  String ofTerminal(String terminal) {
    String name = "'" + terminal + "'";
    return taken.add(name) ? name : part(name);
  }
}
