package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Latimer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code latimer beam} starts its programs with the libraries that the build put beside them. */
@Timeout(300)
class BeamCommandTest {
  private static final int TERMINATED = 143;

  @TempDir Path folder;

  @BeforeEach
  void requireLibraries() throws IOException {
    JobJar.requireBeam();
  }

  private static ProcessBuilder latimer(String... arguments) {
    ProcessBuilder program =
        Jvm.program(System.getProperty("java.class.path"), Latimer.class.getName(), arguments);
    program.command().add(1, "-Dlatimer.home=" + Flow.ROOT);
    return program;
  }

  @ParameterizedTest
  @ValueSource(strings = {"direct", "flink"})
  void linesAreThoseOfTranslate(String runner) throws Exception {
    Path feed = folder.resolve("feed.txt");
    String text = String.join("\r\n", Flow.feed().subList(0, 30)) + "\n\n\tlast one";
    byte[] start = text.getBytes(StandardCharsets.UTF_8);
    Files.write(feed, new byte[] {(byte) 0xC0, '\n'});
    Files.write(feed, start, StandardOpenOption.APPEND);
    Path expected = folder.resolve("expected.txt");
    Path found = folder.resolve("found.txt");
    Jvm.Ended translate =
        Jvm.run(folder, latimer("translate", feed.toString(), "--output", expected.toString()));
    Jvm.Ended beam =
        Jvm.run(
            folder,
            latimer(
                "beam",
                "translate",
                "--runner",
                runner,
                "--input",
                feed.toString(),
                "--output",
                found.toString()));
    assertThat(found).as(beam.err()).hasSameBinaryContentAs(expected);
    assertThat(beam.exitCode()).isEqualTo(translate.exitCode()).isEqualTo(1);
    assertThat(beam.err()).contains("line 1 cannot be translated", "1 line was not translated.");
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .noneMatch(name -> name.contains("parts"));
    }
  }

  /** The same file, model and settings in a job; its sink has no order. */
  @ParameterizedTest
  @ValueSource(strings = {"direct", "flink"})
  void linesAreThoseOfAJob(String runner) throws Exception {
    Path feed = Files.write(folder.resolve("feed.txt"), Flow.feed().subList(30, 70));
    Path job = folder.resolve("job.yaml");
    Path translations = folder.resolve("translations");
    Path model = Flow.ROOT.resolve("examples/models/tatoeba-en-de.lmx");
    Files.writeString(
        job,
        """
        name: golden
        source:
          files: {path: %s}
        stages:
          - translate: {model: %s, device: cpu, beam: 3}
        sinks:
          - files: {path: %s, format: text}
        dead-letters: fail
        checkpoints: {interval: 1s}
        """
            .formatted(feed, model, translations));
    Jvm.Ended run = Jvm.run(folder, latimer("run", "--config", job.toString()));
    assertThat(run.exitCode()).as(run.err()).isZero();
    List<String> expected = new ArrayList<>();
    try (Stream<Path> files = Files.walk(translations)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        expected.addAll(Files.readAllLines(file));
      }
    }
    assertThat(expected).hasSize(40);
    Path found = folder.resolve("found.txt");
    Jvm.Ended beam =
        Jvm.run(
            folder,
            latimer(
                "beam",
                "translate",
                "--runner",
                runner,
                "--model",
                model.toString(),
                "--device",
                "cpu",
                "--set",
                "beam=3",
                "--input",
                feed.toString(),
                "--output",
                found.toString()));
    assertThat(beam.exitCode()).as(beam.err()).isZero();
    assertThat(Files.readAllLines(found)).containsExactlyInAnyOrderElementsOf(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--format|json|--format is for topics",
        "--set|beam=4,batch.max-records=2|Repeat --set for each setting"
      })
  void anOptionThatIsNotUsedAsWrittenIsRefused(String option, String value, String message)
      throws Exception {
    Path feed = Files.writeString(folder.resolve("feed.txt"), "Hi.\n");
    Path out = folder.resolve("out.txt");
    Jvm.Ended beam =
        Jvm.run(
            folder,
            latimer(
                "beam",
                "translate",
                option,
                value,
                "--input",
                feed.toString(),
                "--output",
                out.toString()));
    assertThat(beam.exitCode()).isEqualTo(2);
    assertThat(beam.err()).contains(message);
    assertThat(out).doesNotExist();
  }

  /** Without memory, threads of a runner would wait for each other for ever. */
  @Test
  void aFullMemoryIsAMessage() throws Exception {
    Path feed = Files.writeString(folder.resolve("feed.txt"), "Hi.\n");
    ProcessBuilder program =
        latimer(
            "beam",
            "translate",
            "--runner",
            "direct",
            "--input",
            feed.toString(),
            "--output",
            folder.resolve("out.txt").toString());
    program.environment().put("LATIMER_JAVA_OPTS", " -Xmx20m ");
    Jvm.Ended beam = Jvm.run(folder, program);
    assertThat(beam.exitCode()).isEqualTo(1);
    assertThat(beam.err()).contains("ran out of memory", "LATIMER_JAVA_OPTS");
  }

  @Test
  void aWrongSettingIsAMessageAndNoOutput() throws Exception {
    Path feed = Files.writeString(folder.resolve("feed.txt"), "Hi.\n");
    Path out = folder.resolve("out.txt");
    Jvm.Ended beam =
        Jvm.run(
            folder,
            latimer(
                "beam",
                "translate",
                "--set",
                "beem=4",
                "--input",
                feed.toString(),
                "--output",
                out.toString()));
    assertThat(beam.exitCode()).isEqualTo(1);
    assertThat(beam.err()).contains("beem", "did you mean \"beam\"?").hasLineCount(1);
    assertThat(out).doesNotExist();
  }

  @Test
  void aSignalStopsTheExpansionService() throws Exception {
    Path err = folder.resolve("err");
    ProcessBuilder service = latimer("beam", "expansion-service", "--port", "0");
    service.environment().put("LATIMER_JAVA_OPTS", "");
    Process program = service.redirectError(err.toFile()).start();
    try {
      awaitService(program, err);
      List<ProcessHandle> children = program.children().toList();
      assertThat(children).hasSize(1);
      program.destroy();
      assertThat(program.waitFor()).isEqualTo(TERMINATED);
      assertThat(children.get(0).isAlive()).isFalse();
    } finally {
      program.descendants().forEach(ProcessHandle::destroyForcibly);
      program.destroyForcibly();
    }
  }

  @Test
  void theExpansionServiceDiesWithItsParent() throws Exception {
    Path err = folder.resolve("err");
    Process program =
        latimer("beam", "expansion-service", "--port", "0").redirectError(err.toFile()).start();
    List<ProcessHandle> children = List.of();
    try {
      awaitService(program, err);
      children = program.children().toList();
      assertThat(children).hasSize(1);
      program.destroyForcibly().waitFor();
      children.get(0).onExit().get(60, TimeUnit.SECONDS);
    } finally {
      children.forEach(ProcessHandle::destroyForcibly);
      program.destroyForcibly();
    }
  }

  private static void awaitService(Process program, Path err) throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!Files.readString(err).contains("serving")) {
      assertThat(program.isAlive() && System.nanoTime() < deadline)
          .as(Files.readString(err))
          .isTrue();
      Thread.sleep(50);
    }
  }
}
