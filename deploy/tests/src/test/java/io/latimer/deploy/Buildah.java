package io.latimer.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;

/**
 * Builds images without a daemon, from a base of the configured Debian source and this process's
 * Java: the registry's images are not needed. Its storage is below {@code target/}.
 */
final class Buildah {
  private static final String BASE = "localhost/base:debian";
  private static final String JRE = "localhost/base:jre";
  private static final Map<String, String> CHROOT = Map.of("BUILDAH_ISOLATION", "chroot");

  private final Path folder;

  Buildah(Path folder) {
    this.folder = folder;
  }

  /** Runs buildah, and returns what it wrote. */
  private String buildah(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "buildah",
                "--storage-driver",
                "vfs",
                "--root",
                folder.resolve("storage").toString(),
                "--runroot",
                folder.resolve("run").toString()));
    command.addAll(List.of(arguments));
    return run(command);
  }

  private String run(List<String> command) throws Exception {
    Shell done = Shell.run(CHROOT, Files.createDirectories(folder), command);
    assertThat(done.status()).as(command + "\n" + done.output()).isZero();
    return done.output();
  }

  /** Makes the images that the Dockerfile begins with, once for each storage. */
  void makeBases() throws Exception {
    if (!exists(BASE)) {
      Path root = folder.resolve("debian");
      delete(root);
      run(List.of("debootstrap", "--variant=minbase", release(), root.toString(), mirror()));
      commit(BASE, root, "/");
      delete(root);
    }
    if (!exists(JRE)) {
      Path java = folder.resolve("java");
      delete(java);
      int linked =
          ToolProvider.findFirst("jlink")
              .orElseThrow()
              .run(
                  System.out,
                  System.err,
                  "--add-modules",
                  "ALL-MODULE-PATH",
                  "--strip-java-debug-attributes",
                  "--no-header-files",
                  "--no-man-pages",
                  "--output",
                  java.toString());
      assertThat(linked).as("jlink").isZero();
      commit(JRE, java, "/opt/java/openjdk");
      delete(java);
    }
  }

  private boolean exists(String image) throws Exception {
    return buildah("images", "--format", "{{.Name}}:{{.Tag}}").lines().anyMatch(image::equals);
  }

  private void commit(String image, Path files, String target) throws Exception {
    String container = buildah("from", "scratch");
    buildah("add", container, files.toString(), target);
    buildah("commit", "--rm", container, image);
  }

  private void delete(Path path) throws Exception {
    run(List.of("rm", "-rf", path.toString()));
  }

  private static String release() throws Exception {
    return sources("$(CODENAME)");
  }

  private static String mirror() throws Exception {
    return sources("$(REPO_URI)");
  }

  /** A property of apt's first source that is the distribution itself. */
  private static String sources(String property) throws Exception {
    Shell asked =
        Shell.run(
            Map.of(),
            Path.of("/"),
            List.of(
                "apt-get",
                "indextargets",
                "--format",
                property,
                "Created-By: Packages",
                "Component: main"));
    assertThat(asked.output()).as("apt's sources").isNotEmpty();
    return asked.lines().get(0);
  }

  /** Builds a stage of the Dockerfile. */
  String build(Path context, String stage) throws Exception {
    String image = "localhost/latimer:" + stage;
    buildah(
        "build",
        "--pull-never",
        "--target",
        stage,
        "--build-arg",
        "CPU_IMAGE=" + BASE,
        "--build-arg",
        "CUDA_IMAGE=" + BASE,
        "--build-arg",
        "JRE_IMAGE=" + JRE,
        "--tag",
        image,
        context.toString());
    return image;
  }

  /** The files of a new container, and how the image runs; their root is not to be written to. */
  ImageFiles files(String image) throws Exception {
    String root = buildah("mount", buildah("from", "--pull-never", image));
    JsonNode inspected = new ObjectMapper().readTree(buildah("inspect", "--type", "image", image));
    return new ImageFiles(Path.of(root), inspected.path("OCIv1").path("config"));
  }

  /** The length of all files in a folder, in bytes. */
  long bytes(Path root) throws Exception {
    return Long.parseLong(run(List.of("du", "-sb", root.toString())).split("\t", 2)[0]);
  }

  /** Removes containers, not the images. */
  void removeContainers() throws Exception {
    buildah("rm", "--all");
  }
}
