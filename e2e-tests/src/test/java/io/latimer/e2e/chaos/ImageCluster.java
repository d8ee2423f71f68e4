package io.latimer.e2e.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The processes of an application cluster, started by the scripts of the image with the settings of
 * the manifests: a job manager and two task managers on loopback, and ZooKeeper in the place of
 * Kubernetes.
 */
final class ImageCluster implements AutoCloseable {
  private static final int METRICS_PORTS = 20;
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final String BUCKET = "s3://latimer-state";

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(ANSWER).build();
  private final Path folder;
  private final Image image;
  private final Path jobFile;
  private final Map<String, String> secrets;
  private final Path agent;
  private final int restPort = FlinkCluster.freePort();
  private final int metricsPort = FlinkCluster.freePort();
  private final int zooKeeperPort = FlinkCluster.freePort();
  private final ChildProcess zooKeeper;
  private final List<ChildProcess> taskManagers = new ArrayList<>();
  private ChildProcess jobManager;
  private int generation;

  /**
   * Starts what takes the place of Kubernetes.
   *
   * @param secrets environment variables that pods have from secrets
   */
  ImageCluster(Path folder, Image image, Path jobFile, Map<String, String> secrets)
      throws IOException {
    this.secrets = secrets;
    this.folder = folder;
    this.image = image;
    this.jobFile = jobFile;
    agent = Jars.writeAgent(folder.resolve("agent.jar"), DiesWithParent.class);
    try (Stream<Path> jars = Files.list(image.flink().resolve("lib"))) {
      String classPath = jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
      zooKeeper =
          FlinkCluster.zooKeeper(folder, classPath + File.pathSeparator + agent, zooKeeperPort);
    }
    zooKeeper.start();
  }

  /** The folder that takes the place of the bucket. */
  Path state() {
    return folder.resolve("state");
  }

  /**
   * The settings that differ from the manifest's, because they name what a host of its own, a
   * bucket or Kubernetes would have.
   */
  private Map<String, String> replaced() {
    Map<String, String> replaced = new LinkedHashMap<>();
    image
        .settings()
        .forEach(
            (key, value) -> {
              if (value.startsWith(BUCKET)) {
                replaced.put(key, value.replace(BUCKET, state().toUri().toString()));
              }
            });
    String host = FlinkCluster.HOST;
    replaced.putAll(
        Map.of(
            "high-availability.type",
            "zookeeper",
            "high-availability.zookeeper.quorum",
            host + ":" + zooKeeperPort,
            "high-availability.cluster-id",
            "/image-" + generation,
            "metrics.reporter.prom.port",
            metricsPort + "-" + (metricsPort + METRICS_PORTS),
            "jobmanager.rpc.address",
            host,
            "jobmanager.bind-host",
            host,
            "rest.address",
            host,
            "rest.bind-address",
            host,
            "rest.port",
            Integer.toString(restPort)));
    replaced.put("taskmanager.host", host);
    replaced.put("taskmanager.bind-host", host);
    // on both task managers, which two subtasks would not need
    replaced.put("parallelism.default", "4");
    return replaced;
  }

  /**
   * Starts a job manager with the job, and two task managers.
   *
   * @param from options that say where the job goes on, such as {@code --fromSavepoint}
   */
  void start(List<String> from) throws IOException {
    generation++;
    Map<String, String> settings = new LinkedHashMap<>(image.settings());
    settings.keySet().removeIf(key -> key.startsWith("kubernetes."));
    settings.putAll(replaced());
    Path conf = Files.createDirectories(folder.resolve("conf-" + generation));
    ObjectMapper json = new ObjectMapper();
    List<String> lines = new ArrayList<>();
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      lines.add(setting.getKey() + ": " + json.writeValueAsString(setting.getValue()));
    }
    Files.write(conf.resolve("config.yaml"), lines);
    Files.copy(
        image.flink().resolve("conf/log4j-console.properties"),
        conf.resolve("log4j-console.properties"),
        StandardCopyOption.REPLACE_EXISTING);
    List<String> job = new ArrayList<>(List.of("standalone-job", "--job-classname"));
    job.add(image.mainClass());
    job.addAll(from);
    job.add(jobFile.toString());
    jobManager = process("job-manager-" + generation, conf, job);
    jobManager.start();
    taskManagers.clear();
    for (int i = 1; i <= 2; i++) {
      taskManagers.add(
          process("task-manager-" + generation + "-" + i, conf, List.of("taskmanager")));
      taskManagers.get(i - 1).start();
    }
  }

  /** A process as a container of the image has it; it ends with this JVM. */
  private ChildProcess process(String name, Path conf, List<String> arguments) throws IOException {
    Map<String, String> environment = new HashMap<>(secrets);
    environment.put("FLINK_HOME", image.flink().toString());
    environment.put("FLINK_CONF_DIR", conf.toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("MALLOC_ARENA_MAX", "2");
    return new ChildProcess(
        name,
        folder,
        environment,
        temporary -> {
          List<String> command = new ArrayList<>();
          String options = "-javaagent:" + agent + " -Djava.io.tmpdir=" + temporary;
          command.addAll(List.of("env", "JVM_ARGS=" + options, image.entryPoint().toString()));
          command.addAll(arguments);
          return command;
        });
  }

  ChildProcess jobManager() {
    return jobManager;
  }

  List<ChildProcess> taskManagers() {
    return List.copyOf(taskManagers);
  }

  /** The job's id, or none while there is no job. */
  String job() throws InterruptedException {
    try {
      return new ObjectMapper().readTree(get("/jobs")).at("/jobs/0/id").asText();
    } catch (IOException e) {
      return "";
    }
  }

  /**
   * Stops the job with a savepoint. Its job manager ends then, by itself.
   *
   * @return the savepoint's URI
   */
  String stop() throws IOException, InterruptedException {
    String path = "/jobs/" + job();
    HttpRequest request =
        HttpRequest.newBuilder(rest(path + "/stop"))
            .timeout(ANSWER)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .build();
    HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 202) {
      throw new IOException("the job manager does not stop the job: " + answer.body());
    }
    ObjectMapper json = new ObjectMapper();
    path += "/savepoints/" + json.readTree(answer.body()).path("request-id").asText();
    // the job manager waits for minutes until someone has asked for the result
    JsonNode state;
    do {
      Thread.sleep(50);
      state = json.readTree(get(path));
    } while (!state.at("/status/id").asText().equals("COMPLETED"));
    if (!state.at("/operation/location").isTextual()) {
      throw new IOException("the job did not stop: " + state);
    }
    return state.at("/operation/location").asText();
  }

  /** The metrics of all processes, as Prometheus reads them. */
  String metrics() throws InterruptedException {
    StringBuilder all = new StringBuilder();
    for (int port = metricsPort; port <= metricsPort + METRICS_PORTS; port++) {
      try {
        all.append(get(URI.create("http://" + FlinkCluster.HOST + ":" + port + "/metrics")));
      } catch (IOException e) {
        // no process has this port
      }
    }
    return all.toString();
  }

  private URI rest(String path) {
    return URI.create("http://" + FlinkCluster.HOST + ":" + restPort + path);
  }

  private String get(String path) throws IOException, InterruptedException {
    return get(rest(path));
  }

  private String get(URI address) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(address).timeout(ANSWER).GET().build();
    HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException("status " + answer.statusCode() + " from " + address);
    }
    return answer.body();
  }

  /** Kills all processes. */
  @Override
  public void close() {
    taskManagers.forEach(ChildProcess::kill);
    if (jobManager != null) {
      jobManager.kill();
    }
    zooKeeper.kill();
  }
}
