package io.latimer.e2e.chaos;

import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.e2e.JobJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The content of the container image, and the manifest that runs it. */
final class Image {
  private static final Path DEPLOY =
      Path.of(System.getProperty("latimer.root")).toAbsolutePath().resolve("deploy");

  private static final Path DASHBOARD = DEPLOY.resolve("grafana/latimer.json");

  private final Path context;
  private final Map<String, Object> spec;

  private Image(Path context) throws IOException {
    this.context = context;
    spec = map(yaml(DEPLOY.resolve("kubernetes/base/flinkdeployment.yaml")).get("spec"));
  }

  /** The image of this build; without one the test is skipped, or fails under {@code CI=true}. */
  static Image require() throws IOException {
    Path context = DEPLOY.resolve("docker/target/context");
    Path job = context.resolve("flink/usrlib/latimer.jar");
    if (Files.exists(job) && JobJar.isOfThisBuild(job)) {
      return new Image(context);
    }
    String message = "no image of this build in " + context + "; build it: mvn -Pcluster package";
    if ("true".equals(System.getenv("CI"))) {
      throw new AssertionError(message);
    }
    return abort(message);
  }

  static Map<String, Object> yaml(Path file) throws IOException {
    return map(new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file)));
  }

  /** The file of the manifests that a job's pods have. */
  static Path jobFile() {
    return DEPLOY.resolve("kubernetes/base/job.yaml");
  }

  /** The resources of the topics. */
  static List<Map<String, Object>> topics() throws IOException {
    Path file = DEPLOY.resolve("kubernetes/components/kafka-topics/topics.yaml");
    List<Map<String, Object>> topics = new ArrayList<>();
    for (Object topic :
        new Load(LoadSettings.builder().build()).loadAllFromString(Files.readString(file))) {
      topics.add(map(topic));
    }
    return topics;
  }

  /** The expressions of the dashboard and of the alerts. */
  static List<String> expressions() throws IOException {
    List<String> expressions = new ArrayList<>();
    for (JsonNode panel : new ObjectMapper().readTree(DASHBOARD.toFile()).path("panels")) {
      for (JsonNode target : panel.path("targets")) {
        expressions.add(target.path("expr").asText());
      }
    }
    for (Object group : (List<?>) yaml(DEPLOY.resolve("prometheus/alerts.yaml")).get("groups")) {
      for (Object rule : (List<?>) map(group).get("rules")) {
        expressions.add((String) map(rule).get("expr"));
      }
    }
    return expressions;
  }

  /** What is at {@code /opt/flink} in a container. */
  Path flink() {
    return context.resolve("flink");
  }

  Path entryPoint() {
    return context.resolve("docker-entrypoint.sh");
  }

  /** The settings that Flink's operator gives the cluster, with those of the resources. */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    map(spec.get("flinkConfiguration"))
        .forEach((key, value) -> settings.put(key, String.valueOf(value)));
    settings.put("jobmanager.memory.process.size", at("jobManager", "resource", "memory"));
    settings.put("taskmanager.memory.process.size", at("taskManager", "resource", "memory"));
    settings.put("parallelism.default", at("job", "parallelism"));
    return settings;
  }

  String mainClass() {
    return at("job", "entryClass");
  }

  private String at(String... keys) {
    Object found = spec;
    for (String key : keys) {
      found = map(found).get(key);
    }
    return String.valueOf(found);
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }
}
