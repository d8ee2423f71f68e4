package io.latimer.cli.command;

import picocli.CommandLine;

/** Parses enum constants as users write them: in any case, with hyphens. */
public class NameConverter<E extends Enum<E>> implements CommandLine.ITypeConverter<E> {
  private final Class<E> type;

  /** Creates a converter to an enum. */
  public NameConverter(Class<E> type) {
    this.type = type;
  }

  @Override
  public final E convert(String value) {
    for (E constant : type.getEnumConstants()) {
      if (constant.name().replace('_', '-').equalsIgnoreCase(value)) {
        return constant;
      }
    }
    throw new CommandLine.TypeConversionException(
        "\"" + value + "\" is not one of its values; see --help");
  }
}
