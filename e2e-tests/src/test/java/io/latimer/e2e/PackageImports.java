package io.latimer.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which of our packages import each other, read from their sources: in class files, an import only
 * for Javadoc or for a constant leaves no trace.
 */
final class PackageImports {
  private static final Pattern DECLARATION =
      Pattern.compile(
          "^(?:package|import(?: static)?) (io\\.latimer(?:\\.[a-z]\\w*)*)", Pattern.MULTILINE);

  private final Map<String, Set<String>> imports = new TreeMap<>();

  /** Adds the sources in a folder and below it. */
  void add(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files.filter(file -> file.toString().endsWith(".java")).forEach(this::addFile);
    }
  }

  private void addFile(Path file) {
    String source;
    try {
      source = Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Matcher declarations = DECLARATION.matcher(source);
    if (declarations.find()) { // its own package comes first
      String own = declarations.group(1);
      Set<String> others = imports.computeIfAbsent(own, name -> new TreeSet<>());
      while (declarations.find()) {
        others.add(declarations.group(1));
      }
      others.remove(own);
    }
  }

  /** The packages in or between cycles, with their imports of each other; empty without cycles. */
  Map<String, Set<String>> cycles() {
    Map<String, Set<String>> rest = new TreeMap<>();
    imports.forEach((name, others) -> rest.put(name, new TreeSet<>(others)));
    int before;
    do {
      before = rest.size();
      rest.values().forEach(others -> others.retainAll(rest.keySet()));
      rest.values().removeIf(Set::isEmpty);
      rest.keySet()
          .retainAll(rest.values().stream().flatMap(Set::stream).collect(Collectors.toSet()));
    } while (rest.size() < before);
    return rest;
  }
}
