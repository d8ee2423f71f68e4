package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.stage.BatchStage;
import io.latimer.pipelines.stage.Stage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Savepoints that released versions have written, one folder per version in {@code
 * src/test/resources/savepoints}, are restored with the present code: batches in flight come out,
 * and tables go on. {@link #write} writes those of the present version; docs/flink.md says when.
 */
@Timeout(240)
class SavedStateTest {
  static final Path SAVEPOINTS = Path.of("src", "test", "resources", "savepoints");
  static final Path INDEXES = SAVEPOINTS.resolve("indexes").toAbsolutePath();
  private static final Path EXAMPLES =
      Path.of(System.getProperty("latimer.root"), "examples").toAbsolutePath();

  /** The version whose savepoints {@link #write} writes. */
  static final String VERSION = "0.1.0";

  private static final int RECORDS = 40;

  /** The batch, of one record, that is on the device; those before have left their stage. */
  private static final int HELD = 27;

  private static final int MOST_MILLIS = 60_000;

  /** Time between records: windows end before the savepoint. */
  private static final int PACE_MILLIS = 50;

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  /** A kind of stage: its job's stages, and what each of its records or the last table has. */
  enum Kind {
    IDENTITY("identity: {}", "\"id\":"),
    TRANSLATE(
        "translate: {model: \"" + EXAMPLES.resolve("models/tatoeba-en-de.lmx") + "\", beam: 1}",
        "\"targetLanguage\":\"de\""),
    SCORE("score: {model: \"" + INDEXES.resolve("score.llm") + "\"}", "\"log10\":"),
    PHRASES("phrases: {index: \"" + INDEXES.resolve("phrases.lpx") + "\"}", "\"indexId\":"),
    GRAMMAR_CHECK(
        "grammar-check: {grammar: \"" + INDEXES.resolve("grammar.lgx") + "\"}",
        "\"derivable\":false"),
    /** A group of stages. */
    RERANK(
        "translate: {model: \""
            + EXAMPLES.resolve("models/tatoeba-en-de.lmx")
            + "\", beam: 2, nbest: 2}, score: {model: \""
            + INDEXES.resolve("score.llm")
            + "\", of: alternatives}, rerank: {}",
        "\"rerankScore\":-"),
    NGRAMS("ngrams: {order: 2, window: 100ms, sinks: [%s]}", "\"sentences\":" + RECORDS + ","),
    ESTIMATE(
        "estimate: {folder: models, order: 2, window: 100ms, running: true, sinks: [%s]}",
        "\"sentences\":" + RECORDS + ",");

    private final String yaml;
    private final String expected;

    Kind(String yaml, String expected) {
      this.yaml = yaml;
      this.expected = expected;
    }

    boolean isTable() {
      return this == NGRAMS || this == ESTIMATE;
    }

    String folder() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Stream<Arguments> savepoints() throws IOException {
    List<Arguments> all = new ArrayList<>();
    for (String version : versions().toList()) {
      for (Kind kind : Kind.values()) {
        all.add(Arguments.of(version, kind));
      }
    }
    return all.stream();
  }

  static Stream<String> versions() throws IOException {
    try (Stream<Path> versions = Files.list(SAVEPOINTS)) {
      return versions
          .filter(path -> !path.endsWith("indexes"))
          .map(path -> path.getFileName().toString())
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("savepoints")
  void aReleasedSavepointIsRestored(String version, Kind kind) throws Exception {
    Path savepoint = SAVEPOINTS.resolve(version).resolve(kind.folder()).toAbsolutePath();
    HeldStage.reset(0);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      server.setSoTimeout(MOST_MILLIS); // a job that cannot be restored never connects
      JobConfig config =
          job(
              kind,
              server.getLocalPort(),
              "files: {path: out, format: json}",
              "files: {path: tables, format: json}");
      JobClient job = CLUSTER.restore(savepoint.toUri().toString(), config, stages(config));
      server.accept().close(); // nothing more to read
      job.getJobExecutionResult().get();
    }

    List<String> texts = Jobs.numbered(RECORDS).subList(HELD - 1, RECORDS);
    List<String> out = Jobs.lines(folder.resolve("out"));
    assertThat(out).hasSameSizeAs(texts);
    for (int i = 0; i < texts.size(); i++) {
      assertThat(out.get(i)).contains("\"text\":\"" + texts.get(i) + "\"");
    }
    if (kind.isTable()) {
      List<String> running =
          Jobs.lines(folder.resolve("tables")).stream()
              .filter(table -> table.contains("\"running\":true"))
              .toList();
      // with those that were counted before the savepoint
      assertThat(running.get(running.size() - 1)).contains(kind.expected);
    } else {
      assertThat(out).allMatch(record -> record.contains(kind.expected));
    }
  }

  /** Writes the savepoints of this version anew. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  @EnabledIfSystemProperty(named = "latimer.write-savepoints", matches = "true")
  void write(Kind kind) throws Exception {
    HeldStage.reset(HELD);
    String savepoint;
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      JobConfig config = job(kind, server.getLocalPort(), "print: {}", "print: {}");
      JobClient job = CLUSTER.start(config, stages(config));
      try (Socket socket = server.accept()) {
        for (String line : Jobs.numbered(RECORDS)) {
          socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
          TimeUnit.MILLISECONDS.sleep(PACE_MILLIS);
        }
        HeldStage.awaitBatch();
        while (CLUSTER.counter(job.getJobID(), "batches") < RECORDS) {
          TimeUnit.MILLISECONDS.sleep(PACE_MILLIS);
        }
        if (kind.isTable()) {
          // so that the savepoint has totals
          assertThat(CLUSTER.counter(job.getJobID(), "tables")).isPositive();
        }
        savepoint =
            job.triggerSavepoint(
                    folder.resolve("savepoint").toUri().toString(), SavepointFormatType.CANONICAL)
                .get();
        job.cancel().get();
        HeldStage.goOn();
        CLUSTER.awaitEnd(job.getJobID());
      }
    }
    keep(savepoint, kind.folder());
  }

  /** Replaces a savepoint of this version. */
  static void keep(String savepoint, String name) throws IOException {
    Path target = SAVEPOINTS.resolve(VERSION).resolve(name);
    FileUtils.deleteDirectory(target.toFile());
    Files.createDirectories(target.getParent());
    FileUtils.copy(
        new org.apache.flink.core.fs.Path(savepoint),
        new org.apache.flink.core.fs.Path(target.toUri()),
        false);
  }

  /** It reads from a socket, which has no state and so needs no path or broker. */
  private JobConfig job(Kind kind, int port, String sink, String tableSink) {
    String yaml =
        """
        name: saved
        source: {socket: {host: localhost, port: %d}}
        event-time: {out-of-orderness: 0s}
        batch: {max-records: 1, in-flight: %d}
        stages: [%s%s]
        sinks: [%s]
        checkpoints: {interval: 1h}
        restarts: {attempts: 0}
        """
            .formatted(
                port,
                RECORDS,
                kind.isTable() ? "identity: {}, " : "",
                kind.yaml.formatted(tableSink),
                sink);
    return JobConfigReader.read(yaml, "job.yaml", folder);
  }

  private static Stage[] stages(JobConfig config) {
    List<Stage> stages = new ArrayList<>();
    boolean holds = true; // the first of a group
    for (Stage stage : config.newStages()) {
      if (stage instanceof BatchStage batch) {
        stages.add(new HeldStage(batch, holds));
        holds = false;
      } else {
        stages.add(stage);
      }
    }
    return stages.toArray(Stage[]::new);
  }
}
