package io.latimer.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a container runs: its files, volumes, variables and command. */
final class Container {
  private static final Path RUN =
      Deploy.FOLDER.resolve("tests/src/test/resources/io/latimer/deploy/run-container");

  private final ImageFiles files;
  private final List<String> volumes = new ArrayList<>();
  private final Map<String, String> variables = new LinkedHashMap<>();

  Container(ImageFiles files) {
    this.files = files;
  }

  Container volume(Path source, String target) {
    volumes.add(source.toAbsolutePath() + ":" + target);
    return this;
  }

  Container readOnly(Path source, String target) {
    return volume(source, target + ":ro");
  }

  Container variable(String name, String value) {
    variables.put(name, value);
    return this;
  }

  /** Starts the image's entry point with arguments. */
  Running start(Path log, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(files.entryPoint());
    command.addAll(arguments);
    return startCommand(log, command);
  }

  /** Starts another command than the image's. */
  Running startCommand(Path log, List<String> command) throws IOException {
    String[] user = files.user().split(":", 2);
    List<String> all =
        new ArrayList<>(
            List.of(
                "setpriv",
                "--pdeathsig",
                "KILL",
                "unshare",
                "--mount",
                "--uts",
                "--pid",
                "--fork",
                "--kill-child",
                "sh",
                RUN.toString(),
                files.root().toString(),
                user[0],
                user[1],
                files.folder()));
    all.addAll(volumes);
    all.add("--");
    all.addAll(files.environment());
    variables.forEach((name, value) -> all.add(name + "=" + value));
    all.addAll(command);
    Process process =
        new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    process.getOutputStream().close();
    return new Running(process, log);
  }

  /** A container's first process. It dies with this one. */
  record Running(Process process, Path log) implements AutoCloseable {
    String output() throws IOException {
      return Files.readString(log);
    }

    void requireAlive() throws IOException {
      if (!process.isAlive()) {
        throw new AssertionError("the container has ended:\n" + output());
      }
    }

    /** Waits for the end of the process, and returns its exit status. */
    int await() throws InterruptedException {
      return process.waitFor();
    }

    void kill() throws InterruptedException {
      process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
