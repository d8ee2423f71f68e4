package io.latimer.operators.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.testing.TestClassPath;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs targets in a process of 512 MB. Properties: {@code latimer.fuzz.rounds}; {@code
 * latimer.fuzz.seed}, a number or {@code random}; {@code latimer.fuzz.only}, one input as it was
 * reported.
 */
public final class FuzzProcess {
  private static final long MINUTES = 120;

  private FuzzProcess() {}

  /**
   * Runs targets.
   *
   * @param rounds the usual number of rounds
   * @param folder empty
   */
  public static void run(Class<? extends FuzzTargets> targets, int rounds, Path folder)
      throws Exception {
    String wanted = System.getProperty("latimer.fuzz.seed", "1");
    long seed = wanted.equals("random") ? System.nanoTime() : Long.parseLong(wanted);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:-CreateCoredumpOnCrash"));
    command.add("-XX:ErrorFile=" + folder.resolve("hs_err.log"));
    command.add("-Dlatimer.root=" + System.getProperty("latimer.root"));
    command.add("-Djava.io.tmpdir=" + Files.createDirectory(folder.resolve("tmp")));
    command.add("-cp");
    command.add(TestClassPath.joined());
    command.add(FuzzMain.class.getName());
    command.add(targets.getName());
    command.add(Long.toString(seed));
    command.add(System.getProperty("latimer.fuzz.rounds", Integer.toString(rounds)));
    command.add(folder.toString());
    String only = System.getProperty("latimer.fuzz.only");
    if (only != null) {
      command.add(only);
    }
    Path log = folder.resolve("log");
    System.out.println("seed of the fuzz test: " + seed + ", log: " + log);
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String said = Files.readString(log, StandardCharsets.UTF_8);
    System.out.println(said);
    String reading = Files.readString(folder.resolve("reading"), StandardCharsets.UTF_8).trim();
    assertThat(process.exitValue())
        .as("seed %d, the last input %s; it said%n%s", seed, reading, said)
        .isZero();
  }
}
