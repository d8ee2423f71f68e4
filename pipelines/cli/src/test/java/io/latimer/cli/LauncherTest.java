package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher on a checkout that holds just enough. Where what counts is when it builds, a script
 * in Java's place answers what the launcher asks; everywhere else the real program runs.
 */
final class LauncherTest extends CheckoutProcess {
  @TempDir private static Path ready;

  @BeforeAll
  static void makeLibraries() throws IOException {
    makeLibraries(ready);
  }

  @Override
  Path ready() {
    return ready;
  }

  /** Runs the launcher, with a script in Java's place. */
  private Ended launch() throws Exception {
    ProcessBuilder process = command(home.resolve("latimer"), "--version");
    process.environment().put("JAVA_HOME", javaHome.toString());
    return run(process);
  }

  private long builds() throws IOException {
    return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
  }

  @Test
  void buildsOnceAndSaysSoAndIsSilentFromThenOn() throws Exception {
    Ended first = run(command(home.resolve("latimer"), "--version"));
    assertThat(first.err()).contains("latimer: building", "latimer: built.");
    assertThat(first.out()).startsWith("latimer 0.").hasLineCount(1);
    assertThat(first.exitCode()).isZero();
    assertThat(Files.readString(calls)).contains("-pl pipelines/cli -am", "-Dmaven.test.skip=true");

    Ended second = run(command(home.resolve("latimer"), "--version"));
    assertThat(second.err()).isEmpty();
    assertThat(second.out()).isEqualTo(first.out());
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void buildsTheKernelsAsSoonAsThereIsADriver() throws Exception {
    assumeThat(Path.of("/dev/nvidiactl")).as("a driver is here").doesNotExist();
    assumeThat(Path.of("/dev/dxg")).as("a driver is here").doesNotExist();
    assumeThat(System.getenv("PATH").split(File.pathSeparator, -1))
        .as("a driver is here")
        .noneMatch(folder -> Files.exists(Path.of(folder, "nvidia-smi")));
    launch();
    assertThat(Files.readString(calls)).contains("-Dkernels.targets=none");
    launch();
    assertThat(builds()).isEqualTo(1);
    Files.copy(tools.resolve("mvn"), tools.resolve("nvidia-smi"));
    launch();
    assertThat(Files.readAllLines(calls).get(1)).doesNotContain("kernels.targets");
    launch();
    assertThat(builds()).isEqualTo(2);
  }

  /** It compiles without the checks, and Maven compiles only what it has no notes on. */
  @Test
  void leavesTheChecksToTheNextBuildOfMaven() throws Exception {
    Path notes = Files.createDirectories(home.resolve("schemas/target/maven-status/compile"));
    launch();
    assertThat(Files.readString(calls)).contains("-Derrorprone.options=-XepDisableAllChecks");
    assertThat(notes.getParent()).doesNotExist();
    assertThat(home.resolve("schemas/target")).exists();
  }

  /** Its libraries are many, and no other command needs them. */
  @Test
  void buildsTheBeamModuleForItsCommandOnly() throws Exception {
    launch();
    assertThat(Files.readString(calls)).doesNotContain("pipelines/beam");
    ProcessBuilder process = command(home.resolve("latimer"), "--debug", "beam", "--help");
    process.environment().put("JAVA_HOME", javaHome.toString());
    run(process);
    assertThat(Files.readString(calls)).contains("-pl pipelines/cli,pipelines/beam -am");
    Path built = Files.createDirectories(home.resolve("pipelines/beam/target/lib")).getParent();
    Files.createFile(built.resolve("latimer-beam.jar"));
    run(process);
    assertThat(builds()).isEqualTo(2);
    Files.createFile(home.resolve("pipelines/beam/src/main/java/Other.java"));
    Files.setLastModifiedTime(
        home.resolve("pipelines/beam/src/main/java/Other.java"),
        FileTime.from(Instant.now().plusSeconds(5)));
    launch();
    assertThat(builds()).isEqualTo(2);
    run(process);
    assertThat(builds()).isEqualTo(3);
  }

  @Test
  void findsItsCheckoutThroughLinksAndFromAnywhere() throws Exception {
    Path links = Files.createDirectories(folder.resolve("some links"));
    Files.createSymbolicLink(links.resolve("first"), Path.of("../a check out/latimer"));
    Files.createSymbolicLink(links.resolve("second"), links.resolve("first"));
    ProcessBuilder process = command(links.resolve("second"), "--version");
    process.environment().put("JAVA_HOME", javaHome.toString());
    assertThat(run(process.directory(new File("/"))).exitCode()).isZero();
    process = command(Path.of("sh"), "-c", "second --version");
    process.environment().merge("PATH", links + ":", (path, link) -> link + path);
    assertThat(run(process.directory(new File("/"))).out()).startsWith("latimer 0.");
  }

  @Test
  void aColonInItsPathIsNamed() throws Exception {
    Path colon = Files.createDirectories(folder.resolve("12:30"));
    Files.copy(home.resolve("latimer"), colon.resolve("latimer"));
    Ended ended = run(command(colon.resolve("latimer"), "--version"));
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.err()).startsWith("latimer: ").contains("12:30 has a colon in its path");
  }

