package io.latimer.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.cli.Latimer;
import io.latimer.cli.Run;
import io.latimer.pipelines.flink.CheckpointFolder;
import io.latimer.pipelines.flink.SavedState;
import io.latimer.pipelines.job.JobConfigReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
class JobRunTest {
  private static final Pattern PAGE = Pattern.compile("its web page is (http\\S+)");

  @TempDir Path folder;

  /**
   * {@code flink stop} on the address that run prints, which asks for the result until there is
   * one, or a plain request, whose result nobody needs. Flink calls the job finished.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aJobThatIsStoppedThroughItsInterfaceGoesOnFromThatSavepoint(boolean asks) throws Exception {
    Files.createDirectory(folder.resolve("in"));
    String job =
        """
        name: news
        source: {files: {path: in, watch: 100ms}}
        stages: [identity]
        sinks: [files: {path: out}]
        checkpoints: {interval: 100ms, directory: state}
        """;
    Path file = Files.writeString(folder.resolve("job.yaml"), job);
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CompletableFuture<Integer> run =
        CompletableFuture.supplyAsync(
            () ->
                Latimer.run(
                    Run.terminal(
                        new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream(), err),
                    "run",
                    "--config",
                    file.toString()));
    String page = page(run, err);
    String id = ask(page + "/jobs", null).replaceAll("(?s).*\"id\":\"([0-9a-f]+)\".*", "$1");
    awaitRunning(run, page + "/jobs/" + id);
    Path target = folder.resolve("savepoints");
    String request =
        ask(
            page + "/jobs/" + id + "/stop",
            "{\"targetDirectory\": \"file://" + target + "\", \"drain\": false}");
    String trigger = request.replaceAll("(?s).*\"request-id\":\"([0-9a-f]+)\".*", "$1");
    while (asks
        && !ask(page + "/jobs/" + id + "/savepoints/" + trigger, null).contains("COMPLETED")) {
      Thread.sleep(20);
    }
    int exitCode = run.get(120, TimeUnit.SECONDS);
    String said = err.toString(StandardCharsets.UTF_8);
    assertThat(exitCode).as(said).isZero();
    assertThat(said)
        .contains("latimer: the job was stopped with savepoint file:" + target)
        .doesNotContain("the job ended");
    CheckpointFolder checkpoints =
        CheckpointFolder.of(JobConfigReader.read(job, "job.yaml", folder)).orElseThrow();
    try (SavedRuns next = new SavedRuns(checkpoints)) {
      SavedRuns.Start start = next.next();
      assertThat(start.state().map(SavedState::path).orElseThrow())
          .startsWith("file:" + target + "/savepoint-");
      assertThat(start.claimed()).isFalse();
    }
  }

  private static String page(CompletableFuture<Integer> run, ByteArrayOutputStream err)
      throws InterruptedException {
    while (!run.isDone()) {
      Matcher page = PAGE.matcher(err.toString(StandardCharsets.UTF_8));
      if (page.find()) {
        return page.group(1).replaceAll("\\.$", "");
      }
      Thread.sleep(20);
    }
    throw new AssertionError(err.toString(StandardCharsets.UTF_8));
  }

  /** Until then, Flink refuses to stop it. */
  private static void awaitRunning(CompletableFuture<Integer> run, String job) throws Exception {
    while (!ask(job, null).matches("(?s).*\"tasks\":\\{[^}]*\"RUNNING\":[1-9].*")
        || !ask(job + "/checkpoints", null).matches("(?s).*\"completed\":[1-9].*")) {
      assertThat(run.isDone()).isFalse();
      Thread.sleep(20);
    }
  }

  private static String ask(String uri, String body) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri));
    if (body != null) {
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
    return answer.body();
  }
}
