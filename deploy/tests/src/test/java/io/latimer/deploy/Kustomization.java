package io.latimer.deploy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Resolves a kustomization as {@code kubectl kustomize} does, for the features that {@code deploy/}
 * uses; any other key is refused. Only the suffixes of generated names differ.
 */
final class Kustomization {
  private static final Set<String> KEYS =
      Set.of(
          "apiVersion",
          "kind",
          "namespace",
          "resources",
          "components",
          "patches",
          "configMapGenerator",
          "configurations");

  private static final Set<String> WITHOUT_NAMESPACE = Set.of("ClusterRole", "ClusterRoleBinding");

  private final List<Map<String, Object>> resources = new ArrayList<>();

  /** The full names of generated ConfigMaps, by the name in the manifests. */
  private final Map<String, String> suffixed = new LinkedHashMap<>();

  private Kustomization() {}

  /** The resources of a folder with a {@code kustomization.yaml}. */
  static List<Map<String, Object>> build(Path folder) {
    Kustomization built = new Kustomization();
    built.add(folder);
    return built.resources.stream().map(built::withSuffixes).toList();
  }

  private void add(Path folder) {
    Path file = folder.resolve("kustomization.yaml");
    Map<String, Object> all = Deploy.document(file);
    for (String key : all.keySet()) {
      if (!KEYS.contains(key)) {
        throw new IllegalArgumentException(file + ": the tests do not resolve '" + key + "'");
      }
    }
    for (String key : List.of("resources", "components")) {
      for (Object entry : Deploy.list(all.get(key))) {
        Path path = folder.resolve((String) entry).normalize();
        if (Files.isDirectory(path)) {
          add(path);
        } else {
          Deploy.documents(path).forEach(one -> resources.add(Deploy.map(one)));
        }
      }
      if (key.equals("resources")) {
        Deploy.list(all.get("configMapGenerator")).forEach(one -> generate(folder, one));
      }
    }
    Deploy.list(all.get("patches")).forEach(one -> patch(folder, one));
    if (all.get("namespace") instanceof String namespace) {
      resources.replaceAll(one -> in(namespace, one));
    }
  }

  private void generate(Path folder, Object generator) {
    Map<String, Object> data = new LinkedHashMap<>();
    for (Object file : Deploy.list(Deploy.at(generator, "files"))) {
      data.put((String) file, Deploy.read(folder.resolve((String) file)));
    }
    String name = (String) Deploy.at(generator, "name");
    Map<String, Object> metadata = new LinkedHashMap<>(Map.of("name", name));
    Object labels = Deploy.at(generator, "options", "labels");
    if (labels != null) {
      metadata.put("labels", labels);
    }
    boolean replaces = "replace".equals(Deploy.at(generator, "behavior"));
    if (replaces != resources.removeIf(one -> is(one, "ConfigMap", name))) {
      throw new IllegalArgumentException(folder + ": ConfigMap " + name + " exists, or does not");
    }
    resources.add(
        new LinkedHashMap<>(
            Map.of("apiVersion", "v1", "kind", "ConfigMap", "metadata", metadata, "data", data)));
    if (!Boolean.TRUE.equals(Deploy.at(generator, "options", "disableNameSuffixHash"))) {
      suffixed.put(name, name + "-" + hash(data));
    }
  }

  private static String hash(Map<String, Object> data) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(data.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, 10);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  private void patch(Path folder, Object entry) {
    Path file = folder.resolve((String) Deploy.at(entry, "path"));
    String target = (String) Deploy.at(entry, "target", "kind");
    for (Object document : Deploy.documents(file)) {
      int patched = 0;
      for (int i = 0; i < resources.size(); i++) {
        Map<String, Object> resource = resources.get(i);
        if (document instanceof List
            ? Deploy.kind(resource).equals(target)
            : is(resource, Deploy.kind(document), Deploy.name(document))) {
          resources.set(
              i,
              document instanceof List
                  ? Deploy.map(replaced(resource, Deploy.list(document)))
                  : Deploy.map(merged(resource, document)));
          patched++;
        }
      }
      if (patched == 0) {
        throw new IllegalArgumentException(file + " patches nothing");
      }
    }
  }

  /**
   * A merge patch (RFC 7386), which is what kustomize does to kinds whose lists it does not know.
   */
  static Object merged(Object value, Object patch) {
    if (!(patch instanceof Map)) {
      return patch;
    }
    Map<String, Object> result =
        new LinkedHashMap<>(value instanceof Map ? Deploy.map(value) : Map.of());
    Deploy.map(patch)
        .forEach(
            (key, part) -> {
              if (part == null) {
                result.remove(key);
              } else {
                result.put(key, merged(result.get(key), part));
              }
            });
    return result;
  }

  /** The operation {@code replace} of a JSON patch (RFC 6902). */
  private static Object replaced(Object value, List<Object> operations) {
    Object result = value;
    for (Object operation : operations) {
      if (!"replace".equals(Deploy.at(operation, "op"))) {
        throw new IllegalArgumentException("the tests resolve only 'replace': " + operation);
      }
      String path = (String) Deploy.at(operation, "path");
      result =
          replaced(result, List.of(path.substring(1).split("/")), Deploy.at(operation, "value"));
    }
    return result;
  }

  private static Object replaced(Object value, List<String> path, Object replacement) {
    if (path.isEmpty()) {
      if (value == null) {
        throw new IllegalArgumentException("there is nothing to replace");
      }
      return replacement;
    }
    String key = path.get(0);
    List<String> rest = path.subList(1, path.size());
    if (value instanceof List<?> items) {
      List<Object> result = new ArrayList<>(items);
      int index = Integer.parseInt(key);
      result.set(index, replaced(result.get(index), rest, replacement));
      return result;
    }
    Map<String, Object> result = new LinkedHashMap<>(Deploy.map(value));
    result.put(key, replaced(result.get(key), rest, replacement));
    return result;
  }

  private static boolean is(Object resource, String kind, String name) {
    return kind.equals(Deploy.kind(resource)) && name.equals(Deploy.name(resource));
  }

  private static Map<String, Object> in(String namespace, Map<String, Object> resource) {
    if (WITHOUT_NAMESPACE.contains(Deploy.kind(resource))) {
      return resource;
    }
    Map<String, Object> moved =
        Deploy.map(merged(resource, Map.of("metadata", Map.of("namespace", namespace))));
    if (moved.get("subjects") != null) {
      moved.put(
          "subjects",
          Deploy.list(moved.get("subjects")).stream()
              .map(one -> merged(one, Map.of("namespace", namespace)))
              .toList());
    }
    return moved;
  }

  private Map<String, Object> withSuffixes(Map<String, Object> resource) {
    String full = suffixed.get(Deploy.name(resource));
    if (full != null && "ConfigMap".equals(Deploy.kind(resource))) {
      return Deploy.map(merged(resource, Map.of("metadata", Map.of("name", full))));
    }
    List<Object> volumes =
        Deploy.list(Deploy.at(resource, "spec", "podTemplate", "spec", "volumes")).stream()
            .map(this::withSuffix)
            .toList();
    if (volumes.isEmpty()) {
      return resource;
    }
    Object patch = Map.of("podTemplate", Map.of("spec", Map.of("volumes", volumes)));
    return Deploy.map(merged(resource, Map.of("spec", patch)));
  }

  private Object withSuffix(Object volume) {
    Object name = Deploy.at(volume, "configMap", "name");
    String full = name == null ? null : suffixed.get(name);
    return full == null ? volume : merged(volume, Map.of("configMap", Map.of("name", full)));
  }
}
