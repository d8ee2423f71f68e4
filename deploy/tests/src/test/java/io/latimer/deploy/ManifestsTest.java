package io.latimer.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The resources of the overlays. */
class ManifestsTest {
  static List<Map<String, Object>> overlay(String name) {
    return Kustomization.build(Deploy.KUBERNETES.resolve("overlays").resolve(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void haveOnlyFieldsThatTheirKindsKnow(String overlay) {
    assertThat(overlay(overlay)).flatMap(one -> ResourceSchema.problems(one, "1.16")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void areWhatKustomizeMakesOfThem(String overlay) throws Exception {
    Path folder = Deploy.KUBERNETES.resolve("overlays").resolve(overlay);
    assertThat(byName(overlay(overlay))).isEqualTo(byName(kustomized(folder)));
  }

  /** What kubectl makes of a folder; without kubectl, the test is skipped. */
  private static List<Map<String, Object>> kustomized(Path folder) throws Exception {
    Process kubectl;
    try {
      kubectl =
          new ProcessBuilder("kubectl", "kustomize", folder.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      return abort("no kubectl on the PATH to compare with: " + e.getMessage());
    }
    String yaml = new String(kubectl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(kubectl.waitFor()).isZero();
    return Deploy.documents("kubectl", yaml).stream().map(Deploy::map).toList();
  }

  /** By kind and name, without the suffixes of generated names. */
  private static Map<String, Object> byName(List<Map<String, Object>> resources) {
    Pattern suffix = Pattern.compile("^(latimer-(?:job|models))-[a-z0-9]{10}$");
    Map<String, Object> named = new TreeMap<>();
    for (Map<String, Object> one : resources) {
      Object plain = without(suffix, one);
      Object before = named.put(Deploy.kind(plain) + " " + Deploy.name(plain), plain);
      assertThat(before).isNull();
    }
    return named;
  }

  private static Object without(Pattern suffix, Object value) {
    if (value instanceof Map) {
      Map<String, Object> plain = new LinkedHashMap<>();
      Deploy.map(value).forEach((key, part) -> plain.put(key, without(suffix, part)));
      return plain;
    }
    if (value instanceof List<?> items) {
      return items.stream().map(item -> without(suffix, item)).collect(Collectors.toList());
    }
    return value instanceof String text ? suffix.matcher(text).replaceAll("$1") : value;
  }

  @Test
  void needOperator16UnlessTheComponentForOperator15IsAdded() throws Exception {
    Map<String, Object> deployment = Deploy.only(overlay("cpu"), "FlinkDeployment");
    assertThat(ResourceSchema.problems(deployment, "1.15"))
        .singleElement()
        .asString()
        .contains("spec.flinkVersion is v2_3");

    Path folder = Files.createTempDirectory(Deploy.KUBERNETES.resolve("overlays"), "test");
    try {
      Files.writeString(
          folder.resolve("kustomization.yaml"),
          "resources: [../cpu]\ncomponents: [../../components/operator-1.15]\n");
      assertThat(Kustomization.build(folder))
          .flatMap(one -> ResourceSchema.problems(one, "1.15"))
          .isEmpty();
    } finally {
      Files.delete(folder.resolve("kustomization.yaml"));
      Files.delete(folder);
    }
  }

  /** With each patch that it offers, and the image in both places. */
  @Test
  void theOverlayOfTheReadmeIsBuilt() throws Exception {
    String readme = Deploy.read(Deploy.FOLDER.resolve("README.md"));
    Path folder = Files.createTempDirectory(Deploy.KUBERNETES.resolve("overlays"), "test");
    try {
      Files.writeString(
          folder.resolve("kustomization.yaml"),
          block(readme, "your brokers and your model:")
              + block(readme, "More patches, where you need them:").indent(2));
      Files.copy(Deploy.KUBERNETES.resolve("overlays/gpu/job.yaml"), folder.resolve("job.yaml"));
      Files.writeString(folder.resolve("models.txt"), "");
      List<Map<String, Object>> resources = kustomized(folder);
      assertThat(resources).flatMap(one -> ResourceSchema.problems(one, "1.16")).isEmpty();
      assertThat(resources).extracting(Deploy::kind).doesNotContain("KafkaTopic");
      Map<String, Object> deployment = Deploy.only(resources, "FlinkDeployment");
      Matcher image = Pattern.compile("registry\\.example/latimer:[0-9.]+-gpu").matcher(readme);
      assertThat(image.find()).isTrue();
      assertThat(Deploy.at(deployment, "spec", "image")).isEqualTo(image.group());
      assertThat(containers(Deploy.at(deployment, "spec", "podTemplate", "spec")))
          .extracting(one -> Deploy.at(one, "image"))
          .containsExactly(image.group(), null);
      assertThat(FlinkSettings.of(deployment).toMap().values())
          .contains("s3://my-bucket/ha")
          .noneSatisfy(value -> assertThat(value).contains("latimer-state"));
      assertThat(Deploy.only(resources, "NetworkPolicy").toString()).contains("port=9000");
      assertThat(Deploy.at(Deploy.only(resources, "PodMonitor"), "metadata", "labels"))
          .isEqualTo(Map.of("release", "prometheus"));
      String models = (String) Deploy.at(mounted(deployment, "model-list"), "name");
      assertThat(resources).extracting(Deploy::name).contains(models);
    } finally {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }

  /** The indented lines after a line that ends with a text. */
  private static String block(String text, String end) {
    return String.join(
            "\n",
            text.substring(text.indexOf(end) + end.length())
                .lines()
                .skip(1)
                .dropWhile(String::isEmpty)
                .takeWhile(line -> line.startsWith("    "))
                .toList())
        .stripIndent()
        .concat("\n");
  }

  private static Object mounted(Map<String, Object> deployment, String volume) {
    return Deploy.list(Deploy.at(deployment, "spec", "podTemplate", "spec", "volumes")).stream()
        .filter(one -> volume.equals(Deploy.at(one, "name")))
        .map(one -> Deploy.at(one, "configMap"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void unknownNamesAndWrongTypesAreRefused() {
    Map<String, Object> deployment = Deploy.only(overlay("gpu"), "FlinkDeployment");
    for (String wrong :
        List.of(
            "{spec: {imagee: x}}",
            "{spec: {mode: nativ}}",
            "{spec: {job: {parallelism: two}}}",
            "{spec: {podTemplate: {spec: {containers: [{name: a, envs: []}]}}}}",
            "{spec: {taskManager: {resource: {memory: 4}}}}",
            "{spec: {job: {args: text}}}",
            "{metadata: {label: {a: b}}}",
            "{specs: {}}")) {
      Object patch = Deploy.documents("patch", wrong).get(0);
      assertThat(
              ResourceSchema.problems(Deploy.map(Kustomization.merged(deployment, patch)), "1.16"))
          .as(wrong)
          .hasSize(1);
    }
    assertThat(
            ResourceSchema.problems(
                Deploy.map(
                    Deploy.documents(
                            "rule",
                            "{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata:"
                                + " {name: a}, spec: {groups: [{name: b, rules: [{alert: c, for:"
                                + " soon}]}]}}")
                        .get(0)),
                "1.16"))
        .hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void mountOnlyVolumesThatThePodHas(String overlay) {
    Map<String, Object> deployment = Deploy.only(overlay(overlay), "FlinkDeployment");
    Object pod = Deploy.at(deployment, "spec", "podTemplate", "spec");
    Set<String> volumes =
        Deploy.list(Deploy.at(pod, "volumes")).stream()
            .map(one -> (String) Deploy.at(one, "name"))
            .collect(Collectors.toSet());
    Set<String> mounted = new HashSet<>();
    containers(pod)
        .forEach(
            one ->
                Deploy.list(Deploy.at(one, "volumeMounts"))
                    .forEach(mount -> mounted.add((String) Deploy.at(mount, "name"))));
    assertThat(mounted).isEqualTo(volumes);
    Set<String> made =
        overlay(overlay).stream()
            .filter(one -> "ConfigMap".equals(Deploy.kind(one)))
            .map(Deploy::name)
            .collect(Collectors.toSet());
    for (Object volume : Deploy.list(Deploy.at(pod, "volumes"))) {
      if (Deploy.at(volume, "configMap") != null) {
        assertThat(made).contains((String) Deploy.at(volume, "configMap", "name"));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void runWithoutPrivileges(String overlay) {
    Map<String, Object> deployment = Deploy.only(overlay(overlay), "FlinkDeployment");
    Object pod = Deploy.at(deployment, "spec", "podTemplate", "spec");
    assertThat(Deploy.at(pod, "securityContext"))
        .isEqualTo(
            Deploy.documents(
                    "expected",
                    "{runAsNonRoot: true, runAsUser: 9999, runAsGroup: 9999, fsGroup: 9999,"
                        + " seccompProfile: {type: RuntimeDefault}}")
                .get(0));
    assertThat(containers(pod))
        .isNotEmpty()
        .allSatisfy(
            one ->
                assertThat(Deploy.at(one, "securityContext"))
                    .isEqualTo(
                        Map.of(
                            "allowPrivilegeEscalation",
                            false,
                            "readOnlyRootFilesystem",
                            true,
                            "capabilities",
                            Map.of("drop", List.of("ALL")))));
  }

  private static List<Object> containers(Object pod) {
    return Stream.of("initContainers", "containers")
        .flatMap(key -> Deploy.list(Deploy.at(pod, key)).stream())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu", "dev"})
  void haveSecretsByReferenceOnly(String overlay) {
    List<String> found = new ArrayList<>();
    for (Map<String, Object> resource : overlay(overlay)) {
      assertThat(Deploy.kind(resource)).isNotEqualTo("Secret");
      secrets(Deploy.name(resource), resource, found);
    }
    assertThat(found).isEmpty();
  }

  /** Values of variables, settings and client properties whose names are those of secrets. */
  private static void secrets(String path, Object value, List<String> found) {
    Pattern secret = Pattern.compile("(?i)(password|secret|token|access.?key)");
    if (value instanceof Map) {
      Object name = Deploy.at(value, "name");
      if (name instanceof String text
          && secret.matcher(text).find()
          && Deploy.at(value, "value") != null) {
        found.add(path + "." + name);
      }
      Deploy.map(value)
          .forEach(
              (key, part) -> {
                if (part instanceof String text
                    && secret.matcher(key).find()
                    && !key.equals("secretName")) {
                  found.add(path + "." + key + "=" + text);
                }
                secrets(path + "." + key, part, found);
              });
    } else if (value instanceof List<?> items) {
      items.forEach(item -> secrets(path, item, found));
    } else if (value instanceof String text) {
      // ${ENV:...} would be in the job that Flink stores
      Pattern.compile("password=\"(?!\\$\\{env:)")
          .matcher(text)
          .results()
          .forEach(match -> found.add(path + ": a password in clear"));
    }
  }
}
