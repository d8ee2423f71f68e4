package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRefs;
import io.latimer.operators.index.NotAnIndexException;
import io.latimer.pipelines.flink.state.FlinkFiles;
import io.latimer.pipelines.index.IndexSource;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whole jobs whose models are on a server, or in one of Flink's file systems. */
@Timeout(240)
class RemoteIndexTest {
  private static final Path MODEL =
      Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");

  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;
  private final AtomicInteger requests = new AtomicInteger();
  private HttpServer server;

  @BeforeEach
  void serve() throws IOException {
    byte[] model = Files.readAllBytes(MODEL);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          boolean found = exchange.getRequestURI().getPath().equals("/model.lmx");
          exchange.sendResponseHeaders(found ? 200 : 404, found ? model.length : -1);
          if (found) {
            exchange.getResponseBody().write(model);
          }
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private String address(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  private JobConfig job(String model, String sha256, String out) {
    return JobConfigReader.read(
        """
        source: {list: {lines: ['I came here alone.', 'Thank you very much.']}}
        stages: [{translate: {model: '%s', sha256: '%s', beam: 1}}]
        sinks: [{files: {path: %s, format: text}}]
        parallelism: 2
        indexes: {directory: copies}
        """
            .formatted(model, sha256, out),
        "job.yaml",
        folder);
  }

  private List<String> translated(String model, String sha256, String out) throws Exception {
    CLUSTER.run(job(model, sha256, out));
    List<String> lines = Jobs.lines(folder.resolve(out));
    assertThat(lines).hasSize(2).doesNotContain("I came here alone.", "Thank you very much.");
    return lines.stream().sorted().toList();
  }

  @Test
  void aModelElsewhereTranslatesLikeALocalOneAndIsFetchedOnce() throws Exception {
    String sha256 = IndexRefs.of(MODEL).sha256();
    List<String> expected = translated(MODEL.toString(), "", "local");
    assertThat(translated(address("/model.lmx"), sha256, "http")).isEqualTo(expected);
    assertThat(requests).hasValue(1);

    Path elsewhere = Files.copy(MODEL, folder.resolve("the model.lmx"));
    int before = RemoteFiles.OPENED.get();
    String remote = "remote://" + elsewhere.toUri().getRawPath();
    assertThat(translated(remote, "", "remote")).isEqualTo(expected);
    assertThat(RemoteFiles.OPENED.get() - before).as("only to know its content").isEqualTo(1);
    assertThat(translated(remote, sha256, "pinned")).isEqualTo(expected);
    assertThat(RemoteFiles.OPENED.get() - before).isEqualTo(1);
  }

  @Test
  void aModelThatIsMissingEndsTheJobByNameBeforeARecordIsProcessed() throws Exception {
    JobConfig job = job(address("/no.lmx"), "0".repeat(64), "out");
    Throwable failure = CLUSTER.awaitFailure(CLUSTER.start(job).getJobID(), 0);
    assertThat(ExceptionUtils.stringifyException(failure))
        .contains("stage translate: " + address("/no.lmx") + " does not exist (HTTP 404)");
    assertThat(Jobs.files(folder.resolve("out"))).isEmpty();
  }

  @Test
  void aModelThatWasAlteredSinceTheJobWasBuiltEndsItByName() throws Exception {
    Path file = Files.copy(MODEL, folder.resolve("model.lmx"));
    StreamExecutionEnvironment env = CLUSTER.environment(job("remote://" + file, "", "out"));
    Files.writeString(file, "something else");
    String sha256 = IndexRefs.of(MODEL).sha256();
    Files.delete(folder.resolve("copies").resolve(sha256)); // as on another machine
    Throwable failure = CLUSTER.awaitFailure(env.executeAsync().getJobID(), 0);
    assertThat(ExceptionUtils.stringifyException(failure))
        .contains("stage translate: remote://" + file + " is not the file that was referred to")
        .contains(sha256);
    assertThat(Jobs.files(folder.resolve("out"))).isEmpty();
  }

  @Test
  void whatFlinkCannotReadFailsByName() throws Exception {
    FlinkFiles files = new FlinkFiles();
    assertThatThrownBy(() -> files.open(URI.create("remote://" + folder + "/none")))
        .isInstanceOf(NotAnIndexException.class)
        .hasMessage("remote://" + folder + "/none does not exist");
    assertThatThrownBy(() -> files.open(URI.create("remote://" + folder)))
        .isInstanceOf(NotAnIndexException.class)
        .hasMessageContaining("is a folder");
    assertThatThrownBy(() -> files.open(URI.create("nowhere://a/b")))
        .isInstanceOf(IndexFormatException.class)
        .hasMessageContaining("nowhere://a/b: Flink has no file system for nowhere:")
        .hasMessageContaining("plugin");
    try (IndexSource.Content content = files.open(MODEL.toUri())) {
      assertThat(content.length()).isEqualTo(Files.size(MODEL));
    }
  }
}
