package io.latimer.cli.command;

import io.latimer.operators.text.TextSettings.Recasing;
import io.latimer.operators.text.TextSettings.Tokenizer;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Converters for option values, with plain error messages. */
public final class Converters {
  private Converters() {}

  /** Registers them with a command and all its subcommands. */
  public static void register(CommandLine line) {
    line.registerConverter(int.class, value -> number(value, Integer::valueOf, "a whole number"));
    line.registerConverter(
        Integer.class, value -> number(value, Integer::valueOf, "a whole number"));
    line.registerConverter(Long.class, value -> number(value, Long::valueOf, "a whole number"));
    line.registerConverter(float.class, value -> number(value, Float::valueOf, "a number"));
    line.registerConverter(double.class, value -> number(value, Double::valueOf, "a number"));
    line.registerConverter(Path.class, Converters::path);
    line.registerConverter(Recasing.class, new NameConverter<>(Recasing.class));
    line.registerConverter(Tokenizer.class, new NameConverter<>(Tokenizer.class));
  }

  private static <T> T number(String value, Function<String, T> parser, String what) {
    try {
      return parser.apply(value);
    } catch (NumberFormatException e) {
      boolean whole = value.matches("[+-]?[0-9]+");
      throw new TypeConversionException(
          "\"" + value + "\" is " + (whole ? "too large" : "not " + what));
    }
  }

  private static Path path(String value) {
    if (value.isEmpty()) {
      throw new TypeConversionException("the name is empty; name a file");
    }
    try {
      return Path.of(value);
    } catch (InvalidPathException e) {
      throw new TypeConversionException("\"" + value + "\" cannot be the name of a file");
    }
  }
}
