package io.latimer.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.Gson;
import com.google.gson.JsonElement;
import io.latimer.operators.testing.SharedData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a Kubernetes resource may say, strictly: unknown names are refused, which an API server only
 * drops. Custom resources are checked against the schemas of their definitions in {@code
 * shared/data/k8s}, the others against the Java client of Kubernetes.
 */
final class ResourceSchema {
  /** Kinds of Kubernetes itself, with the only version that we use. */
  private static final Map<String, String> OWN =
      Map.of(
          "ConfigMap", "v1",
          "NetworkPolicy", "networking.k8s.io/v1",
          "PersistentVolumeClaim", "v1",
          "PodDisruptionBudget", "policy/v1",
          "Role", "rbac.authorization.k8s.io/v1",
          "RoleBinding", "rbac.authorization.k8s.io/v1",
          "ServiceAccount", "v1");

  private final List<String> problems = new ArrayList<>();

  private ResourceSchema() {}

  /**
   * Checks a resource.
   *
   * @param operator version of the Flink Kubernetes Operator whose resources it may be
   * @return one sentence for each problem
   */
  static List<String> problems(Map<String, Object> resource, String operator) {
    String kind = Deploy.kind(resource);
    ResourceSchema check = new ResourceSchema();
    if (OWN.containsKey(kind)) {
      check.equal("apiVersion", OWN.get(kind), resource.get("apiVersion"));
      check.known(kind, resource);
    } else {
      String suffix = kind.startsWith("Flink") && !operator.equals("1.15") ? "-" + operator : "";
      check.custom(resource, kind.toLowerCase(Locale.ROOT) + suffix + ".json");
    }
    return check.problems.stream()
        .map(problem -> kind + " " + Deploy.name(resource) + ": " + problem)
        .toList();
  }

  /** Checks an object against a class of Kubernetes' Java client, such as {@code PodSpec}. */
  static List<String> problems(String type, Object value) {
    ResourceSchema check = new ResourceSchema();
    check.known(type, value);
    return check.problems;
  }

  private void custom(Map<String, Object> resource, String file) {
    JsonNode definition;
    try {
      definition =
          new ObjectMapper()
              .readTree(Files.readString(SharedData.require("data/k8s").resolve(file)));
    } catch (IOException e) {
      throw new UncheckedIOException("no schema " + file + " in shared/data/k8s", e);
    }
    equal(
        "apiVersion",
        definition.get("group").asText() + "/" + definition.get("version").asText(),
        resource.get("apiVersion"));
    known("ObjectMeta", resource.get("metadata"));
    resource.forEach(
        (key, value) -> {
          if (key.equals("spec")) {
            check(value, definition.at("/schema/properties/spec"), "spec");
          } else if (!List.of("apiVersion", "kind", "metadata").contains(key)) {
            problems.add("unknown field " + key);
          }
        });
    if (resource.get("spec") == null) {
      problems.add("spec is missing");
    }
  }

  private void known(String type, Object value) {
    try {
      Class.forName("io.kubernetes.client.openapi.models.V1" + type)
          .getMethod("validateJsonElement", JsonElement.class)
          .invoke(null, new Gson().toJsonTree(value));
    } catch (InvocationTargetException e) {
      problems.add(String.valueOf(e.getCause().getMessage()));
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("Kubernetes' client does not check " + type, e);
    }
  }

  private void equal(String field, Object expected, Object actual) {
    if (!expected.equals(actual)) {
      problems.add(field + " is " + actual + ", not " + expected);
    }
  }

  private void check(Object value, JsonNode schema, String path) {
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      require(value instanceof Integer || value instanceof String, path, value, "number or text");
      return;
    }
    if (schema.has("enum")) {
      boolean listed = false;
      for (JsonNode one : schema.get("enum")) {
        listed |= one.asText().equals(value);
      }
      require(listed, path, value, "one of " + schema.get("enum"));
    }
    switch (schema.path("type").asText("any")) {
      case "object" -> object(value, schema, path);
      case "array" -> array(value, schema, path);
      case "string" -> string(value, schema, path);
      case "integer" -> {
        require(value instanceof Integer || value instanceof Long, path, value, "whole number");
        bounds(value, schema, path);
      }
      case "number" -> {
        require(value instanceof Number, path, value, "number");
        bounds(value, schema, path);
      }
      case "boolean" -> require(value instanceof Boolean, path, value, "true or false");
      case "any" -> {
        require(
            schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(),
            path,
            value,
            "field with a type");
      }
      default -> throw new IllegalArgumentException(path + " has the schema " + schema);
    }
  }

  private void object(Object value, JsonNode schema, String path) {
    if (!(value instanceof Map)) {
      require(false, path, value, "mapping");
      return;
    }
    Deploy.map(value)
        .forEach(
            (key, part) -> {
              String inside = path + "." + key;
              if (schema.path("properties").has(key)) {
                check(part, schema.get("properties").get(key), inside);
              } else if (schema.has("additionalProperties")) {
                check(part, schema.get("additionalProperties"), inside);
              } else if (!schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
                problems.add("unknown field " + inside);
              }
            });
    for (Iterator<JsonNode> names = schema.path("required").elements(); names.hasNext(); ) {
      String name = names.next().asText();
      if (!Deploy.map(value).containsKey(name)) {
        problems.add(path + "." + name + " is missing");
      }
    }
  }

  private void array(Object value, JsonNode schema, String path) {
    if (!(value instanceof List<?> items)) {
      require(false, path, value, "list");
      return;
    }
    for (int i = 0; i < items.size(); i++) {
      check(items.get(i), schema.get("items"), path + "[" + i + "]");
    }
  }

  private void string(Object value, JsonNode schema, String path) {
    require(value instanceof String, path, value, "text");
    if (value instanceof String text) {
      require(text.length() >= schema.path("minLength").asInt(0), path, value, "longer text");
      if (schema.has("pattern")) {
        String pattern = schema.get("pattern").asText();
        require(Pattern.compile(pattern).matcher(text).find(), path, value, "match of " + pattern);
      }
    }
  }

  private void bounds(Object value, JsonNode schema, String path) {
    if (value instanceof Number number) {
      require(
          number.doubleValue() >= schema.path("minimum").asDouble(Double.NEGATIVE_INFINITY)
              && number.doubleValue() <= schema.path("maximum").asDouble(Double.POSITIVE_INFINITY),
          path,
          value,
          "number within " + schema);
    }
  }

  private void require(boolean holds, String path, Object value, String expected) {
    if (!holds) {
      problems.add(path + " is " + value + ", expected: " + expected);
    }
  }
}
