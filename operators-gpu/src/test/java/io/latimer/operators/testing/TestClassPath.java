package io.latimer.operators.testing;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Where the classes of the tests come from, whoever runs them: Maven, or the bundle's console. */
public final class TestClassPath {
  private TestClassPath() {}

  /** The entries as the command line of another process takes them. */
  public static String joined() throws Exception {
    return entries().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  /** The entries as a class loader takes them. */
  public static URL[] urls() throws Exception {
    List<URL> urls = new ArrayList<>();
    for (Path entry : entries()) {
      urls.add(entry.toUri().toURL());
    }
    return urls.toArray(new URL[0]);
  }

  /** The entries, in order. */
  public static List<Path> entries() throws Exception {
    List<Path> entries = new ArrayList<>();
    if (TestClassPath.class.getClassLoader() instanceof URLClassLoader loader) {
      for (URL url : loader.getURLs()) {
        entries.add(Path.of(url.toURI()));
      }
      return entries;
    }
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      entries.add(Path.of(entry));
    }
    return entries;
  }
}