  @Test
  void twoAtOnceBuildOnce() throws Exception {
    // Maven goes on only when the other has said that it waits
    Path said = folder.resolve("said");
    Files.createFile(said);
    List<String> mvn = new ArrayList<>(Files.readAllLines(tools.resolve("mvn")));
    mvn.add(
        2,
        "until grep -q waiting '"
            + said
            + "' '"
            + folder.resolve("other")
            + "'; do sleep 0.02; done");
    Files.write(tools.resolve("mvn"), mvn);
    Process other =
        command(home.resolve("latimer"), "--version")
            .redirectError(folder.resolve("other").toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    ProcessBuilder second = command(home.resolve("latimer"), "--version").inheritIO();
    second.redirectError(said.toFile());
    assertThat(second.redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor()).isZero();
    assertThat(other.waitFor()).isZero();
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void buildsAgainWhatIsOlderThanItsSources() throws Exception {
    launch();
    Path source = home.resolve("operators-gpu/src/main/java/Source.java");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
    launch();
    assertThat(builds()).isEqualTo(2);
  }

  @Test
  void aRemovedSourceIsAChangeAndATestIsNone() throws Exception {
    launch();
    Files.createDirectories(home.resolve("pipelines/cli/src/test/java/new"));
    launch();
    assertThat(builds()).isEqualTo(1);
    Files.delete(home.resolve("schemas/src/main/java/Source.java"));
    launch();
    assertThat(builds()).isEqualTo(2);
  }

  @Test
  void aFailedBuildShowsWhatMavenSaid() throws Exception {
    script(tools.resolve("mvn"), "echo 'no such module'", "exit 1");
    Ended ended = launch();
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.out()).isEmpty();
    assertThat(ended.err()).contains("no such module", "latimer: the build failed");
  }

  @Test
  void whatIsMissingIsNamed() throws Exception {
    ProcessBuilder noJava = command(home.resolve("latimer"), "--version");
    noJava.environment().put("JAVA_HOME", "/nowhere");
    Ended ended = run(noJava);
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.err()).startsWith("latimer: JAVA_HOME is /nowhere").contains("JDK 17");

    Files.delete(tools.resolve("mvn"));
    try (Stream<Path> all = Files.list(Path.of("/usr/bin"))) {
      for (Path tool : all.filter(path -> !path.endsWith("mvn")).toList()) {
        Files.createSymbolicLink(tools.resolve(tool.getFileName()), tool);
      }
    }
    ProcessBuilder noMaven = command(home.resolve("latimer"), "--version");
    noMaven.environment().put("PATH", tools.toString());
    assertThat(run(noMaven).err())
        .isEqualTo(
            "latimer: no mvn found; install Maven 3.8.7 or newer and put it on the"
                + " PATH: it builds Latimer once.\n");
  }

  @Test
  void anInputThatIsClosedOrAFolderIsSaidSo() throws Exception {
    launch();
    Path model = Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");
    String translate = "'" + home.resolve("latimer") + "' translate --model '" + model + "' ";
    Ended closed = run(command(Path.of("sh"), "-c", translate + "<&-"));
    assertThat(closed.exitCode()).isEqualTo(1);
    assertThat(closed.out()).isEmpty();
    assertThat(closed.err()).isEqualTo("latimer: cannot read standard input: it is closed\n");
    Ended directory = run(command(Path.of("sh"), "-c", translate + "< /"));
    assertThat(directory.exitCode()).isEqualTo(1);
    assertThat(directory.out()).isEmpty();
    assertThat(directory.err()).isEqualTo("latimer: cannot read standard input: Is a directory\n");
  }

  @Test
  void exitCodesComeThrough() throws Exception {
    launch();
    assertThat(run(command(home.resolve("latimer"), "nonsense")).exitCode()).isEqualTo(2);
    assertThat(run(command(home.resolve("latimer"), "index", "verify", "none")).exitCode())
        .isEqualTo(1);
  }

  /** The first run lists its classes, the second has the archive made, the third starts from it. */
  @Test
  void startsFromAnArchiveOfItsClassesOnceThereIsOne() throws Exception {
    script(
        javaHome.resolve("bin/java"),
        "case $1 in",
        "-XshowSettings*)",
        "  echo '    java.specification.version = 17'",
        "  echo '    java.home = " + javaHome + "' ;;",
        "-Xshare:dump) for a in \"$@\"; do case $a in *.new) echo made >\"${a#*=}\" ;; esac; done ;;",
        "*) for a in \"$@\"; do",
        "  case $a in",
        "  -XX:DumpLoadedClassList=*) yes a/Class | head -n 5000 >\"${a#*=}\" ;;",
        "  esac",
        "done",
        "echo \"$@\" ;;",
        "esac");
    assertThat(translate().out()).contains("-XX:DumpLoadedClassList=");
    assertThat(translate().out()).doesNotContain("-XX:DumpLoadedClassList=", "SharedArchive");
    Path classes = home.resolve("pipelines/cli/target/shared-classes");
    while (archives(classes) == 0) {
      Thread.sleep(20);
    }
    assertThat(translate().out()).contains("-XX:SharedArchiveFile=" + classes.toRealPath());

    Files.setLastModifiedTime(
        home.resolve("pipelines/cli/src/main/java/Source.java"), FileTime.from(Instant.now()));
    assertThat(translate().out()).contains("-XX:DumpLoadedClassList=");
  }

  private Ended translate() throws Exception {
    ProcessBuilder process = command(home.resolve("latimer"), "translate");
    process.environment().put("JAVA_HOME", javaHome.toString());
    return run(process);
  }

  private static long archives(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jsa")).count();
    }
  }
}
