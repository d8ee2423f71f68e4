package io.latimer.e2e.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.pipelines.flink.ChaosJob;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Submits the job with {@code flink run}, and asks for it over REST. */
final class JobClient {
  private static final Pattern SUBMITTED =
      Pattern.compile("Job has been submitted with JobID ([0-9a-f]{32})");
  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** States of a job that has ended. */
  private static final List<String> ENDED = List.of("FINISHED", "FAILED", "CANCELED");

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(ANSWER).build();
  private final Path folder;
  private final FlinkCluster cluster;
  private final Path jobJar;
  private final Path stageJar;
  private final List<String> arguments;
  private String job = "";
  private int submissions;

  /**
   * A client for a job.
   *
   * @param arguments of {@link ChaosJob}
   */
  JobClient(Path folder, FlinkCluster cluster, Path jobJar, List<String> arguments)
      throws IOException {
    this.folder = folder;
    this.cluster = cluster;
    this.jobJar = jobJar;
    this.arguments = arguments;
    stageJar = Jars.write(folder.resolve("stage.jar"), List.of(ChaosJob.class, WatchedStage.class));
  }

  /**
   * Submits the job.
   *
   * @param from options that say where it goes on, such as {@code -s} with a checkpoint
   */
  void submit(List<String> from) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("org.apache.flink.client.cli.CliFrontend", "run", "--detached"));
    command.addAll(from);
    command.addAll(List.of("-C", stageJar.toUri().toString(), "-c", ChaosJob.class.getName()));
    command.add(jobJar.toString());
    command.addAll(arguments);
    ChildProcess client =
        new ChildProcess(
            "client-" + ++submissions,
            folder,
            List.of("-Xmx256m"),
            cluster.classPath(),
            Map.of("FLINK_CONF_DIR", cluster.settings().toString()),
            command);
    client.start();
    client.await();
    Matcher submitted = SUBMITTED.matcher(client.log());
    if (!submitted.find()) {
      throw new IllegalStateException("flink run did not submit the job: " + client.log());
    }
    job = submitted.group(1);
  }

  /** The job's state, such as RUNNING; empty if there is no answer. */
  String state() throws InterruptedException {
    try {
      return get("/jobs/" + job).path("state").asText();
    } catch (IOException e) {
      return "";
    }
  }

  /** Whether the job has ended. */
  boolean hasEnded() throws InterruptedException {
    return ENDED.contains(state());
  }

  /** The number of registered task managers; 0 if there is no answer. */
  int taskManagers() throws InterruptedException {
    try {
      return get("/overview").path("taskmanagers").asInt();
    } catch (IOException e) {
      return 0;
    }
  }

  /** The number of the job's tasks that run in a task manager; 0 if there is no answer. */
  int tasksIn(String taskManager) throws InterruptedException {
    int tasks = 0;
    try {
      for (JsonNode vertex : get("/jobs/" + job).path("vertices")) {
        String path = "/jobs/" + job + "/vertices/" + vertex.path("id").asText() + "/taskmanagers";
        for (JsonNode part : get(path).path("taskmanagers")) {
          if (part.path("taskmanager-id").asText().equals(taskManager)) {
            tasks += part.path("status-counts").path("RUNNING").asInt();
          }
        }
      }
    } catch (IOException e) {
      return 0;
    }
    return tasks;
  }

  /** The newest reason of a failure that the job manager knows. */
  String lastFailure() throws InterruptedException {
    try {
      JsonNode entries = get("/jobs/" + job + "/exceptions").path("exceptionHistory");
      return entries.path("entries").path(0).path("stacktrace").asText("none known");
    } catch (IOException e) {
      return "unknown, as the job manager does not answer";
    }
  }

  /** Asks the job to stop with a savepoint after it has written everything that it has read. */
  void stopDrained(Path savepoints) throws IOException, InterruptedException {
    Files.createDirectories(savepoints);
    String body =
        JSON.createObjectNode()
            .put("drain", true)
            .put("targetDirectory", savepoints.toUri().toString())
            .toString();
    send(
        HttpRequest.newBuilder(uri("/jobs/" + job + "/stop"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(uri(path)).GET());
  }

  private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(request.timeout(ANSWER).build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() >= 300) {
      throw new IOException("status " + answer.statusCode() + ": " + answer.body());
    }
    return JSON.readTree(answer.body());
  }

  private URI uri(String path) {
    return URI.create("http://" + cluster.restAddress() + path);
  }
}
