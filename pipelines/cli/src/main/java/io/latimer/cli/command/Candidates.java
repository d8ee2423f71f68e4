package io.latimer.cli.command;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The values of an option for shell completion. */
public abstract class Candidates implements Iterable<String> {
  private final List<String> values;

  protected Candidates(String... values) {
    this.values = List.of(values);
  }

  /** The names of an enum as a user writes them: in lower case, with hyphens. */
  protected Candidates(Class<? extends Enum<?>> type) {
    this.values =
        Stream.of(type.getEnumConstants())
            .map(constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .toList();
  }

  @Override
  public final Iterator<String> iterator() {
    return values.iterator();
  }
}
