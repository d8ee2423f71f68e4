package io.latimer.e2e.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/** Jars of a few of the test's classes. */
final class Jars {
  private Jars() {}

  /** Writes a jar of classes of this class path. */
  static Path write(Path file, List<Class<?>> classes) throws IOException {
    return write(file, new Manifest(), classes);
  }

  /** Writes the jar of a Java agent. */
  static Path writeAgent(Path file, Class<?> agent) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", agent.getName());
    return write(file, manifest, List.of(agent));
  }

  private static Path write(Path file, Manifest manifest, List<Class<?>> classes)
      throws IOException {
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file), manifest)) {
      for (Class<?> type : classes) {
        String name = type.getName().replace('.', '/') + ".class";
        jar.putNextEntry(new ZipEntry(name));
        try (InputStream in = type.getClassLoader().getResourceAsStream(name)) {
          in.transferTo(jar);
        }
        jar.closeEntry();
      }
    }
    return file;
  }
}
