package io.latimer.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.client.deployment.ClusterSpecification;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptionsInternal;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.kubernetes.configuration.KubernetesConfigOptions;
import org.apache.flink.kubernetes.configuration.KubernetesConfigOptionsInternal;
import org.apache.flink.kubernetes.entrypoint.KubernetesApplicationClusterEntrypoint;
import org.apache.flink.kubernetes.kubeclient.factory.KubernetesJobManagerFactory;
import org.apache.flink.kubernetes.kubeclient.parameters.KubernetesJobManagerParameters;
import org.apache.flink.kubernetes.shaded.io.fabric8.kubernetes.api.model.PodTemplateSpec;
import org.apache.flink.kubernetes.shaded.io.fabric8.kubernetes.client.utils.Serialization;

/** The pod of the job manager that Flink makes of a FlinkDeployment. */
final class JobManagerPod {
  private final PodTemplateSpec pod;

  /** Makes it as the operator does, with a folder of Flink's configuration. */
  JobManagerPod(Map<String, Object> deployment, Path configuration) {
    Object spec = deployment.get("spec");
    Configuration settings = FlinkSettings.of(deployment);
    settings.set(KubernetesConfigOptions.CLUSTER_ID, Deploy.name(deployment));
    settings.set(KubernetesConfigOptions.CONTAINER_IMAGE, (String) Deploy.at(spec, "image"));
    settings.set(DeploymentOptionsInternal.CONF_DIR, configuration.toString());
    settings.set(
        KubernetesConfigOptionsInternal.ENTRY_POINT_CLASS,
        KubernetesApplicationClusterEntrypoint.class.getName());
    settings.set(
        KubernetesConfigOptions.KUBERNETES_SERVICE_ACCOUNT,
        (String) Deploy.at(spec, "serviceAccount"));
    settings.setString("execution.target", "kubernetes-application");
    settings.setString("blob.server.port", "6124");
    settings.setString("high-availability.jobmanager.port", "6123");
    Object resource = Deploy.at(spec, "jobManager", "resource");
    MemorySize memory = MemorySize.parse((String) Deploy.at(resource, "memory"));
    settings.set(JobManagerOptions.TOTAL_PROCESS_MEMORY, memory);
    settings.set(
        KubernetesConfigOptions.JOB_MANAGER_CPU,
        ((Number) Deploy.at(resource, "cpu")).doubleValue());
    try {
      pod =
          KubernetesJobManagerFactory.buildKubernetesJobManagerSpecification(
                  TaskManagerPod.template(deployment, "jobManager"),
                  new KubernetesJobManagerParameters(
                      settings,
                      new ClusterSpecification.ClusterSpecificationBuilder()
                          .setMasterMemoryMB(memory.getMebiBytes())
                          .createClusterSpecification()))
              .getDeployment()
              .getSpec()
              .getTemplate();
    } catch (IOException e) {
      throw new UncheckedIOException("the pod of the job manager cannot be made", e);
    }
  }

  Map<String, String> labels() {
    return pod.getMetadata().getLabels();
  }

  /** Its specification as maps and lists. */
  Object spec() {
    return Deploy.documents("pod", Serialization.asYaml(pod.getSpec())).get(0);
  }

  /** Flink's container, as maps and lists. */
  Object main() {
    return Deploy.list(Deploy.at(spec(), "containers")).stream()
        .filter(one -> TaskManagerPod.MAIN.equals(Deploy.at(one, "name")))
        .findFirst()
        .orElseThrow();
  }
}
