package io.latimer.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard and the alerts. */
class MonitoringTest {
  /** Metrics of Flink and its Kafka source, which ClusterTest finds in a cluster. */
  private static final Set<String> OF_FLINK =
      Set.of(
          "flink_jobmanager_numRunningJobs",
          "flink_jobmanager_job_allSubTasksRunningOrFinishedTime",
          "flink_jobmanager_job_numRestarts",
          "flink_jobmanager_job_numberOfFailedCheckpoints",
          "flink_jobmanager_job_lastCheckpointDuration",
          "flink_jobmanager_job_lastCheckpointFullSize",
          "flink_taskmanager_job_task_backPressuredTimeMsPerSecond",
          "flink_taskmanager_job_task_operator_pendingRecords");

  /** Labels that each metric has: from Flink, and from Prometheus. */
  private static final Set<String> LABELS =
      Set.of("job", "job_name", "operator_name", "task_name", "subtask_index", "host", "namespace");

  private static final Pattern METRIC = Pattern.compile("\\bflink_\\w+");
  private static final Path ALERTS = Deploy.FOLDER.resolve("prometheus/alerts.yaml");
  private static final Path DASHBOARD = Deploy.FOLDER.resolve("grafana/latimer.json");

  @TempDir Path folder;

  /** The labels of each metric of Latimer, from docs/metrics.md. */
  private static Map<String, Set<String>> documented() {
    Map<String, Set<String>> metrics = new HashMap<>();
    for (String line : Deploy.read(Deploy.ROOT.resolve("docs/metrics.md")).lines().toList()) {
      String[] cells = line.split(" *\\| *", -1);
      if (cells.length == 8 && cells[6].startsWith("`flink_")) {
        String name = cells[6].replace("`", "");
        Set<String> labels = metrics.computeIfAbsent(name, one -> new HashSet<>(LABELS));
        Stream.of(cells[2].replace("`", "").split(", *"))
            .filter(label -> !label.isEmpty())
            .forEach(labels::add);
        if (cells[3].equals("histogram")) {
          labels.add("quantile");
          metrics.put(name + "_count", labels);
        }
      }
    }
    return metrics;
  }

  /** All expressions, by the panel or the alert that has them. */
  private static Map<String, String> expressions() throws IOException {
    Map<String, String> expressions = new LinkedHashMap<>();
    for (JsonNode panel : dashboard().path("panels")) {
      for (JsonNode target : panel.path("targets")) {
        expressions.put(
            panel.path("title").asText() + " " + target.path("refId").asText(),
            target.path("expr").asText());
      }
    }
    for (Object rule : alerts()) {
      expressions.put((String) Deploy.at(rule, "alert"), (String) Deploy.at(rule, "expr"));
    }
    return expressions;
  }

  private static JsonNode dashboard() throws IOException {
    return new ObjectMapper().readTree(Deploy.read(DASHBOARD));
  }

  private static List<Object> alerts() {
    return Deploy.list(Deploy.document(ALERTS).get("groups")).stream()
        .flatMap(group -> Deploy.list(Deploy.at(group, "rules")).stream())
        .toList();
  }

  @Test
  void useOnlyMetricsThatExistWithTheirLabels() throws Exception {
    Map<String, Set<String>> documented = documented();
    assertThat(documented).hasSizeGreaterThan(30);
    OF_FLINK.forEach(name -> documented.put(name, LABELS));
    expressions()
        .forEach(
            (where, expression) -> {
              Set<String> labels = new HashSet<>();
              List<String> metrics =
                  METRIC.matcher(expression).results().map(MatchResult::group).toList();
              assertThat(metrics).as(where).isNotEmpty();
              for (String metric : metrics) {
                assertThat(documented).as(where).containsKey(metric);
                labels.addAll(documented.get(metric));
              }
              assertThat(labels).as(where).containsAll(labelsIn(expression));
            });
  }

  private static Set<String> labelsIn(String expression) {
    Set<String> labels = new HashSet<>();
    Pattern.compile("by \\(([^)]*)\\)")
        .matcher(expression)
        .results()
        .forEach(found -> labels.addAll(List.of(found.group(1).split(", *"))));
    Pattern.compile("(\\w+)=~?\"")
        .matcher(expression)
        .results()
        .forEach(found -> labels.add(found.group(1)));
    return labels;
  }

  /** A Prometheus may watch other Flink clusters as well. */
  @Test
  void theAlertsAreOfLatimerOnly() {
    for (Object rule : alerts()) {
      assertThat((String) Deploy.at(rule, "expr"))
          .as((String) Deploy.at(rule, "alert"))
          .doesNotContainPattern(METRIC.pattern() + "(?!\\w|\\{job=\"latimer\")");
    }
    Map<String, Object> compose = Deploy.document(Deploy.DOCKER.resolve("compose/prometheus.yml"));
    assertThat(Deploy.list(compose.get("scrape_configs")))
        .extracting(one -> Deploy.at(one, "job_name"))
        .containsExactly("latimer");
  }

