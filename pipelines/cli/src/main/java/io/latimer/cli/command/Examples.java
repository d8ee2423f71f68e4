package io.latimer.cli.command;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the files that come with the program: the folder {@code examples} of the checkout. */
public final class Examples {
  private Examples() {}

  /** The English-German example model. */
  public static Path model() {
    return file("models/tatoeba-en-de.lmx", "name a model file with --model");
  }

  /**
   * The indexes that examples/build-indexes.sh builds for the example model; empty if it was not
   * run.
   */
  public static Optional<Indexes> indexes() {
    Path folder = Path.of(System.getProperty("latimer.home", ""), "examples", "indexes");
    Indexes all =
        new Indexes(
            folder.resolve("front-desk.lpx"),
            folder.resolve("front-desk.llm"),
            folder.resolve("front-desk.lgx"));
    boolean built =
        Stream.of(all.phrases(), all.languageModel(), all.grammar()).allMatch(Files::isRegularFile);
    return built ? Optional.of(all) : Optional.empty();
  }

  /** The index files of stages that accompany a translation. */
  public record Indexes(Path phrases, Path languageModel, Path grammar) {}

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
