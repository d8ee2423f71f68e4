package io.latimer.e2e.chaos;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A program in a process that can be killed and started again, usually a Java program, which ends
 * with this JVM. What it prints is appended to a file beside its temporary folder.
 */
final class ChildProcess {
  private static final long PATIENCE_SECONDS = 60;

  private final String name;
  private final Path folder;
  private final Path log;
  private final Function<Path, List<String>> command;
  private final Map<String, String> environment;
  private Process process;
  private int starts;

  /**
   * Describes it; {@link #start} starts it.
   *
   * @param parent where its folder lies, with its log and a temporary folder for each start
   * @param jvm options, such as the size of its heap
   * @param environment additional environment variables
   */
  ChildProcess(
      String name,
      Path parent,
      List<String> jvm,
      String classPath,
      Map<String, String> environment,
      List<String> mainAndArguments)
      throws IOException {
    this(name, parent, environment, temporary -> java(temporary, jvm, classPath, mainAndArguments));
  }

  /**
   * Describes any program.
   *
   * @param command the program and its arguments, for the temporary folder of a start
   */
  ChildProcess(
      String name,
      Path parent,
      Map<String, String> environment,
      Function<Path, List<String>> command)
      throws IOException {
    this.name = name;
    this.environment = environment;
    this.command = command;
    folder = Files.createDirectories(parent.resolve(name));
    log = folder.resolve("log");
  }

  private static List<String> java(
      Path temporary, List<String> jvm, String classPath, List<String> mainAndArguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Djava.io.tmpdir=" + temporary);
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    // as Flink's own scripts do
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.add("--add-opens=java.base/java.util=ALL-UNNAMED");
    command.addAll(jvm);
    command.addAll(List.of("-cp", classPath, DiesWithParent.class.getName()));
    command.addAll(mainAndArguments);
    return command;
  }

  String name() {
    return name;
  }

  /** The temporary folder of its last start. */
  private Path temporary() {
    return folder.resolve("tmp-" + starts);
  }

  void start() throws IOException {
    starts++;
    List<String> all = command.apply(Files.createDirectories(temporary()));
    ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true);
    builder.environment().putAll(environment);
    File file = log.toFile();
    process = builder.redirectOutput(ProcessBuilder.Redirect.appendTo(file)).start();
  }

  boolean isAlive() {
    return process != null && process.isAlive();
  }

  long pid() {
    return process.pid();
  }

  /** Waits for its end. Returns its exit status. */
  int await() {
    return process.onExit().join().exitValue();
  }

  /** SIGKILL. */
  void kill() {
    if (process != null) {
      process.destroyForcibly().onExit().join();
    }
  }

  /** SIGTERM; after a minute, SIGKILL. Returns whether it ended by itself. */
  boolean end() throws InterruptedException {
    if (!isAlive()) {
      return true;
    }
    process.destroy();
    boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    kill();
    return ended;
  }

  /** What it has printed. */
  String log() throws IOException {
    // not strict UTF-8: a killed process may leave half a character
    return Files.exists(log) ? Files.readString(log, StandardCharsets.ISO_8859_1) : "";
  }
}
