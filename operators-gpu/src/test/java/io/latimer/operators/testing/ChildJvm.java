package io.latimer.operators.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process with the tests' classes and options of its own, such as a small heap. */
public final class ChildJvm {
  private static final int MOST_SECONDS = 60;

  private ChildJvm() {}

  /**
   * Runs a class until it ends, which must be within a minute and without an error.
   *
   * @param options of Java, such as {@code -Xmx32m}
   * @return what it wrote
   */
  public static String run(List<String> options, Class<?> main, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", TestClassPath.joined(), main.getName()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    return said;
  }
}
