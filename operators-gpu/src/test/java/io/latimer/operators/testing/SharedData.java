package io.latimer.operators.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds the models, data and golden outputs that lie beside the project. A test that needs one is
 * skipped by name where it is absent; under {@code CI=true} a missing one fails instead.
 */
public final class SharedData {
  private static final Path ROOT =
      Path.of(System.getProperty("latimer.shared", "../../shared")).toAbsolutePath().normalize();

  private SharedData() {}

  /**
   * Finds one file or folder.
   *
   * @param relative a path below the shared folder, such as {@code models/m30k-ende-gru}
   */
  public static Path require(String relative) {
    Path path = ROOT.resolve(relative);
    if (!Files.exists(path)) {
      String message = "golden data not beside the project: shared/" + relative;
      if ("true".equals(System.getenv("CI"))) {
        throw new AssertionError(message);
      }
      assumeTrue(false, message);
    }
    return path;
  }
}
