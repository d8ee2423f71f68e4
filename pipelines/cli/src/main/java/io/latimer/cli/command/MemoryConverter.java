package io.latimer.cli.command;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Parses amounts of memory such as {@code 512M}, {@code 2G}. */
public final class MemoryConverter implements CommandLine.ITypeConverter<Long> {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})([kmgt])(?:i?b)?");

  @Override
  public Long convert(String value) {
    Matcher matcher = FORM.matcher(value.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new CommandLine.TypeConversionException(
          "\"" + value + "\" is not an amount of memory; write it like 512M or 2G");
    }
    int shift =
        switch (matcher.group(2)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          default -> 40;
        };
    return Long.parseLong(matcher.group(1)) << shift;
  }
}
