package io.latimer.e2e;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The jars for Flink that this build made. */
public final class JobJar {
  /** Where the jar for {@code lib/} has other people's classes. */
  private static final String RELOCATED = "io/latimer/shaded/";

  private JobJar() {}

  /**
   * Finds the job jar for {@code flink run}. A narrow build leaves it out ({@code
   * -Dlatimer.job-jar.skip}): the test is skipped then, and says why; under {@code CI=true} it
   * fails.
   */
  public static Path require() throws IOException {
    return require("pipelines/flink", "job");
  }

  /** Finds the jar for Flink's {@code lib/}, with the models of Flink SQL. */
  static Path requireSql() throws IOException {
    return require("pipelines/flink-sql", "lib");
  }

  /** Finds the jar that the command line starts for Beam, beside its libraries. */
  static Path requireBeam() throws IOException {
    return require("pipelines/beam", "beam");
  }

  private static Path require(String module, String classifier) throws IOException {
    Path folder = Flow.ROOT.resolve(module).resolve("target");
    List<Path> jars;
    try (Stream<Path> files = Files.list(folder)) {
      jars = files.filter(file -> file.toString().endsWith("-" + classifier + ".jar")).toList();
    }
    for (Path jar : jars) {
      if (isOfThisBuild(jar)) {
        return jar;
      }
    }
    String message =
        "no "
            + classifier
            + (jars.isEmpty() ? " jar in " : " jar of this build, but an older one, in ")
            + folder
            + "; build it: mvn -pl "
            + module
            + " -am package";
    if ("true".equals(System.getenv("CI"))) {
      throw new AssertionError(message);
    }
    return abort(message);
  }

  /** Whether our classes in the jar are the tested ones. */
  public static boolean isOfThisBuild(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry entry : file.stream().toList()) {
        String name = entry.getName();
        if (name.startsWith("io/latimer/")
            && !name.startsWith(RELOCATED)
            && name.endsWith(".class")) {
          try (InputStream built = JobJar.class.getClassLoader().getResourceAsStream(name);
              InputStream packed = file.getInputStream(entry)) {
            if (built == null || !isSame(built.readAllBytes(), packed.readAllBytes())) {
              return false;
            }
          }
        }
      }
      return true;
    }
  }

  /** Whether a class was packed as it was built, or with other names of relocated packages. */
  static boolean isSame(byte[] built, byte[] packed) throws IOException {
    return Arrays.equals(built, packed)
        || (new String(packed, StandardCharsets.ISO_8859_1).contains(RELOCATED)
            && ClassConstants.of(built, RELOCATED).equals(ClassConstants.of(packed, RELOCATED)));
  }
}
