package io.latimer.pipelines.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.latimer.operators.OperatorException;
import io.latimer.pipelines.flink.Cluster;
import io.latimer.pipelines.flink.Jobs;
import io.latimer.pipelines.flink.TestStage;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.schemas.Envelope;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on feeds, which fail, are stopped, and resume where they were. */
@Timeout(180)
class FeedSourceTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster();

  @TempDir Path folder;

  private static final AtomicBoolean failed = new AtomicBoolean();
  private static Path written;

  @BeforeEach
  void reset() {
    failed.set(false);
    written = folder.resolve("out");
  }

  @Test
  void aFileIsReadToItsEnd() throws Exception {
    Path file = Files.write(folder.resolve("in"), Jobs.numbered(500));
    CLUSTER.run(job(lines(file, false)));
    assertThat(Jobs.lines(out())).isEqualTo(Jobs.numbered(500));
  }

  @Test
  void linesAreTranslatedOnceThoughTheJobFails() throws Exception {
    Path file = Files.write(folder.resolve("in"), numbered(100));
    JobClient job =
        CLUSTER.start(job(lines(file, true)), new TestStage("work", FeedSourceTest::failOnce));
    await(100);
    Files.write(file, List.of("comment 100"), StandardOpenOption.APPEND);
    await(101);
    job.cancel().get();
    CLUSTER.awaitEnd(job.getJobID());
    assertThat(failed).isTrue();
    assertThat(lines()).containsExactlyInAnyOrderElementsOf(upper(numbered(101)));
  }

  /** The stage fails once behind the first checkpoint; the server has no memory of its readers. */
  @Test
  void eventsOfAServerAreTranslatedOnceThoughTheJobFailsAndIsStopped() throws Exception {
    List<String> asked = new CopyOnWriteArrayList<>();
    HttpServer server = server(asked);
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
      JobConfig config = job("{wikimedia: {url: '" + url + "', user-agent: test}}");
      JobClient job = CLUSTER.start(config, new TestStage("work", FeedSourceTest::failOnce));
      await(120);
      String savepoint =
          job.stopWithSavepoint(
                  false,
                  folder.resolve("savepoints").toUri().toString(),
                  SavepointFormatType.CANONICAL)
              .get();
      CLUSTER.awaitEnd(job.getJobID());
      int before = lines().size();
      JobClient next = CLUSTER.restore(savepoint, config, new TestStage("work", batch -> {}));
      await(before + 120);
      next.cancel().get();
      CLUSTER.awaitEnd(next.getJobID());
    } finally {
      server.stop(0);
    }
    assertThat(failed).isTrue();
    List<String> lines = lines();
    assertThat(lines).containsExactlyInAnyOrderElementsOf(upper(numbered(lines.size())));
    // not from the start
    assertThat(asked.subList(1, asked.size())).doesNotContain("");
  }

  /** Such as too little memory, which must not end the feed's thread in silence. */
  @Test
  void anErrorOfTheJvmRestartsTheJob() throws Exception {
    InputStream before = System.in;
    System.setIn(new FailingInput());
    try {
      JobClient job = CLUSTER.start(job("stdin"));
      CLUSTER.awaitEnd(job.getJobID());
      assertThat(CLUSTER.restarts(job.getJobID())).isEqualTo(1);
      assertThat(Jobs.lines(out())).contains("behind the error");
    } finally {
      System.setIn(before);
    }
  }

  /** An error, and a line behind it. */
  private static final class FailingInput extends InputStream {
    private final InputStream rest =
        new ByteArrayInputStream("behind the error\n".getBytes(StandardCharsets.UTF_8));
    private boolean thrown;

    @Override
    public int read() throws IOException {
      return rest.read();
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      if (!thrown) {
        thrown = true;
        throw new OutOfMemoryError("as the test wants");
      }
      return rest.read(bytes, from, length);
    }
  }

  @Test
  void aStateOfAnotherFeedAndAnErrorForGoodEndTheJobAtOnce() throws Exception {
    Path file = Files.write(folder.resolve("in"), Jobs.numbered(10));
    JobConfig config = job(lines(file, true));
    JobClient job = CLUSTER.start(config, new TestStage("work", batch -> {}));
    await(10);
    String savepoint =
        job.stopWithSavepoint(
                false,
                folder.resolve("savepoints").toUri().toString(),
                SavepointFormatType.CANONICAL)
            .get();
    JobClient other =
        CLUSTER.restore(
            savepoint,
            job(lines(folder.resolve("other"), true)),
            new TestStage("work", batch -> {}));
    assertThat(CLUSTER.awaitFailure(other.getJobID(), 0))
        .hasStackTraceContaining("the position belongs to the feed lines " + file);
    JobClient missing = CLUSTER.start(job(lines(folder.resolve("none"), false)));
    assertThat(CLUSTER.awaitFailure(missing.getJobID(), 0))
        .hasStackTraceContaining("none cannot be read: no such file");
  }

  /** Fails once, when what came before is committed. */
  private static void failOnce(List<Envelope> batch) throws InterruptedException {
    boolean late = batch.stream().anyMatch(e -> e.getSentence().getText().equals("comment 60"));
    if (late && !failed.get()) {
      Instant end = Instant.now().plusSeconds(60);
      while (lines().size() < 30 && Instant.now().isBefore(end)) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      failed.set(true);
      throw new OperatorException("as the test wants");
    }
  }

  /** Each connection sends 40 events, slowly, and breaks off within the next. */
  private static HttpServer server(List<String> asked) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext(
        "/",
        exchange -> {
          String id = exchange.getRequestHeaders().getFirst("Last-Event-ID");
          asked.add(id == null ? "" : id);
          int first = id == null ? 0 : Integer.parseInt(id) + 1;
          exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
          exchange.sendResponseHeaders(200, 0);
          try (exchange;
              OutputStream out = exchange.getResponseBody()) {
            out.write("retry: 10\n\n".getBytes(StandardCharsets.UTF_8));
            for (int i = first; i < first + 40; i++) {
              out.write(
                  ("id: " + i + "\ndata: {\"comment\":\"comment " + i + "\"}\n\n")
                      .getBytes(StandardCharsets.UTF_8));
              out.flush();
              TimeUnit.MILLISECONDS.sleep(10);
            }
            out.write("id: 100000\ndata: {\"comm".getBytes(StandardCharsets.UTF_8));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    server.start();
    return server;
  }

  private static List<String> numbered(int count) {
    return IntStream.range(0, count).mapToObj(i -> "comment " + i).toList();
  }

  private static List<String> upper(List<String> lines) {
    return lines.stream().map(line -> line.toUpperCase(Locale.ROOT)).toList();
  }

  private JobConfig job(String feed) {
    return Jobs.job("feed: {from: " + feed + ", give-up: 1min}", Jobs.text(out()), Jobs.FAIL);
  }

  private static String lines(Path file, boolean follow) {
    return "{lines: {path: '" + file + "', follow: " + follow + "}}";
  }

  private void await(int lines) throws InterruptedException {
    Instant end = Instant.now().plusSeconds(60);
    while (lines().size() < lines && Instant.now().isBefore(end)) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** What is committed; a file may be renamed while the folder is read. */
  private static List<String> lines() {
    while (true) {
      try {
        return Jobs.lines(written);
      } catch (UncheckedIOException e) {
        Thread.onSpinWait();
      }
    }
  }

  private Path out() {
    return written;
  }
}
