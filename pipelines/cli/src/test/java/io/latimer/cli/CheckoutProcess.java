package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Programs of a checkout that holds just enough: the real launcher, and in Maven's place a script
 * that puts ready jars where Maven would.
 */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
abstract class CheckoutProcess {
  @TempDir Path folder;

  Path home;
  Path tools;
  Path calls;
  Path javaHome;

  record Ended(int exitCode, String out, String err) {}

  /** The folder with what {@link #makeLibraries} made. */
  abstract Path ready();

  @BeforeEach
  void layOut() throws IOException {
    home = Files.createDirectories(folder.resolve("a check out"));
    tools = Files.createDirectories(folder.resolve("tools"));
    calls = folder.resolve("calls");
    Path root = Path.of(System.getProperty("latimer.root"));
    Files.copy(root.resolve("latimer"), home.resolve("latimer"));
    assertThat(home.resolve("latimer").toFile().setExecutable(true)).isTrue();
    Files.createFile(home.resolve("pom.xml"));
    for (String module :
        List.of(
            "schemas",
            "kernels",
            "operators-gpu",
            "embedded-kafka",
            "pipelines/common",
            "pipelines/flink",
            "pipelines/beam",
            "pipelines/cli")) {
      Path sources = Files.createDirectories(home.resolve(module).resolve("src/main/java"));
      Files.createFile(sources.resolve("Source.java"));
    }
    script(
        tools.resolve("mvn"),
        "echo \"$@\" >> '" + calls + "'",
        "rm -rf pipelines/cli/target/lib",
        "ln -s '" + ready() + "' pipelines/cli/target/lib",
        "cp '" + ready() + "/classes.jar' pipelines/cli/target/latimer-cli.jar");
    Path bin = Files.createDirectories(folder.resolve("java/bin"));
    javaHome = bin.getParent();
    script(
        bin.resolve("java"),
        "case $1 in -XshowSettings*)",
        "  echo '    java.specification.version = 17'",
        "  echo '    java.home = " + javaHome + "' ;;",
        "esac");
    script(bin.resolve("javac"));
  }

  /** What Maven makes: a jar of everything that is on the class path of this test. */
  static void makeLibraries(Path ready) throws IOException {
    int number = 0;
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (entry.isEmpty()) {
        continue; // Surefire's class path ends with a separator
      }
      Path path = Path.of(entry);
      if (path.endsWith("pipelines/cli/target/classes")) {
        writeJar(path, ready.resolve("classes.jar"));
      } else if (Files.isDirectory(path)) {
        writeJar(path, ready.resolve(number++ + ".jar"));
      } else {
        Files.createSymbolicLink(ready.resolve(number++ + ".jar"), path);
      }
    }
  }

  private static void writeJar(Path classes, Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out);
        Stream<Path> paths = Files.walk(classes)) {
      for (Path path : paths.filter(Files::isRegularFile).toList()) {
        jar.putNextEntry(new JarEntry(classes.relativize(path).toString()));
        Files.copy(path, jar);
      }
    }
  }

  static void script(Path file, String... lines) throws IOException {
    Files.writeString(file, "#!/bin/sh\nset -e\n" + String.join("\n", lines) + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  ProcessBuilder command(Path launcher, String... arguments) throws IOException {
    ProcessBuilder process = new ProcessBuilder(launcher.toString());
    process.command().addAll(List.of(arguments));
    process.directory(folder.toFile());
    process.environment().put("PATH", tools + ":" + System.getenv("PATH"));
    process.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return process;
  }

  Ended run(ProcessBuilder process) throws Exception {
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    Process started = process.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    started.getOutputStream().close();
    int exitCode = started.waitFor();
    return new Ended(exitCode, Files.readString(out), Files.readString(err));
  }
}
