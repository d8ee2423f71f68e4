package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.schemas.Header;
import io.latimer.schemas.Sentence;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.traces.otel.OpenTelemetryTraceReporterFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The spans of a running job, as an OpenTelemetry collector receives them. */
@Timeout(180)
class OpenTelemetryTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  /** What was posted: protobuf, in which texts are as they are. */
  private static final Queue<String> POSTED = new ConcurrentLinkedQueue<>();

  private static final HttpServer COLLECTOR = collector();

  @RegisterExtension
  static final Cluster CLUSTER =
      new Cluster(
          Map.of(
              "traces.reporters",
              "otel",
              "traces.reporter.otel.factory.class",
              OpenTelemetryTraceReporterFactory.class.getName(),
              "traces.reporter.otel.exporter.protocol",
              "http",
              "traces.reporter.otel.exporter.endpoint",
              "http://127.0.0.1:" + COLLECTOR.getAddress().getPort() + "/v1/traces"));

  @TempDir Path folder;

  private static HttpServer collector() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/v1/traces", OpenTelemetryTest::receive);
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void receive(HttpExchange exchange) throws IOException {
    POSTED.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
    exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  @AfterAll
  static void stop() {
    COLLECTOR.stop(0);
  }

  @Test
  void spansOfBatchesReachTheEndpoint() throws Exception {
    Path in = folder.resolve("in.avro");
    ByteBuffer parent =
        ByteBuffer.wrap(
            ("00-" + TRACE + "-00f067aa0ba902b7-01").getBytes(StandardCharsets.ISO_8859_1));
    try (DataFileWriter<Sentence> writer =
        new DataFileWriter<>(new SpecificDatumWriter<>(Sentence.class))) {
      writer.create(Sentence.getClassSchema(), in.toFile());
      writer.append(
          new Sentence(
              "sampled-7",
              "news",
              "",
              "text",
              Instant.now(),
              List.of(new Header("traceparent", parent)),
              List.of()));
    }
    String yaml =
        """
        name: traced
        source: {files: {path: '%s', watch: 100ms}}
        stages: [{identity: {}}]
        sinks: [{files: {path: out}}]
        """
            .formatted(in);
    JobClient job = CLUSTER.start(JobConfigReader.read(yaml, "job.yaml", folder));
    try {
      String batch;
      do {
        TimeUnit.MILLISECONDS.sleep(100);
        batch = POSTED.stream().filter(posted -> posted.contains("Batch")).findFirst().orElse("");
      } while (batch.isEmpty());
      assertThat(batch)
          .contains("Batch", "Stage", "Record", "identity", "sampled-7", TRACE)
          .contains("job_name", "traced", "operator_name");
    } finally {
      job.cancel().get();
      CLUSTER.awaitEnd(job.getJobID());
    }
  }
}
