package io.latimer.release;

import java.nio.file.Path;
import java.util.List;

/**
 * An artifact that a product bundles, as its bill of materials names it.
 *
 * @param classifier empty if there is none
 * @param sha256 in hexadecimal; empty for one that was not hashed
 * @param declared the licences that its POM declares: SPDX ids where there are such, else names
 */
record Component(
    String group,
    String name,
    String version,
    String classifier,
    String sha256,
    List<String> declared) {
  private static final String OURS = "io.latimer";

  /** Without the version, such as {@code org.slf4j:slf4j-api}. */
  String id() {
    return group + ":" + name;
  }

  boolean isOurs() {
    return group.equals(OURS);
  }

  /** Name, version and classifier, such as {@code javacpp-1.5.13-linux-x86_64}. */
  String fullName() {
    return name + "-" + version + (classifier.isEmpty() ? "" : "-" + classifier);
  }

  /** Where a Maven repository has the jar. */
  Path in(Path repository) {
    return repository
        .resolve(group.replace('.', '/'))
        .resolve(name)
        .resolve(version)
        .resolve(fullName() + ".jar");
  }
}
