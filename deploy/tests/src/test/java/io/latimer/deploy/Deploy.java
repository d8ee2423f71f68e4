package io.latimer.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files of {@code deploy/}, and YAML as maps, lists and scalars. */
final class Deploy {
  static final Path ROOT = Path.of(System.getProperty("latimer.root", "../..")).toAbsolutePath();
  static final Path FOLDER = ROOT.resolve("deploy");
  static final Path KUBERNETES = FOLDER.resolve("kubernetes");
  static final Path DOCKER = FOLDER.resolve("docker");
  static final Path CHART = FOLDER.resolve("helm/latimer");

  private Deploy() {}

  /** All documents of a file that are not empty. */
  static List<Object> documents(Path file) {
    return documents(file.toString(), read(file));
  }

  /** All documents of a text that are not empty. Duplicate keys are refused. */
  static List<Object> documents(String label, String yaml) {
    LoadSettings settings =
        LoadSettings.builder().setLabel(label).setAllowDuplicateKeys(false).build();
    List<Object> documents = new ArrayList<>();
    for (Object document : new Load(settings).loadAllFromString(yaml)) {
      if (document != null) {
        documents.add(document);
      }
    }
    return documents;
  }

  /** The only document of a file. */
  static Map<String, Object> document(Path file) {
    List<Object> documents = documents(file);
    if (documents.size() != 1) {
      throw new IllegalArgumentException(
          file + " has " + documents.size() + " documents, expected one");
    }
    return map(documents.get(0));
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read", e);
    }
  }

  /** A value that is expected to be a mapping; an absent one is empty. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Object value) {
    return value == null ? Map.of() : (Map<String, Object>) value;
  }

  /** A value that is expected to be a list; an absent one is empty. */
  @SuppressWarnings("unchecked")
  static List<Object> list(Object value) {
    return value == null ? List.of() : (List<Object>) value;
  }

  /** The value at a path of keys; null if one of them is missing. */
  static Object at(Object value, String... keys) {
    Object found = value;
    for (String key : keys) {
      found = map(found).get(key);
    }
    return found;
  }

  static String kind(Object resource) {
    return (String) at(resource, "kind");
  }

  static String name(Object resource) {
    return (String) at(resource, "metadata", "name");
  }

  /** The only resource of a kind. */
  static Map<String, Object> only(List<Map<String, Object>> resources, String kind) {
    List<Map<String, Object>> found =
        resources.stream().filter(one -> kind.equals(kind(one))).toList();
    if (found.size() != 1) {
      throw new IllegalArgumentException(found.size() + " resources of kind " + kind);
    }
    return found.get(0);
  }
}
