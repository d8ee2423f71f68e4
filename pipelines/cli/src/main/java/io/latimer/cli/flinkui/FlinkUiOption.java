package io.latimer.cli.flinkui;

import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option that turns Flink's web page on. */
public final class FlinkUiOption {
  private static final String DEFAULT_PORT = "8081";

  @Option(
      names = "--flink-ui",
      arity = "0..1",
      fallbackValue = DEFAULT_PORT,
      paramLabel = "PORT",
      description =
          "Show Flink's web page of the job at http://localhost:PORT (default: "
              + DEFAULT_PORT
              + "; 0 for any free one), to look at only.")
  private Integer port;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /**
   * The page's port, or 0 for any free one; empty without a page.
   *
   * @throws ParameterException if it is not a port
   */
  public OptionalInt port() {
    if (port == null) {
      return OptionalInt.empty();
    }
    if (port < 0 || port > 65_535) {
      throw new ParameterException(
          command.commandLine(), "--flink-ui must be a port from 0 to 65535.");
    }
    return OptionalInt.of(port);
  }
}
