package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A command in a process of its own, with a temporary folder of its own. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
abstract class CommandProcess {
  static final int PATIENCE_SECONDS = 120;

  @TempDir Path folder;

  Path temporary;
  Path out;
  Path err;
  Process process;
  Path log;
  Map<String, String> environment = Map.of();

  @BeforeEach
  void layOut() throws IOException {
    temporary = Files.createDirectory(folder.resolve("tmp"));
    out = folder.resolve("out");
    err = folder.resolve("err");
    log = folder.resolve("log");
  }

  @AfterEach
  void end() {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  void start(String... arguments) throws IOException {
    // A session of its own, so that its processes are a group that a signal can be sent to. What a
    // shell starts in the background ignores Ctrl-C, and so would this in a build that was.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT", "setsid"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-opens"))
        .forEach(command::add);
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Djava.io.tmpdir=" + temporary);
    if (log != null) {
      command.add("-Dlatimer.log=" + log);
    }
    command.add("-Dlatimer.home=" + System.getProperty("latimer.root"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Latimer.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().putAll(environment);
    process = builder.start();
  }

  void await(Path file, String text) throws Exception {
    for (int i = 0; i < PATIENCE_SECONDS * 20; i++) {
      if (Files.readString(file).contains(text)) {
        return;
      }
      assertThat(process.isAlive()).as(Files.readString(err)).isTrue();
      Thread.sleep(50);
    }
    throw new AssertionError("no \"" + text + "\": " + Files.readString(err));
  }

  /** The process of the broker; libraries of the command start short ones, too. */
  Optional<ProcessHandle> broker() {
    return process
        .descendants()
        .filter(child -> child.info().commandLine().orElse("").contains("latimer.kafka.directory"))
        .findFirst();
  }

  /** Sends a signal to a process, or to a group: the id of its first process, with a - before. */
  static void signal(String name, String id) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, "--", id).start().waitFor()).isZero();
  }

  static List<String> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> !file.equals(folder)).map(Path::toString).toList();
    }
  }
}
