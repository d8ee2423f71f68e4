package io.latimer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.Translate;
import io.latimer.operators.nmt.TranslateOptions;
import io.latimer.operators.nmt.Translated;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.source.SourceConfig;
import io.latimer.schemas.Translation;
import java.io.BufferedReader;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code flink run} with the job jar, on a cluster without our classes. */
@Timeout(240)
class FlinkRunTest {
  @TempDir Path folder;
  private Path jar;
  private Topics topics;
  private Process cluster;
  private String address;

  @BeforeEach
  void start() throws Exception {
    jar = JobJar.require();
    // Flink's client needs a settings folder, which may be empty
    Files.createFile(folder.resolve("config.yaml"));
    cluster =
        Jvm.program(
                FlinkAlone.classPath()
                    + File.pathSeparator
                    + Path.of(
                        FlinkAlone.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI()),
                FlinkAlone.class.getName(),
                folder.toString())
            .redirectError(folder.resolve("cluster.err").toFile())
            .start();
    topics = new Topics();
    BufferedReader out = cluster.inputReader();
    address = out.readLine();
    assertThat(address).as(Files.readString(folder.resolve("cluster.err"))).isNotNull();
  }

  @AfterEach
  void stop() throws Exception {
    if (topics != null) {
      topics.close();
    }
    if (cluster != null) {
      cluster.getOutputStream().close();
      if (!cluster.waitFor(30, TimeUnit.SECONDS)) {
        cluster.destroyForcibly().waitFor();
      }
    }
  }

  /**
   * Each job has class loaders of its own, and so its own copies of our classes and of the native
   * libraries, in one process.
   */
  @Test
  void twoJobsOfTheDemosFileRunInOneTaskManagerAtOnce() throws Exception {
    List<DemoFile> jobs = List.of(demoFile("first"), demoFile("second"));
    List<Process> clients = new ArrayList<>();
    for (DemoFile job : jobs) {
      clients.add(
          flink("run", "--detached", jar.toString(), job.file().toString())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve(job.config().name() + ".client").toFile())
              .start());
    }
    List<String> sentences = Flow.feed().subList(0, 20);
    for (int i = 0; i < jobs.size(); i++) {
      DemoFile job = jobs.get(i);
      assertThat(clients.get(i).waitFor())
          .as(Files.readString(folder.resolve(job.config().name() + ".client")))
          .isZero();
      topics.send(job.in(), 1, sentences);
    }

    List<String> expected = translated(sentences);
    for (DemoFile job : jobs) {
      List<Translation> received = Received.translations(topics.await(job.out(), sentences.size()));
      assertThat(received.stream().map(t -> t.getSource().getText()))
          .containsExactlyElementsOf(sentences);
      assertThat(received.stream().map(Translation::getText)).containsExactlyElementsOf(expected);
    }

    // neither has ended or is restarting: their sources are unbounded
    Jvm.Ended list = Jvm.run(folder, flink("list", "--running"));
    assertThat(list.exitCode()).as(list.err()).isZero();
    for (DemoFile job : jobs) {
      assertThat(list.out()).contains(job.config().name() + " (RUNNING)");
    }
  }

  /** A job file of the demo, with the topics that it names. */
  private record DemoFile(Path file, JobConfig config) {
    String in() {
      return ((SourceConfig.Kafka) config.source()).topics().get(0);
    }

    String out() {
      return ((SinkConfig.Kafka) config.sinks().get(0)).topic();
    }

    String dead() {
      return ((SinkConfig.Kafka) config.deadLetters()).topic();
    }
  }

  /** The demo's job on the test's broker. */
  private DemoFile demoFile(String name) throws Exception {
    Jvm.Ended printed =
        Jvm.run(
            folder,
            Jvm.program(
                System.getProperty("java.class.path"),
                "io.latimer.cli.Latimer",
                "demo",
                "--print-config",
                "--model",
                Flow.MODEL.toString(),
                "--bootstrap-servers",
                topics.broker().bootstrapServers()));
    assertThat(printed.exitCode()).as(printed.err()).isZero();
    Path file = Files.writeString(folder.resolve(name + ".yaml"), printed.out());
    DemoFile job = new DemoFile(file, JobConfigReader.read(file));
    topics.create(job.in(), 1);
    topics.create(job.out(), 1);
    topics.create(job.dead(), 1);
    return job;
  }

  /** Flink's command line. */
  private ProcessBuilder flink(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(command, "--jobmanager", address));
    all.addAll(List.of(arguments));
    ProcessBuilder program =
        Jvm.program(
            FlinkAlone.classPath(),
            "org.apache.flink.client.cli.CliFrontend",
            all.toArray(String[]::new));
    program.environment().put("FLINK_CONF_DIR", folder.toString());
    return program;
  }

  private static List<String> translated(List<String> sentences) {
    try (Translate translate =
        Translate.opener(TranslateOptions.DEFAULTS).open(Flow.MODEL, Device.parse("cpu"))) {
      return translate.apply(sentences).stream()
          .map(result -> ((Result.Value<Translated>) result).value().text())
          .toList();
    }
  }
}
