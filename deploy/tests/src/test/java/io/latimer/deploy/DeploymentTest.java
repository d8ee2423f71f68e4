package io.latimer.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.flink.ClusterSettings;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.sink.SinkConfig;
import io.latimer.pipelines.source.SourceConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The FlinkDeployments of the overlays: settings, job files, pods. */
class DeploymentTest {
  @TempDir Path folder;

  private static Map<String, Object> deployment(String overlay) {
    return Deploy.only(ManifestsTest.overlay(overlay), "FlinkDeployment");
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void haveOnlySettingsThatFlinkKnows(String overlay) {
    assertThat(FlinkSettings.problems(FlinkSettings.of(deployment(overlay)))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void showFlinksPageOnlyToBeLookedAt(String overlay) {
    assertThat(FlinkSettings.of(deployment(overlay)).toMap())
        .containsAllEntriesOf(FlinkSettings.OF_THE_PAGE);
  }

  @Test
  void haveOnTheCpuTheSettingsThatClusterTestBoots() {
    Path base = Deploy.KUBERNETES.resolve("base/flinkdeployment.yaml");
    for (String part : List.of("flinkConfiguration", "job", "jobManager", "taskManager")) {
      assertThat(Deploy.at(deployment("cpu"), "spec", part))
          .isEqualTo(Deploy.at(Deploy.document(base), "spec", part));
    }
  }

  @Test
  void unknownSettingsAndValuesAreFound() {
    Map<String, String> wrong =
        Map.of(
            "execution.checkpointing.directory", "s3://a/b",
            "taskmanager.memory.managed.fraction", "half",
            "kubernetes.operator.savepoints", "1");
    assertThat(FlinkSettings.problems(Configuration.fromMap(wrong))).hasSize(3);
  }

  /** The job as the cluster runs it, with the file that is mounted into its pods. */
  private JobConfig job(String overlay) throws Exception {
    List<Map<String, Object>> resources = ManifestsTest.overlay(overlay);
    Map<String, Object> deployment = Deploy.only(resources, "FlinkDeployment");
    String text =
        resources.stream()
            .map(one -> (String) Deploy.at(one, "data", "job.yaml"))
            .filter(file -> file != null)
            .collect(Collectors.joining());
    Path file = Files.writeString(folder.resolve("job.yaml"), text);
    Configuration settings = FlinkSettings.of(deployment);
    Object parallelism = Deploy.at(deployment, "spec", "job", "parallelism");
    settings.set(CoreOptions.DEFAULT_PARALLELISM, (Integer) parallelism);
    return ClusterSettings.applied(JobConfigReader.read(file), settings);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void keepCheckpointsWhereTheOperatorLooksForThem(String overlay) throws Exception {
    assertThat(job(overlay).checkpoints().directory())
        .isEqualTo(
            FlinkSettings.of(deployment(overlay)).get(CheckpointingOptions.CHECKPOINTS_DIRECTORY));
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void haveSlotsAndPartitionsForTheirParallelism(String overlay) throws Exception {
    JobConfig job = job(overlay);
    int slots = FlinkSettings.of(deployment(overlay)).get(TaskManagerOptions.NUM_TASK_SLOTS);
    assertThat(job.parallelism() % slots).as("idle slots").isZero();
    SourceConfig.Kafka source = (SourceConfig.Kafka) job.source();
    for (String topic : source.topics()) {
      assertThat((Integer) Deploy.at(topic(overlay, topic), "spec", "partitions"))
          .isGreaterThanOrEqualTo(job.parallelism());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void createTheTopicsThatTheJobNames(String overlay) throws Exception {
    JobConfig job = job(overlay);
    Set<String> named = new TreeSet<>(((SourceConfig.Kafka) job.source()).topics());
    for (SinkConfig sink : job.allSinks()) {
      named.add(((SinkConfig.Kafka) sink).topic());
    }
    named.add(job.control().topic());
    // without a topic of statuses, the command line cannot control the job
    assertThat(job.control().status()).hasSize(1);
    Set<String> created =
        ManifestsTest.overlay(overlay).stream()
            .filter(one -> "KafkaTopic".equals(Deploy.kind(one)))
            .map(Deploy::name)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(created).isEqualTo(named);
    assertThat(Deploy.at(topic(overlay, job.control().topic()), "spec", "partitions")).isEqualTo(1);
  }

  /** A dead letter is larger than its record: its producer and its topic take more than others. */
  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void takeLargeDeadLetters(String overlay) throws Exception {
    SinkConfig.Kafka sink = (SinkConfig.Kafka) job(overlay).deadLetters();
    assertThat(sink.properties().unresolved())
        .containsEntry(
            "max.request.size",
            String.valueOf(
                Deploy.at(topic(overlay, sink.topic()), "spec", "config", "max.message.bytes")));
  }

  private static Map<String, Object> topic(String overlay, String name) {
    return ManifestsTest.overlay(overlay).stream()
        .filter(one -> "KafkaTopic".equals(Deploy.kind(one)) && name.equals(Deploy.name(one)))
        .findFirst()
        .orElse(null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void runTheJobWhereTheImageHasIt(String overlay) {
    Map<String, Object> deployment = deployment(overlay);
    assertThat(Deploy.at(deployment, "spec", "job", "jarURI"))
        .isEqualTo("local:///opt/flink/usrlib/latimer.jar");
    assertThat(Deploy.read(Deploy.DOCKER.resolve("Dockerfile")))
        .contains("COPY flink/usrlib /opt/flink/usrlib");
    assertThat(Deploy.read(Deploy.DOCKER.resolve("make.sh"))).contains("flink/usrlib/latimer.jar");
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "dev"})
  void askForNoGpuOnTheCpu(String overlay) {
    assertThat(Gpus.requests(deployment(overlay))).isEmpty();
    assertThat(new TaskManagerPod(deployment(overlay)).limits()).doesNotContainKey(Gpus.RESOURCE);
  }

  @Test
  void askForEachGpuOnce() {
    assertThat(Gpus.requests(deployment("gpu"))).containsExactly("pod template: 1");
    assertThat(Gpus.ofJobManager(deployment("gpu"))).isEmpty();
    assertThat(new TaskManagerPod(deployment("gpu")).limits()).containsEntry(Gpus.RESOURCE, "1");
  }

  @Test
  void twoWaysToAskForAGpuAreCounted() {
    Object patch =
        Deploy.documents(
                "patch",
                """
                spec:
                  flinkConfiguration:
                    external-resources: gpu
                    external-resource.gpu.amount: "1"
                    external-resource.gpu.kubernetes.config-key: nvidia.com/gpu
                  taskManager: {resources: {limits: {nvidia.com/gpu: 1}}}
                """)
            .get(0);
    assertThat(Gpus.requests(Deploy.map(Kustomization.merged(deployment("gpu"), patch))))
        .containsExactlyInAnyOrder("pod template: 1", "resources: 1", "external resource gpu: 1");
    Object common =
        Deploy.documents(
                "patch",
                "spec: {podTemplate: {spec: {containers: [{name: a, resources: {limits:"
                    + " {nvidia.com/gpu: 1}}}]}}}")
            .get(0);
    assertThat(Gpus.ofJobManager(Deploy.map(Kustomization.merged(deployment("gpu"), common))))
        .containsExactly("pod template: 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void makePodsThatTheImageCanStart(String overlay) {
    TaskManagerPod pod = new TaskManagerPod(deployment(overlay));
    assertThat(pod.command()).containsExactly("/docker-entrypoint.sh");
    assertThat(pod.arguments())
        .startsWith("bash", "-c")
        .last()
        .asString()
        .startsWith("kubernetes-taskmanager.sh ");
    assertThat(Deploy.DOCKER.resolve("flink/bin/kubernetes-taskmanager.sh")).isExecutable();
    assertThat(Deploy.DOCKER.resolve("docker-entrypoint.sh")).isExecutable();
    assertThat(pod.limits()).containsKeys("cpu", "memory");
    assertThat(ResourceSchema.problems("PodSpec", pod.spec())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void makeAJobManagerThatTheImageCanStart(String overlay) throws Exception {
    Files.writeString(folder.resolve("log4j-console.properties"), "");
    JobManagerPod pod = new JobManagerPod(deployment(overlay), folder);
    assertThat(ResourceSchema.problems("PodSpec", pod.spec())).isEmpty();
    assertThat(Deploy.at(pod.main(), "command")).isEqualTo(List.of("/docker-entrypoint.sh"));
    assertThat(Deploy.list(Deploy.at(pod.main(), "args")))
        .startsWith("bash", "-c")
        .last()
        .asString()
        .startsWith("kubernetes-jobmanager.sh kubernetes-application");
    assertThat(Deploy.DOCKER.resolve("flink/bin/kubernetes-jobmanager.sh")).isExecutable();
    assertThat(Deploy.list(Deploy.at(pod.main(), "ports")))
        .extracting(port -> Deploy.at(port, "containerPort"))
        .contains(8081, 9249);
    Map<String, Object> policy = Deploy.only(ManifestsTest.overlay(overlay), "NetworkPolicy");
    assertThat(pod.labels())
        .containsAllEntriesOf(
            strings(Deploy.map(Deploy.at(policy, "spec", "podSelector", "matchLabels"))))
        .containsEntry("app.kubernetes.io/name", "latimer");
    assertThat(Deploy.map(Deploy.at(pod.main(), "resources", "limits")))
        .containsOnlyKeys("cpu", "memory");
    List<Object> gpus =
        Deploy.list(Deploy.at(pod.main(), "env")).stream()
            .filter(one -> "NVIDIA_VISIBLE_DEVICES".equals(Deploy.at(one, "name")))
            .map(one -> Deploy.at(one, "value"))
            .toList();
    assertThat(gpus).isEqualTo(overlay.equals("gpu") ? List.of("void") : List.of());
    // the mounts of the template stay beside that of Flink's configuration
    assertThat(Deploy.list(Deploy.at(pod.main(), "volumeMounts")))
        .extracting(mount -> Deploy.at(mount, "mountPath"))
        .contains("/opt/flink/conf", "/opt/flink/job", "/opt/flink/models", "/tmp")
        .doesNotHaveDuplicates();
  }

  /** What the roles of an account allow: VERB RESOURCE. */
  private static Set<String> rights(String overlay, Object account) {
    List<Map<String, Object>> resources = ManifestsTest.overlay(overlay);
    Set<String> rights = new TreeSet<>();
    for (Map<String, Object> binding : resources) {
      boolean bound =
          "RoleBinding".equals(Deploy.kind(binding))
              && Deploy.list(Deploy.at(binding, "subjects")).stream()
                  .anyMatch(subject -> account.equals(Deploy.at(subject, "name")));
      if (!bound) {
        continue;
      }
      Object role = Deploy.at(binding, "roleRef", "name");
      resources.stream()
          .filter(one -> "Role".equals(Deploy.kind(one)) && role.equals(Deploy.name(one)))
          .flatMap(one -> Deploy.list(Deploy.at(one, "rules")).stream())
          .forEach(
              rule ->
                  Deploy.list(Deploy.at(rule, "verbs"))
                      .forEach(
                          verb ->
                              Deploy.list(Deploy.at(rule, "resources"))
                                  .forEach(resource -> rights.add(verb + " " + resource))));
    }
    return rights;
  }

  /** They run models on untrusted text, in native code. */
  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void letTaskManagersReadOnly(String overlay) throws Exception {
    Files.writeString(folder.resolve("log4j-console.properties"), "");
    Map<String, Object> deployment = deployment(overlay);
    Object worker = Deploy.at(new TaskManagerPod(deployment).spec(), "serviceAccountName");
    Object manager = Deploy.at(new JobManagerPod(deployment, folder).spec(), "serviceAccountName");
    assertThat(rights(overlay, worker))
        .containsExactlyInAnyOrder("get configmaps", "list configmaps", "watch configmaps");
    assertThat(rights(overlay, manager)).contains("create pods", "update configmaps");
    assertThat(
            ManifestsTest.overlay(overlay).stream()
                .filter(one -> "ServiceAccount".equals(Deploy.kind(one)))
                .map(Deploy::name))
        .containsExactlyInAnyOrder((String) worker, (String) manager);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void areProbedAtPortsThatTheyHave(String overlay) throws Exception {
    Files.writeString(folder.resolve("log4j-console.properties"), "");
    Object manager = new JobManagerPod(deployment(overlay), folder).main();
    Object worker =
        Deploy.list(Deploy.at(new TaskManagerPod(deployment(overlay)).spec(), "containers")).get(0);
    for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
      assertThat(ports(manager)).contains(Deploy.at(manager, probe, "httpGet", "port"));
      assertThat(ports(worker)).contains(Deploy.at(worker, probe, "tcpSocket", "port"));
    }
  }

  private static List<Object> ports(Object container) {
    return Deploy.list(Deploy.at(container, "ports")).stream()
        .map(port -> Deploy.at(port, "containerPort"))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void areSpreadAndDrainedOneAtATime(String overlay) throws Exception {
    Map<String, Object> deployment = deployment(overlay);
    Map<String, Object> budget = Deploy.only(ManifestsTest.overlay(overlay), "PodDisruptionBudget");
    Object parallelism = Deploy.at(deployment, "spec", "job", "parallelism");
    int slots = FlinkSettings.of(deployment).get(TaskManagerOptions.NUM_TASK_SLOTS);
    int workers = ((Integer) parallelism + slots - 1) / slots;
    assertThat(Deploy.at(budget, "spec", "minAvailable"))
        .isEqualTo((Integer) Deploy.at(deployment, "spec", "jobManager", "replicas") + workers - 1);
    TaskManagerPod pod = new TaskManagerPod(deployment);
    Object spread = Deploy.list(Deploy.at(pod.spec(), "topologySpreadConstraints")).get(0);
    for (Object selector :
        List.of(Deploy.at(budget, "spec", "selector"), Deploy.at(spread, "labelSelector"))) {
      assertThat(pod.labels())
          .containsAllEntriesOf(strings(Deploy.map(Deploy.at(selector, "matchLabels"))));
    }
  }

  /** Kubernetes evicts a pod whose volume is larger than its limit. */
  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void keepCopiesOfIndexesWithinTheirVolume(String overlay) throws Exception {
    assertThat(2 * job(overlay).indexes().maxBytes())
        .isLessThanOrEqualTo(volumeOfCopies(deployment(overlay)));
  }

  /** The limit of the volume in which the cache folder is, in bytes. */
  static long volumeOfCopies(Map<String, Object> deployment) {
    Object pod = Deploy.at(deployment, "spec", "podTemplate", "spec");
    Object container = Deploy.list(Deploy.at(pod, "containers")).get(0);
    String cache = (String) named(Deploy.at(container, "env"), "XDG_CACHE_HOME", "value");
    String volume =
        Deploy.list(Deploy.at(container, "volumeMounts")).stream()
            .filter(mount -> cache.startsWith(Deploy.at(mount, "mountPath") + "/"))
            .map(mount -> (String) Deploy.at(mount, "name"))
            .findFirst()
            .orElseThrow();
    Object directory = named(Deploy.at(pod, "volumes"), volume, "emptyDir");
    String limit = (String) Deploy.at(directory, "sizeLimit");
    assertThat(limit).matches("[0-9]+Gi");
    return Long.parseLong(limit.substring(0, limit.length() - 2)) << 30;
  }

  private static Object named(Object list, String name, String key) {
    return Deploy.list(list).stream()
        .filter(one -> name.equals(Deploy.at(one, "name")))
        .map(one -> Deploy.at(one, key))
        .findFirst()
        .orElseThrow();
  }

  /** The operator's own configuration of the log writes to a file. */
  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void logAsTheImageDoes(String overlay) {
    assertThat(Deploy.map(Deploy.at(deployment(overlay), "spec", "logConfiguration")))
        .isEqualTo(
            Map.of(
                "log4j-console.properties",
                Deploy.read(Deploy.DOCKER.resolve("flink/conf/log4j-console.properties"))));
  }

  @Test
  void aReporterListensWhereThePodMonitorLooks() {
    Map<String, Object> deployment = deployment("cpu");
    String port = FlinkSettings.of(deployment).toMap().get("metrics.reporter.prom.port");
    Object container =
        Deploy.list(Deploy.at(deployment, "spec", "podTemplate", "spec", "containers")).get(0);
    assertThat(Deploy.at(container, "ports"))
        .isEqualTo(List.of(Map.of("name", "metrics", "containerPort", Integer.valueOf(port))));
    Map<String, Object> monitor = Deploy.only(ManifestsTest.overlay("cpu"), "PodMonitor");
    Object endpoint = Deploy.list(Deploy.at(monitor, "spec", "podMetricsEndpoints")).get(0);
    assertThat(Deploy.at(endpoint, "port")).isEqualTo("metrics");
    // the value that the alerts look for
    assertThat(new TaskManagerPod(deployment).labels())
        .containsEntry((String) Deploy.at(monitor, "spec", "jobLabel"), "latimer");
    Map<String, Object> selector =
        Deploy.map(Deploy.at(monitor, "spec", "selector", "matchLabels"));
    assertThat(new TaskManagerPod(deployment).labels()).containsAllEntriesOf(strings(selector));
    Map<String, Object> policy = Deploy.only(ManifestsTest.overlay("cpu"), "NetworkPolicy");
    Map<String, Object> isolated =
        Deploy.map(Deploy.at(policy, "spec", "podSelector", "matchLabels"));
    assertThat(new TaskManagerPod(deployment).labels()).containsAllEntriesOf(strings(isolated));
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void reachWhatTheyNeedThroughTheNetworkPolicy(String overlay) throws Exception {
    Map<String, Object> policy = Deploy.only(ManifestsTest.overlay(overlay), "NetworkPolicy");
    Set<Object> anywhere = new HashSet<>();
    Set<Object> dns = new HashSet<>();
    Set<Object> kafka = new HashSet<>();
    boolean pods = false;
    for (Object rule : Deploy.list(Deploy.at(policy, "spec", "egress"))) {
      List<Object> ports =
          Deploy.list(Deploy.at(rule, "ports")).stream().map(p -> Deploy.at(p, "port")).toList();
      List<Object> peers = Deploy.list(Deploy.at(rule, "to"));
      if (peers.isEmpty()) {
        anywhere.addAll(ports);
      } else if (ports.contains(53)) {
        dns.addAll(peers);
      } else if (ports.isEmpty()) { // RPC, data and blobs have ports that Flink chooses
        pods |= peers.contains(selected(policy));
      } else {
        assertThat(peers).isEqualTo(List.of(brokersOfTopics(overlay)));
        kafka.addAll(ports);
      }
    }
    assertThat(pods).as("the pods reach each other").isTrue();
    assertThat(Deploy.list(Deploy.at(policy, "spec", "ingress")))
        .contains(Map.of("from", List.of(selected(policy))));
    assertThat(dns).contains(Map.of("ipBlock", Map.of("cidr", "169.254.0.0/16"))).hasSize(2);
    String brokers = ((SourceConfig.Kafka) job(overlay).source()).bootstrapServers();
    assertThat(kafka).contains(Integer.valueOf(brokers.substring(brokers.lastIndexOf(':') + 1)));
    // what a policy cannot name
    assertThat(anywhere).containsExactlyInAnyOrder(443, 6443, 8443);
  }

  /** The pods of the Strimzi cluster whose topics the overlay makes. */
  private static Object brokersOfTopics(String overlay) {
    Object cluster =
        ManifestsTest.overlay(overlay).stream()
            .filter(one -> "KafkaTopic".equals(Deploy.kind(one)))
            .map(one -> Deploy.at(one, "metadata", "labels", "strimzi.io/cluster"))
            .distinct()
            .collect(Collectors.collectingAndThen(Collectors.toList(), all -> all.get(0)));
    return Map.of("podSelector", Map.of("matchLabels", Map.of("strimzi.io/cluster", cluster)));
  }

  private static Object selected(Map<String, Object> policy) {
    return Map.of("podSelector", Deploy.map(Deploy.at(policy, "spec", "podSelector")));
  }

  private static Map<String, String> strings(Map<String, Object> map) {
    Map<String, String> strings = new HashMap<>();
    map.forEach((key, value) -> strings.put(key, (String) value));
    return strings;
  }

  @Test
  void aTransactionTimeoutShorterThanACheckpointIsRefused() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("slow.yaml"),
            Deploy.read(Deploy.KUBERNETES.resolve("overlays/dev/job.yaml"))
                .replace("timeout: 10min", "timeout: 15min"));
    assertThatThrownBy(
            () -> ClusterSettings.applied(JobConfigReader.read(file), new Configuration()))
        .hasMessageContaining("checkpoints.timeout");
  }

  @Test
  void modelsAreInTheFolderThatTheInitContainerFills() throws Exception {
    for (String overlay : Set.of("cpu", "gpu", "dev")) {
      Object pod = Deploy.at(deployment(overlay), "spec", "podTemplate", "spec");
      Object init = Deploy.list(Deploy.at(pod, "initContainers")).get(0);
      String target = (String) Deploy.list(Deploy.at(init, "command")).get(2);
      String text =
          ManifestsTest.overlay(overlay).stream()
              .map(one -> (String) Deploy.at(one, "data", "job.yaml"))
              .filter(file -> file != null)
              .collect(Collectors.joining());
      Object stage = Deploy.list(Deploy.at(Deploy.documents("job", text).get(0), "stages")).get(0);
      assertThat((String) Deploy.at(stage, "translate", "model")).startsWith(target + "/");
    }
  }
}
