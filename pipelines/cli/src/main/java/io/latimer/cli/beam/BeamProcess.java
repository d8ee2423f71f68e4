package io.latimer.cli.beam;

import io.latimer.cli.command.CommandException;
import io.latimer.cli.command.Logs;
import io.latimer.cli.terminal.StopSignal;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a program of the Beam module in a separate process, which shares this process's standard
 * output and error, and ends when this process ends, even if killed.
 */
final class BeamProcess {
  private static final String FOLDER = "pipelines/beam/target";
  private static final String JAR = "latimer-beam.jar";
  private static final String LOG = "classpath:io/latimer/pipelines/beam/program-log4j2.properties";
  private static final int POLL_MILLIS = 50;

  /** Maximum time for a program to end after a signal, before it is killed. */
  private static final int STOP_SECONDS = 15;

  /** The exit code of a JVM that ends because it is out of memory. */
  private static final int OUT_OF_MEMORY = 3;

  private BeamProcess() {}

  /**
   * Runs a program to its end.
   *
   * @param main its main class
   * @return its exit code, or that of the signal that stopped it
   */
  static int run(String main, List<String> arguments) throws IOException, InterruptedException {
    try (StopSignal stop = new StopSignal()) {
      Process process =
          new ProcessBuilder(command(main, arguments))
              .inheritIO()
              .redirectInput(Redirect.PIPE) // end of file tells the program that we have ended
              .start();
      try {
        while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
          if (stop.isRaised()) {
            process.destroy();
            process.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
            return stop.exitCode();
          }
        }
        if (stop.isRaised()) {
          return stop.exitCode();
        }
        if (process.exitValue() == OUT_OF_MEMORY) {
          throw new CommandException(
              "Beam's process ran out of memory; give it more with LATIMER_JAVA_OPTS=-Xmx4g, and"
                  + " do not use --runner direct, which holds a whole file in memory.");
        }
        return process.exitValue();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  private static List<String> command(String main, List<String> arguments) {
    String beam = System.getProperty("latimer.beam");
    Path folder =
        beam != null
            ? Path.of(beam)
            : Path.of(System.getProperty("latimer.home", "")).resolve(FOLDER);
    Path jar = folder.resolve(JAR);
    if (!Files.isRegularFile(jar)) {
      throw new CommandException(
          jar
              + " is not there; in a checkout, start the program with ./latimer beam, which builds"
              + " it; for a release, unpack its archive latimer-beam beside the command line's.");
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // the packages that Flink 1 opens
    for (String opened : List.of("java.lang", "java.net", "java.io", "java.nio", "java.text")) {
      command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    for (String opened : List.of("java.time", "java.util", "java.util.concurrent", "sun.nio.ch")) {
      command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    // otherwise threads of a runner might wait forever
    command.add("-XX:+ExitOnOutOfMemoryError");
    command.add("-Dlatimer.ends-with-stdin=true");
    command.add("-Dfile.encoding=UTF-8");
    command.add("-Dlog4j2.configurationFile=" + LOG);
    command.add("-Dlatimer.log=" + Logs.file());
    String options = System.getenv("LATIMER_JAVA_OPTS");
    if (options != null && !options.isBlank()) {
      command.addAll(List.of(options.strip().split("\\s+")));
    }
    command.add("-cp");
    command.add(jar + File.pathSeparator + folder.resolve("lib") + File.separator + "*");
    command.add(main);
    command.addAll(arguments);
    return command;
  }
}
