package io.latimer.deploy;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;

/** Flink's settings in a manifest, checked against the options that Flink's own classes declare. */
final class FlinkSettings {
  /** Settings of the operator, which is not on the class path: names from its documentation. */
  private static final Set<String> OF_THE_OPERATOR =
      Set.of(
          "kubernetes.operator.periodic.savepoint.interval",
          "kubernetes.operator.savepoint.history.max.count",
          "kubernetes.operator.pod-template.merge-arrays-by-name");

  private static final Set<String> OF_REPORTERS =
      Set.of("factory.class", "port", "filterLabelValueCharacters");

  private static final Map<String, ConfigOption<?>> OPTIONS = options();

  private FlinkSettings() {}

  /** The settings of a FlinkDeployment as Flink reads them. */
  static Configuration of(Map<String, Object> deployment) {
    Map<String, String> settings = new LinkedHashMap<>();
    Deploy.map(Deploy.at(deployment, "spec", "flinkConfiguration"))
        .forEach((key, value) -> settings.put(key, String.valueOf(value)));
    return Configuration.fromMap(settings);
  }

  /** What makes Flink's page one to look at, with an origin of its own. */
  static final Map<String, String> OF_THE_PAGE =
      Map.of(
          "web.submit.enable", "false",
          "web.cancel.enable", "false",
          "web.rescale.enable", "false",
          "web.access-control-allow-origin", "http://localhost:8081");

  /** One sentence for each key that Flink does not know, and for each value that it cannot read. */
  static List<String> problems(Configuration settings) {
    List<String> problems = new ArrayList<>();
    for (String key : settings.keySet()) {
      if (key.startsWith("kubernetes.operator.")) {
        if (!OF_THE_OPERATOR.contains(key)) {
          problems.add("unknown setting of the operator: " + key);
        }
      } else if (key.startsWith("metrics.reporter.")) {
        if (!OF_REPORTERS.contains(key.split("\\.", 4)[3])) {
          problems.add("unknown setting of a reporter: " + key);
        }
      } else if (!OPTIONS.containsKey(key)) {
        problems.add("unknown setting: " + key);
      } else {
        try {
          settings.get(OPTIONS.get(key));
        } catch (IllegalArgumentException e) {
          problems.add(key + ": " + e.getMessage());
        }
      }
    }
    return problems;
  }

  /** All options, but not their deprecated keys. */
  private static Map<String, ConfigOption<?>> options() {
    Map<String, ConfigOption<?>> options = new LinkedHashMap<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (new File(entry).getName().matches("flink-.*\\.jar")) {
        try (JarFile jar = new JarFile(entry)) {
          jar.stream()
              .map(JarEntry::getName)
              .filter(name -> name.matches("org/apache/flink/(?!.*shaded).*Options\\.class"))
              .forEach(name -> addOptions(name.replace('/', '.').replace(".class", ""), options));
        } catch (IOException e) {
          throw new IllegalStateException(entry + " cannot be read", e);
        }
      }
    }
    return options;
  }

  private static void addOptions(String type, Map<String, ConfigOption<?>> options) {
    try {
      Class<?> found = Class.forName(type, true, FlinkSettings.class.getClassLoader());
      for (Field field : found.getFields()) {
        if (Modifier.isStatic(field.getModifiers())
            && ConfigOption.class.isAssignableFrom(field.getType())) {
          ConfigOption<?> option = (ConfigOption<?>) field.get(null);
          options.put(option.key(), option);
        }
      }
    } catch (ReflectiveOperationException | LinkageError e) {
      System.err.println(type + " has parts that are not on the class path: " + e);
    }
  }
}
