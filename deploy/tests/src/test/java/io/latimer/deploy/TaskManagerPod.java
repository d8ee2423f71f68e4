package io.latimer.deploy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.kubernetes.configuration.KubernetesConfigOptions;
import org.apache.flink.kubernetes.kubeclient.FlinkPod;
import org.apache.flink.kubernetes.kubeclient.factory.KubernetesTaskManagerFactory;
import org.apache.flink.kubernetes.kubeclient.parameters.KubernetesTaskManagerParameters;
import org.apache.flink.kubernetes.shaded.io.fabric8.kubernetes.api.model.Container;
import org.apache.flink.kubernetes.shaded.io.fabric8.kubernetes.api.model.Pod;
import org.apache.flink.kubernetes.shaded.io.fabric8.kubernetes.client.utils.Serialization;
import org.apache.flink.runtime.clusterframework.ContaineredTaskManagerParameters;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;

/** The pod of a task manager that Flink makes of a FlinkDeployment. */
final class TaskManagerPod {
  static final String MAIN = "flink-main-container";

  private final Pod pod;

  TaskManagerPod(Map<String, Object> deployment) {
    Object spec = deployment.get("spec");
    Configuration settings = FlinkSettings.of(deployment);
    settings.set(KubernetesConfigOptions.CLUSTER_ID, Deploy.name(deployment));
    settings.set(KubernetesConfigOptions.CONTAINER_IMAGE, (String) Deploy.at(spec, "image"));
    settings.setString("taskmanager.rpc.port", "6122");
    settings.set(
        KubernetesConfigOptions.KUBERNETES_SERVICE_ACCOUNT,
        (String) Deploy.at(spec, "serviceAccount"));
    Object resource = Deploy.at(spec, "taskManager", "resource");
    settings.setString(
        TaskManagerOptions.TOTAL_PROCESS_MEMORY.key(), (String) Deploy.at(resource, "memory"));
    settings.set(
        KubernetesConfigOptions.TASK_MANAGER_CPU,
        ((Number) Deploy.at(resource, "cpu")).doubleValue());
    TaskExecutorProcessSpec process = TaskExecutorProcessUtils.processSpecFromConfig(settings);
    pod =
        KubernetesTaskManagerFactory.buildTaskManagerKubernetesPod(
                template(deployment, "taskManager"),
                new KubernetesTaskManagerParameters(
                    settings,
                    "latimer-taskmanager-1-1",
                    "",
                    "",
                    ContaineredTaskManagerParameters.create(settings, process),
                    Map.of(),
                    Set.of()))
            .getInternalResource();
  }

  /** The pod template of {@code taskManager} or {@code jobManager}. */
  static FlinkPod template(Map<String, Object> deployment, String role) {
    Object spec = deployment.get("spec");
    Map<String, Object> template = new LinkedHashMap<>(Map.of("kind", "Pod", "apiVersion", "v1"));
    template.putAll(
        Deploy.map(
            mergedByName(
                Deploy.map(Deploy.at(spec, "podTemplate")),
                Deploy.map(Deploy.at(spec, role, "podTemplate")))));
    Pod pod;
    try {
      pod = Serialization.unmarshal(new ObjectMapper().writeValueAsString(template), Pod.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("YAML that is no JSON", e);
    }
    List<Container> others = new ArrayList<>(pod.getSpec().getContainers());
    Container main =
        others.stream().filter(one -> one.getName().equals(MAIN)).findFirst().orElseThrow();
    others.remove(main);
    pod.getSpec().setContainers(others);
    return new FlinkPod(pod, main);
  }

  /**
   * What the operator does with the two templates: items of lists are merged if they have a name.
   */
  private static Object mergedByName(Object value, Object patch) {
    if (value instanceof Map && patch instanceof Map) {
      Map<String, Object> result = new LinkedHashMap<>(Deploy.map(value));
      Deploy.map(patch)
          .forEach(
              (key, part) ->
                  result.put(
                      key, result.containsKey(key) ? mergedByName(result.get(key), part) : part));
      return result;
    }
    if (value instanceof List && patch instanceof List) {
      List<Object> result = new ArrayList<>(Deploy.list(value));
      for (Object item : Deploy.list(patch)) {
        int same = 0;
        while (same < result.size()
            && !Deploy.at(result.get(same), "name").equals(Deploy.at(item, "name"))) {
          same++;
        }
        if (same < result.size()) {
          result.set(same, mergedByName(result.get(same), item));
        } else {
          result.add(item);
        }
      }
      return result;
    }
    return patch;
  }

  private Container main() {
    return pod.getSpec().getContainers().stream()
        .filter(one -> one.getName().equals(MAIN))
        .findFirst()
        .orElseThrow();
  }

  Map<String, String> limits() {
    Map<String, String> limits = new LinkedHashMap<>();
    main().getResources().getLimits().forEach((name, amount) -> limits.put(name, amount + ""));
    return limits;
  }

  List<String> command() {
    return main().getCommand();
  }

  List<String> arguments() {
    return main().getArgs();
  }

  Map<String, String> labels() {
    return pod.getMetadata().getLabels();
  }

  /** Its specification as maps and lists. */
  Object spec() {
    return Deploy.documents("pod", Serialization.asYaml(pod.getSpec())).get(0);
  }
}
