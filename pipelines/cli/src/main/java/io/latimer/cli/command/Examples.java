package io.latimer.cli.command;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the files that come with the program: the folder {@code examples} of the checkout. */
public final class Examples {
  private Examples() {}

  /** The English-German example model. */
  public static Path model() {
    return file("models/tatoeba-en-de.lmx", "name a model file with --model");
  }

  /** The feed of everyday English. */
  public static Path feed() {
    return file("feeds/everyday.en.txt", "name a feed with --file");
  }

  private static Path file(String relative, String instead) {
    String home = System.getProperty("latimer.home", "");
    Path path = Path.of(home, "examples").resolve(relative);
    if (!Files.isRegularFile(path)) {
      throw new CommandException(path + " is not there; " + instead + ".");
    }
    return path;
  }
}
