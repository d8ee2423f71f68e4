package io.latimer.cli.model;

import io.latimer.cli.command.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Two files of raw text whose lines belong together. */
record TextPair(List<String> first, List<String> second) {
  /**
   * Reads them.
   *
   * @throws CommandException if they are empty, or have different numbers of lines
   */
  static TextPair read(Path first, Path second) throws IOException {
    TextPair pair = new TextPair(Files.readAllLines(first), Files.readAllLines(second));
    if (pair.first.size() != pair.second.size() || pair.first.isEmpty()) {
      throw new CommandException(
          first
              + " has "
              + pair.first.size()
              + " lines and "
              + second
              + " "
              + pair.second.size()
              + "; line N of one must be the translation of line N of the other");
    }
    return pair;
  }
}
