package io.latimer.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Helm chart, rendered by Helm. */
class ChartTest {
  private static final String OPERATOR = "1.16";

  @TempDir Path folder;

  @BeforeEach
  void requireHelm() {
    String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    assumeTrue(
        platform.toLowerCase(Locale.ROOT).equals("linux amd64"),
        "Helm's library is here for Linux on x86-64 only, this is " + platform);
  }

  private static TemplateCommand template() {
    return new Helm(Deploy.CHART)
        .template()
        .withName("latimer")
        .withNamespace("latimer")
        .withKubeVersion("1.30.0");
  }

  private static List<Map<String, Object>> rendered(TemplateCommand template) {
    return Deploy.documents("helm", template.call()).stream().map(Deploy::map).toList();
  }

  /** The chart with values that are written to a file. */
  private List<Map<String, Object>> rendered(String values) throws Exception {
    return rendered(
        template().withValuesFile(Files.writeString(folder.resolve("values.yaml"), values)));
  }

  private static List<Map<String, Object>> like(String overlay) {
    TemplateCommand template = template();
    if (!overlay.equals("cpu")) {
      template.withValuesFile(Deploy.CHART.resolve("values-" + overlay + ".yaml"));
    }
    if (overlay.equals("dev")) {
      template.setFile("jobFile", Deploy.KUBERNETES.resolve("overlays/dev/job.yaml"));
    }
    return rendered(template);
  }

  /** The FlinkDeployment that the chart makes. */
  static Map<String, Object> deployment(String overlay) {
    return Deploy.only(like(overlay), "FlinkDeployment");
  }

