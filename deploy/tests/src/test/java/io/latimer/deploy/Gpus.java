package io.latimer.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Where a FlinkDeployment asks for GPUs for its task managers. */
final class Gpus {
  static final String RESOURCE = "nvidia.com/gpu";

  private Gpus() {}

  /** Each place that asks, with the number: there must be one, because they add up. */
  static List<String> requests(Map<String, Object> deployment) {
    Object spec = deployment.get("spec");
    List<String> requests = ofPods(spec, "taskManager");
    Map<String, Object> settings = Deploy.map(Deploy.at(spec, "flinkConfiguration"));
    settings.forEach(
        (key, value) -> {
          if (key.startsWith("external-resource.") && key.endsWith(".kubernetes.config-key")) {
            String name = key.split("\\.", 3)[1];
            requests.add(
                "external resource "
                    + name
                    + ": "
                    + settings.get("external-resource." + name + ".amount"));
          }
        });
    return requests;
  }

  /** Each place that asks for one for the job manager, which would take it from the others. */
  static List<String> ofJobManager(Map<String, Object> deployment) {
    return ofPods(deployment.get("spec"), "jobManager");
  }

  private static List<String> ofPods(Object spec, String role) {
    List<String> requests = new ArrayList<>();
    for (Object pods :
        List.of(
            Deploy.map(Deploy.at(spec, "podTemplate")),
            Deploy.map(Deploy.at(spec, role, "podTemplate")))) {
      Stream.of("initContainers", "containers")
          .flatMap(key -> Deploy.list(Deploy.at(pods, "spec", key)).stream())
          .map(container -> Deploy.at(container, "resources", "limits", RESOURCE))
          .filter(amount -> amount != null)
          .forEach(amount -> requests.add("pod template: " + amount));
    }
    Object limit = Deploy.at(spec, role, "resources", "limits", RESOURCE);
    if (limit != null) {
      requests.add("resources: " + limit);
    }
    return requests;
  }
}
