package io.latimer.cli.command;

import java.util.Iterator;
import java.util.List;

/** The values of an option for shell completion, unless they are those of an enum. */
public abstract class Candidates implements Iterable<String> {
  private final List<String> values;

  protected Candidates(String... values) {
    this.values = List.of(values);
  }

  @Override
  public final Iterator<String> iterator() {
    return values.iterator();
  }
}
