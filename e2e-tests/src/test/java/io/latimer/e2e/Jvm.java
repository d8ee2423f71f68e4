package io.latimer.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Programs in separate JVMs. */
final class Jvm {
  /** A program that ends before C2 pays off takes half the CPU time without it. */
  private static final List<String> SHORT_LIVED =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private Jvm() {}

  /** The outcome of a program. */
  record Ended(int exitCode, String out, String err) {}

  /** A program on a class path; the process's input stream is its standard output. */
  static ProcessBuilder program(String classPath, String main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(SHORT_LIVED);
    command.add("-Xshare:auto");
    // as Flink's own scripts do
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("--add-opens=java.base/java.util=ALL-UNNAMED");
    command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(List.of(arguments));
    ProcessBuilder program = new ProcessBuilder(command);
    // for the JVMs that it starts: Beam's
    program.environment().put("LATIMER_JAVA_OPTS", String.join(" ", SHORT_LIVED));
    return program;
  }

  /**
   * Runs a program to its end.
   *
   * @param folder for what it writes
   */
  static Ended run(Path folder, ProcessBuilder program) throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    int exitCode =
        program.redirectOutput(out.toFile()).redirectError(err.toFile()).start().waitFor();
    return new Ended(exitCode, Files.readString(out), Files.readString(err));
  }
}
