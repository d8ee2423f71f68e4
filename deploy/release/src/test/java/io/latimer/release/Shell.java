package io.latimer.release;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What a program printed, and its exit code. */
record Shell(int status, String output) {

  static Shell run(Path folder, String... command) throws IOException, InterruptedException {
    return run(null, folder, command);
  }

  /**
   * Runs a program to its end.
   *
   * @param environment all variables that it gets; null for those of this process
   */
  static Shell run(Map<String, String> environment, Path folder, String... command)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(List.of(command)).directory(folder.toFile()).redirectErrorStream(true);
    if (environment != null) {
      builder.environment().clear();
      builder.environment().putAll(environment);
    }
    Process process = builder.start();
    process.getOutputStream().close();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    return new Shell(process.waitFor(), output);
  }
}