  @Test
  void passesHelmsOwnChecks() {
    LintResult result = new Helm(Deploy.CHART).lint().strict().call();
    assertThat(result.getMessages()).containsExactly("[INFO] Chart.yaml: icon is recommended");
    assertThat(result.isFailed()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void rendersOnlyFieldsThatTheirKindsKnow(String overlay) {
    assertThat(like(overlay)).flatMap(one -> ResourceSchema.problems(one, OPERATOR)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void rendersWhatTheOverlaysAre(String overlay) {
    assertThat(byName(like(overlay))).isEqualTo(byName(ManifestsTest.overlay(overlay)));
  }

  /** By kind and name, without what only Helm or only kustomize adds. */
  private static Map<String, Object> byName(List<Map<String, Object>> resources) {
    Map<String, Object> named = new TreeMap<>();
    for (Map<String, Object> resource : resources) {
      Map<String, Object> plain = Deploy.map(plain(resource));
      Map<String, Object> metadata = new LinkedHashMap<>(Deploy.map(plain.get("metadata")));
      metadata.remove("namespace");
      metadata.computeIfPresent("labels", (key, labels) -> withoutHelms(Deploy.map(labels)));
      plain.put("metadata", metadata);
      assertThat(named.put(Deploy.kind(plain) + " " + Deploy.name(plain), plain)).isNull();
    }
    return named;
  }

  private static Map<String, Object> withoutHelms(Map<String, Object> labels) {
    Map<String, Object> own = new HashMap<>(labels);
    own.keySet().removeIf(key -> key.startsWith("helm.sh/") || key.startsWith("app.kubernetes.io"));
    return own.isEmpty() ? null : own;
  }

  private static Object plain(Object value) {
    if (value instanceof Map) {
      Map<String, Object> plain = new LinkedHashMap<>();
      Deploy.map(value)
          .forEach(
              (key, part) -> {
                if (!key.equals("annotations") || Deploy.at(part, "latimer.io/files") == null) {
                  plain.put(key, plain(part));
                }
              });
      return plain;
    }
    if (value instanceof List<?> items) {
      return items.stream().map(ChartTest::plain).collect(Collectors.toList());
    }
    return value instanceof String text
        ? Pattern.compile("^(latimer-(?:job|models))-[a-z0-9]{10}$")
            .matcher(text)
            .replaceAll("$1")
            .stripTrailing()
        : value;
  }

  @Test
  void asksForEachGpuOnce() throws Exception {
    assertThat(Gpus.requests(Deploy.only(like("cpu"), "FlinkDeployment"))).isEmpty();
    Map<String, Object> gpu =
        Deploy.only(rendered("{device: gpu, gpu: {count: 2}}"), "FlinkDeployment");
    assertThat(Gpus.requests(gpu)).containsExactly("pod template: 2");
    assertThat(Gpus.ofJobManager(gpu)).isEmpty();
    assertThat(new TaskManagerPod(gpu).limits()).containsEntry(Gpus.RESOURCE, "2");
    assertThatThrownBy(
            () -> rendered("{device: gpu, flinkConfiguration: {external-resources: gpu}}"))
        .hasMessageContaining("flinkConfiguration has external-resources");
  }

  @Test
  void namesEverythingAfterTheRelease() throws Exception {
    List<Map<String, Object>> resources =
        rendered(template().withName("news").set("topics.enabled", "false"));
    assertThat(resources)
        .extracting(Deploy::name)
        .allSatisfy(n -> assertThat(n).startsWith("news"));
    Map<String, Object> deployment = Deploy.only(resources, "FlinkDeployment");
    assertThat(Deploy.at(deployment, "spec", "serviceAccount")).isEqualTo("news");
    assertThat(new TaskManagerPod(deployment).labels())
        .containsAllEntriesOf(Map.of("app", "news", "type", "flink-native-kubernetes"));
  }

  @Test
  void aChangedJobFileOrModelChangesTheDeployment() throws Exception {
    String model =
        "{sha256: " + "ab".repeat(32) + ", name: a.lmx, url: 'https://models.example/a.lmx'}";
    List<Map<String, Object>> changed = rendered("{models: [" + model + "]}");
    assertThat(annotation(changed)).isNotEqualTo(annotation(like("cpu")));
    assertThat(
            changed.stream()
                .map(one -> (String) Deploy.at(one, "data", "models.txt"))
                .filter(text -> text != null))
        .singleElement()
        .asString()
        .endsWith("\n" + "ab".repeat(32) + " a.lmx https://models.example/a.lmx\n");
    assertThat(
            annotation(
                rendered("jobFile: '{checkpoints: {directory: s3://latimer-state/checkpoints}}'")))
        .isNotEqualTo(annotation(like("cpu")));
  }

  private static Object annotation(List<Map<String, Object>> resources) {
    return Deploy.at(
        Deploy.only(resources, "FlinkDeployment"),
        "spec",
        "podTemplate",
        "metadata",
        "annotations",
        "latimer.io/files");
  }

  @Test
  void aDigestTakesThePlaceOfTheTag() throws Exception {
    String digest = "sha256:" + "ab".repeat(32);
    Map<String, Object> deployment =
        Deploy.only(
            rendered("{image: {repository: registry.example/latimer, digest: '" + digest + "'}}"),
            "FlinkDeployment");
    assertThat(Deploy.at(deployment, "spec", "image"))
        .isEqualTo("registry.example/latimer@" + digest);
  }

  @Test
  void settingsAndSchedulingOfTheUserAreAdded() throws Exception {
    Map<String, Object> deployment =
        Deploy.only(
            rendered(
                """
                device: gpu
                flinkConfiguration: {s3.endpoint: "http://minio:9000", state.backend.type: hashmap}
                taskManager:
                  nodeSelector: {gpu: h200}
                  tolerations: [{key: team, operator: Exists}]
                image: {pullSecrets: [registry]}
                """),
            "FlinkDeployment");
    assertThat(ResourceSchema.problems(deployment, OPERATOR)).isEmpty();
    assertThat(Deploy.map(Deploy.at(deployment, "spec", "flinkConfiguration")))
        .containsAllEntriesOf(FlinkSettings.OF_THE_PAGE)
        .containsEntry("s3.endpoint", "http://minio:9000")
        .containsEntry("state.backend.type", "hashmap");
    Object pod = Deploy.at(deployment, "spec", "taskManager", "podTemplate", "spec");
    assertThat(Deploy.list(Deploy.at(pod, "tolerations"))).hasSize(2);
    assertThat(Deploy.at(pod, "nodeSelector")).isEqualTo(Map.of("gpu", "h200"));
    assertThat(Deploy.at(deployment, "spec", "podTemplate", "spec", "imagePullSecrets"))
        .isEqualTo(List.of(Map.of("name", "registry")));
  }

  /** Helm reads numbers of files as floating point. */
  @Test
  void largeNumbersAreWrittenInFull() throws Exception {
    List<Map<String, Object>> resources =
        rendered(
            """
            flinkConfiguration:
              rest.client.max-content-length: 104857600
              taskmanager.memory.managed.fraction: 0.25
            topics: {list: [{name: a, partitions: 1000000, retentionMs: -1}]}
            """);
    assertThat(
            Deploy.map(
                Deploy.at(Deploy.only(resources, "FlinkDeployment"), "spec", "flinkConfiguration")))
        .containsEntry("rest.client.max-content-length", "104857600")
        .containsEntry("taskmanager.memory.managed.fraction", "0.25");
    assertThat(Deploy.at(Deploy.only(resources, "KafkaTopic"), "spec", "partitions"))
        .isEqualTo(1000000);
  }

  /** Of names that YAML would read as something else. */
  @Test
  void namesStayText() throws Exception {
    List<Map<String, Object>> resources =
        rendered(
            """
            image: {pullSecrets: ["10"]}
            kafka: {secret: "1", caSecret: "2"}
            state: {secret: "3"}
            topics: {cluster: "4"}
            serviceAccount: {name: "5"}
            networkPolicy: {operatorNamespace: "6", monitoringNamespace: "7"}
            """);
    assertThat(resources).flatMap(one -> ResourceSchema.problems(one, OPERATOR)).isEmpty();
    assertThat(resources.toString())
        .contains("strimzi.io/cluster=4", "secretName=2", "kubernetes.io/metadata.name=6");
  }

  @Test
  void namesAreThoseThatTheOperatorAccepts() throws Exception {
    for (String name : List.of("1news", "news.en")) {
      assertThatThrownBy(() -> rendered(template().withName(name)))
          .hasMessageContaining("set fullnameOverride");
    }
    String longest = "a".repeat(50);
    Files.writeString(folder.resolve("blue-green.yaml"), blueGreen("at-least-once"));
    List<Map<String, Object>> resources =
        rendered(template().withName(longest).withValuesFile(folder.resolve("blue-green.yaml")));
    // the operator adds -green, and refuses names of more than 45 characters
    String name = Deploy.name(Deploy.only(resources, "FlinkBlueGreenDeployment"));
    assertThat(name + "-green").hasSizeLessThanOrEqualTo(45);
  }

  @Test
  void otherPortsAndPeersCanBeReached() throws Exception {
    Map<String, Object> policy =
        Deploy.only(
            rendered(
                """
                networkPolicy:
                  egress:
                    - ports: [{protocol: TCP, port: 9000}]
                      to: [{namespaceSelector: {matchLabels: {name: minio}}}]
                """),
            "NetworkPolicy");
    assertThat(ResourceSchema.problems(policy, OPERATOR)).isEmpty();
    List<Object> egress = Deploy.list(Deploy.at(policy, "spec", "egress"));
    assertThat(Deploy.at(egress.get(egress.size() - 1), "ports"))
        .isEqualTo(List.of(Map.of("protocol", "TCP", "port", 9000)));
  }

  @Test
  void egressCanBeNarrowedToPeers() throws Exception {
    Map<String, Object> policy =
        Deploy.only(
            rendered(
                """
                networkPolicy:
                  kafka: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kafka}}}]
                  apiServer: [{ipBlock: {cidr: 10.0.0.1/32}}]
                  storage: [{ipBlock: {cidr: 10.1.0.0/16}}]
                """),
            "NetworkPolicy");
    assertThat(ResourceSchema.problems(policy, OPERATOR)).isEmpty();
    assertThat(Deploy.list(Deploy.at(policy, "spec", "egress")))
        .allSatisfy(rule -> assertThat(Deploy.list(Deploy.at(rule, "to"))).isNotEmpty());
    assertThat(policy.toString())
        .contains("kubernetes.io/metadata.name=kafka", "10.0.0.1/32", "10.1.0.0/16")
        .doesNotContain("strimzi.io/cluster");
  }

  /** Kubernetes evicts a pod whose volume is larger than its limit. */
  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void copiesOfIndexesStayWithinTheirVolume(String overlay) throws Exception {
    String text =
        like(overlay).stream()
            .map(one -> (String) Deploy.at(one, "data", "job.yaml"))
            .filter(file -> file != null)
            .collect(Collectors.joining());
    JobConfig job = JobConfigReader.read(Files.writeString(folder.resolve("job.yaml"), text));
    assertThat(2 * job.indexes().maxBytes())
        .isLessThanOrEqualTo(DeploymentTest.volumeOfCopies(deployment(overlay)));
  }

  @Test
  void theDisruptionBudgetKeepsAllPodsButOne() throws Exception {
    List<Map<String, Object>> resources =
        rendered("{parallelism: 7, taskManager: {slots: 2}, jobManager: {replicas: 2}}");
    assertThat(Deploy.at(Deploy.only(resources, "PodDisruptionBudget"), "spec", "minAvailable"))
        .isEqualTo(5);
  }

  @Test
  void goesBackToASavepoint() throws Exception {
    Map<String, Object> deployment =
        Deploy.only(
            rendered("{restartNonce: 2, restore: {savepoint: 's3://a/savepoint-1', nonce: 3}}"),
            "FlinkDeployment");
    assertThat(ResourceSchema.problems(deployment, OPERATOR)).isEmpty();
    assertThat(Deploy.at(deployment, "spec", "restartNonce")).isEqualTo(2);
    assertThat(Deploy.map(Deploy.at(deployment, "spec", "job")))
        .containsEntry("initialSavepointPath", "s3://a/savepoint-1")
        .containsEntry("savepointRedeployNonce", 3);
  }

  /** An operator of Prometheus may look only at resources with a label of its installation. */
  @Test
  void thePrometheusOperatorsLabelsAreAdded() throws Exception {
    List<Map<String, Object>> resources = rendered("monitoring: {labels: {release: prometheus}}");
    for (String kind : List.of("PodMonitor", "PrometheusRule")) {
      assertThat(Deploy.at(Deploy.only(resources, kind), "metadata", "labels", "release"))
          .isEqualTo("prometheus");
    }
  }

  @Test
  void refusesMoreReplicasInSyncThanThereAre() {
    assertThatThrownBy(() -> rendered("topics: {replicas: 1}"))
        .hasMessageContaining("topics.minInsyncReplicas");
  }

  @Test
  void withoutAnAccountOfItsOwnItHasTheNamespacesDefault() throws Exception {
    List<Map<String, Object>> resources = rendered("serviceAccount: {create: false}");
    assertThat(Deploy.at(Deploy.only(resources, "FlinkDeployment"), "spec", "serviceAccount"))
        .isEqualTo("default");
  }

  @Test
  void partsCanBeLeftOut() throws Exception {
    List<Map<String, Object>> least =
        rendered(
            """
            topics: {enabled: false}
            monitoring: {enabled: false}
            networkPolicy: {enabled: false}
            serviceAccount: {create: false, name: mine}
            taskManager: {serviceAccount: {create: false, name: worker}}
            disruptionBudget: {enabled: false}
            topologyKey: ""
            """);
    assertThat(least)
        .extracting(Deploy::kind)
        .containsExactlyInAnyOrder(
            "ConfigMap",
            "ConfigMap",
            "Role",
            "RoleBinding",
            "Role",
            "RoleBinding",
            "FlinkDeployment");
    assertThat(
            Deploy.at(
                new TaskManagerPod(Deploy.only(least, "FlinkDeployment")).spec(),
                "serviceAccountName"))
        .isEqualTo("worker");
    assertThat(Deploy.at(Deploy.only(least, "FlinkDeployment"), "spec", "serviceAccount"))
        .isEqualTo("mine");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.15", "1.16"})
  void deploysBlueAndGreenWithSinksThatMayRepeat(String operator) throws Exception {
    // spread by the names of both
    String values = blueGreen("at-least-once") + "topologyKey: ''\n";
    List<Map<String, Object>> resources = rendered(values);
    Map<String, Object> deployment = Deploy.only(resources, "FlinkBlueGreenDeployment");
    assertThat(ResourceSchema.problems(deployment, operator)).isEmpty();
    Map<String, Object> one = Deploy.only(rendered("topologyKey: ''"), "FlinkDeployment");
    Map<String, Object> spec =
        new LinkedHashMap<>(Deploy.map(Deploy.at(deployment, "spec", "template", "spec")));
    assertThat(spec.put("flinkVersion", "v2_3")).isEqualTo("v2_2");
    assertThat(plain(spec)).isEqualTo(plain(one.get("spec")));
    Map<String, Object> monitor = Deploy.only(resources, "PodMonitor");
    assertThat(
            Deploy.at(
                Deploy.list(Deploy.at(monitor, "spec", "selector", "matchExpressions")).get(0),
                "values"))
        .isEqualTo(List.of("latimer-blue", "latimer-green"));
    assertThat(resources).flatMap(r -> ResourceSchema.problems(r, operator)).isEmpty();
  }

  @Test
  void refusesBlueAndGreenWithTransactions() {
    assertThatThrownBy(() -> rendered(blueGreen("exactly-once")))
        .hasMessageContaining("sink sentences.de is exactly-once");
    assertThatThrownBy(() -> rendered("blueGreen: {enabled: true}"))
        .hasMessageContaining("sink sentences.de is exactly-once");
    for (String part :
        List.of(
            "stages: [{ngrams: {sinks: [{kafka: {topic: tables}}]}}]",
            "control: {topic: c, status: [{kafka: {topic: tables}}]}")) {
      String values = blueGreen("at-least-once") + "  " + part + "\n";
      assertThatThrownBy(() -> rendered(values))
          .as(part)
          .hasMessageContaining("sink tables is exactly-once");
    }
  }

  private static String blueGreen(String delivery) {
    return """
    flinkVersion: v2_2
    blueGreen: {enabled: true}
    jobFile: |
      checkpoints: {directory: "s3://latimer-state/checkpoints"}
      sinks:
        - kafka: {topic: sentences.de, delivery: %s}
        - print: {}
      dead-letters: {print: {}}
    """
        .formatted(delivery);
  }

  @Test
  void refusesAJobFileWithOtherCheckpoints() {
    assertThatThrownBy(() -> rendered("jobFile: '{name: a}'"))
        .hasMessageContaining("set it to s3://latimer-state/checkpoints");
    // the job file of the other overlays, whose checkpoints are in a bucket
    assertThatThrownBy(() -> rendered("state: {uri: file:///var/lib/latimer}"))
        .hasMessageContaining("set it to file:///var/lib/latimer/checkpoints");
    assertThatThrownBy(() -> rendered("jobFile: 'name: [a'"))
        .hasMessageContaining("jobFile is not YAML");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "device: tpu | device",
        "devices: gpu | devices",
        "gpu: {count: 0} | gpu",
        "parallelism: many | parallelism",
        "taskManager: {memory: 4} | taskManager",
        "taskManager: {memory: 4 GiB} | taskManager",
        "models: [{sha256: abc, name: a, url: 'https://a/b'}] | models",
        "models: [{name: a, url: 'https://a/b'}] | models",
        "state: {uri: s3://bucket/} | state",
        "image: {digest: latest} | image",
        "upgradeMode: fast | upgradeMode",
        "topics: {list: [{name: a}]} | topics",
        "blueGreen: {enabled: perhaps} | blueGreen",
        "fullnameOverride: news.en | fullnameOverride",
        "fullnameOverride: 1news | fullnameOverride",
        "parallelism: 40000 | parallelism",
        "kafka: {secret: -a} | kafka",
        "topics: {cluster: ''} | topics",
        "image: {pullSecrets: ['']} | image",
        "networkPolicy: {operatorNamespace: ''} | networkPolicy",
        "networkPolicy: {egress: [{port: 9000}]} | networkPolicy",
        "networkPolicy: {kafka: [{host: kafka.example}]} | networkPolicy",
        "taskManager: {serviceAccount: {create: maybe}} | taskManager",
        "topologyKey: a zone | topologyKey",
        "taskManager: {tolerations: [{keys: team}]} | taskManager",
        "taskManager: {tolerations: [{key: team, operator: Is}]} | taskManager",
        "monitoring: {labels: {release: 1}} | monitoring"
      })
  void refusesWrongValues(String values, String key) {
    assertThatThrownBy(() -> rendered(values))
        .hasMessageContaining("values don't meet the specifications of the schema")
        .hasMessageContaining(key);
  }

  @Test
  void theRunbooksOfTheAlertsCanBeElsewhere() throws Exception {
    Map<String, Object> rule =
        Deploy.only(
            rendered("monitoring: {runbooks: 'https://wiki.example/latimer'}"), "PrometheusRule");
    Object alert =
        Deploy.list(Deploy.at(Deploy.list(Deploy.at(rule, "spec", "groups")).get(0), "rules"))
            .get(0);
    assertThat(Deploy.at(alert, "annotations", "runbook_url"))
        .isEqualTo("https://wiki.example/latimer#latimermetricsmissing");
    assertThat(Deploy.at(rule, "spec", "groups").toString()).contains("{{ $labels.job_name }}");
  }
}
