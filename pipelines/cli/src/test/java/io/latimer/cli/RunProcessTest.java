package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.latimer.kafka.EmbeddedKafka;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a running job shows of itself: sockets, files, restarts. */
final class RunProcessTest extends CommandProcess {
  @BeforeEach
  void giveAFeed() throws IOException {
    Path in = Files.createDirectory(folder.resolve("in"));
    Files.writeString(in.resolve("1"), "one\n");
  }

  private void job(String more) throws IOException {
    Files.writeString(
        folder.resolve("job.yaml"),
        """
        source:
          files: {path: in, watch: 100ms}
        stages: [ngrams: {order: 1, window: 1s, sinks: [print: {}]}]
        sinks: [print: {}]
        """
            + more);
  }

  /** The engine section names what is on the class path of the command. */
  @Test
  void rocksDbAndPrometheusAreThereAndTheWebPageShowsTheJobFile() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    job(
        """
        engine:
          state.backend.type: rocksdb
          metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory
          metrics.reporter.prom.port: %d
        """
            .formatted(port));
    start("run", "--config", "job.yaml", "--flink-ui=0");
    await(out, "one");
    assertThat(get("http://127.0.0.1:" + port + "/metrics"))
        .contains("flink_taskmanager_job_task_operator_");
    assertThat(Files.readString(folder.resolve("log"))).contains("EmbeddedRocksDBStateBackend");
    String page = Files.readString(err).replaceAll("(?s).*web page is at (\\S+)\\s.*", "$1");
    String id = get(page + "/jobs").replaceAll("(?s).*\"id\":\"([0-9a-f]+)\".*", "$1");
    assertThat(get(page + "/jobs/" + id + "/config"))
        .contains("\"source.files.watch\":\"100ms\"", "\"name\":\"latimer\"");
  }

  /** The spans of its batches go to the endpoint that the engine section names. */
  @Test
  @Timeout(2 * PATIENCE_SECONDS)
  void openTelemetryIsThere() throws Exception {
    BlockingQueue<String> posted = new LinkedBlockingQueue<>();
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext(
        "/v1/traces",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          posted.add(new String(body, StandardCharsets.ISO_8859_1));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    collector.start();
    try {
      job(
          """
          engine:
            traces.reporters: otel
            traces.reporter.otel.factory.class: org.apache.flink.traces.otel.OpenTelemetryTraceReporterFactory
            traces.reporter.otel.exporter.protocol: http
            traces.reporter.otel.exporter.endpoint: http://127.0.0.1:%d/v1/traces
          """
              .formatted(collector.getAddress().getPort()));
      Path job = folder.resolve("job.yaml");
      Files.writeString(job, Files.readString(job).replace("stages: [", "stages: [identity: {}, "));
      start("run", "--config", "job.yaml");
      String spans;
      do {
        spans = posted.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(spans).as("spans").isNotNull();
      } while (!spans.contains("Batch")); // Flink has spans of its own
    } finally {
      collector.stop(0);
    }
  }

  private static String get(String uri) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void theNextStartDeletesWhatAKilledProcessLeft() throws Exception {
    job("");
    start("run", "--config", "job.yaml");
    await(out, "one");
    process.destroyForcibly().waitFor();
    assertThat(files(temporary)).isNotEmpty();
    Files.delete(out);
    start("run", "--config", "job.yaml");
    await(out, "one");
    signal("TERM", Long.toString(process.pid()));
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(files(temporary)).isEmpty();
  }

  @Test
  void theLogIsPrivateAndNotWhereOthersCanPutALink() throws Exception {
    Path victim = Files.writeString(folder.resolve("victim"), "mine");
    String name = "latimer-" + System.getProperty("user.name") + ".log";
    Files.createSymbolicLink(temporary.resolve(name), victim);
    Path home = Files.createDirectory(folder.resolve("home"));
    job("");
    environment = Map.of("XDG_STATE_HOME", home.toString());
    log = null;
    start("run", "--config", "job.yaml");
    await(out, "one");
    assertThat(victim).hasContent("mine");
    Path written = home.resolve("latimer/latimer.log");
    assertThat(written).isNotEmptyFile();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(written)))
        .isEqualTo("rw-------");
  }

  /** The topic goes while the job runs; its broker lives. */
  @Test
  void eachRestartIsReportedWithItsReason() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start();
        Admin admin =
            Admin.create(
                Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()))) {
      kafka.createTopic("my.de", 1);
      Files.writeString(
          folder.resolve("job.yaml"),
          """
          source:
            files: {path: in, watch: 100ms}
          stages: [identity]
          sinks:
            - kafka:
                bootstrap-servers: "%s"
                topic: my.de
                delivery: at-least-once
                properties: {max.block.ms: 1000, delivery.timeout.ms: 1000, request.timeout.ms: 500, linger.ms: 0}
          restarts: {attempts: 2, delay: 300ms}
          checkpoints: {interval: 200ms}
          """
              .formatted(kafka.bootstrapServers()));
      start("run", "--config", "job.yaml");
      await(err, " is running.");
      admin.deleteTopics(List.of("my.de")).all().get();
      for (int i = 2; process.isAlive() && i < 100_000; i++) {
        Path next = Files.writeString(folder.resolve("next"), "line " + i + "\n");
        Files.move(next, folder.resolve("in/" + i));
        Thread.sleep(100); // a live feed
      }
      String missing =
          "sink kafka: Kafka at "
              + kafka.bootstrapServers()
              + " has no topic my.de; create it with 'latimer topics'";
      assertThat(Files.readString(err))
          .contains(
              "latimer: restart 1 of 2 in 0.3 s: " + missing + "\n",
              "latimer: restart 2 of 2 in 0.3 s: ",
              "latimer: the job failed: " + missing);
      assertThat(process.waitFor()).isEqualTo(1);
    }
  }
}