  @Test
  void showWhatOperatorsWatch() throws Exception {
    String all = String.join("\n", expressions().values());
    assertThat(all)
        .contains("_ingestionTimeLatency_count", "_tokensPerSecond", "_ingestionTimeLatency{")
        .contains("_batchSize", "_fill_batches", "_gpuMemoryUsed", "_kernelTime")
        .contains("_pendingRecords", "_watermarkLag", "_reason_deadLetters", "_indexInfo");
  }

  @Test
  void theDashboardHasPanelsThatDoNotOverlap() throws Exception {
    Set<Integer> ids = new HashSet<>();
    Set<String> cells = new HashSet<>();
    for (JsonNode panel : dashboard().path("panels")) {
      String title = panel.path("title").asText();
      assertThat(ids.add(panel.path("id").asInt())).as(title).isTrue();
      JsonNode place = panel.path("gridPos");
      for (int x = 0; x < place.path("w").asInt(); x++) {
        for (int y = 0; y < place.path("h").asInt(); y++) {
          int column = place.path("x").asInt() + x;
          assertThat(column).as(title).isLessThan(24);
          assertThat(cells.add(column + "," + (place.path("y").asInt() + y))).as(title).isTrue();
        }
      }
      if (!panel.path("type").asText().equals("row")) {
        assertThat(panel.path("description").asText()).as(title).endsWith(".");
        assertThat(panel.at("/datasource/uid").asText()).as(title).isEqualTo("${datasource}");
      }
    }
  }

  @Test
  void eachAlertHasASeverityAndARunbook() {
    Set<String> headings =
        Deploy.read(Deploy.FOLDER.resolve("README.md"))
            .lines()
            .filter(line -> line.matches("#+ .*"))
            .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
            .map(heading -> heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
            .collect(Collectors.toSet());
    for (Object rule : alerts()) {
      String name = (String) Deploy.at(rule, "alert");
      assertThat(Deploy.at(rule, "labels", "severity")).as(name).isIn("warning", "critical");
      assertThat((String) Deploy.at(rule, "annotations", "summary")).as(name).endsWith(".");
      String[] runbook = ((String) Deploy.at(rule, "annotations", "runbook_url")).split("#", 2);
      assertThat(runbook[0]).as(name).isEqualTo("deploy/README.md");
      assertThat(runbook[1]).isEqualTo(name.toLowerCase(Locale.ROOT));
      assertThat(headings).contains(runbook[1]);
    }
  }

  @Test
  void eachAlertIsTested() {
    Set<String> fired = new HashSet<>();
    for (Object test :
        Deploy.list(
            Deploy.document(Deploy.FOLDER.resolve("prometheus/alerts_test.yaml")).get("tests"))) {
      for (Object one : Deploy.list(Deploy.at(test, "alert_rule_test"))) {
        if (Deploy.at(one, "exp_alerts") != null) {
          fired.add((String) Deploy.at(one, "alertname"));
        }
      }
    }
    assertThat(alerts()).extracting(rule -> Deploy.at(rule, "alert")).hasSameElementsAs(fired);
  }

  @Test
  void theAlertsFireAsTheirTestsSay() throws Exception {
    List<String> command = List.of("promtool", "test", "rules", "alerts_test.yaml");
    Shell tested;
    try {
      tested = Shell.run(Map.of(), ALERTS.getParent(), command);
    } catch (IOException e) {
      assumeTrue(false, "no promtool on the PATH (Debian: prometheus): " + e.getMessage());
      return;
    }
    assertThat(tested.status()).as(tested.output()).isZero();
  }

  @Test
  void theCopiesAreThoseOfTheSyncScript() throws Exception {
    List<String> files =
        List.of(
            "sync.sh",
            "prometheus/alerts.yaml",
            "prometheus/prometheusrule.yaml",
            "grafana/latimer.json",
            "docker/flink/conf/log4j-console.properties",
            "kubernetes/base/job.yaml",
            "kubernetes/overlays/gpu/job.yaml",
            "helm/latimer/files/alerts.yaml",
            "helm/latimer/files/latimer.json",
            "helm/latimer/files/log4j-console.properties",
            "helm/latimer/files/job-cpu.yaml",
            "helm/latimer/files/job-gpu.yaml");
    List<String> made = new ArrayList<>();
    for (String file : files) {
      Path copy = folder.resolve(file);
      Files.createDirectories(copy.getParent());
      if (file.contains("files") || file.endsWith("rule.yaml")) {
        made.add(file);
      } else {
        Files.copy(Deploy.FOLDER.resolve(file), copy);
      }
    }
    assertThat(Shell.run(Map.of(), folder, List.of("sh", "sync.sh"))).isEqualTo(new Shell(0, ""));
    for (String file : made) {
      assertThat(Deploy.FOLDER.resolve(file))
          .as("made by deploy/sync.sh: run it")
          .hasSameTextualContentAs(folder.resolve(file));
    }
  }
}
