package io.latimer.pipelines.config;

import java.util.List;

/** Thrown if a configuration file is invalid. The message lists all problems with their lines. */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  /**
   * Creates an exception.
   *
   * @param file name of the file
   * @param problems one sentence each; at least one
   */
  public ConfigException(String file, List<String> problems) {
    super(message(file, problems));
    this.problems = List.copyOf(problems);
  }

  private static String message(String file, List<String> problems) {
    if (problems.size() == 1) {
      return file + ", " + problems.get(0);
    }
    return file + ": " + problems.size() + " problems\n  " + String.join("\n  ", problems);
  }

  /** The problems, each with line, path of the key, what was expected and what was found. */
  public List<String> problems() {
    return problems;
  }
}
