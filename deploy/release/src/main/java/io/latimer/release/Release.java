package io.latimer.release;

import io.latimer.release.site.Site;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.apache.commons.io.FileUtils;

/**
 * Puts all files of a release into {@code target/release}, from what the other modules have built
 * in this run of Maven. Called by the POM.
 */
public final class Release {
  private static final String KERNELS = "io/latimer/kernels/kernels.properties";

  /** A folder of its own in the image, for what the ordinary context does not have. */
  private static final String COPY_LICENCE = "COPY LICENSE /usr/share/doc/latimer/LICENSE\n";

  private static final String COPY_THIRD_PARTY =
      "COPY third-party /usr/share/doc/latimer/third-party\n";

  private static final String EXAMPLES =
      """

      The models, texts and feeds in `examples/` have licences of their own: see the `README.md` of each folder.
      """;

  private final Path root;
  private final Path target;
  private final Path out;
  private final String version;
  private final String platform;
  private final Path repository;
  private final Archives archives;
  private final Policy policy;
  private final Licences licences;

  private Release(
      Path root, Path target, String version, String platform, Instant time, Path repository)
      throws IOException {
    this.root = root;
    this.target = target;
    this.out = target.resolve("release");
    this.version = version;
    this.platform = platform;
    this.repository = repository;
    this.archives = new Archives(time);
    Path licenses = root.resolve("deploy/release/licenses");
    this.policy = Policy.read(licenses.resolve("policy.yaml"));
    this.licences = new Licences(policy, licenses.resolve("texts"));
  }

  /**
   * Makes the release.
   *
   * @param args the checkout, the module's target folder, the version, the platform of the natives,
   *     the time of all files, Maven's local repository, and which kernels are needed
   */
  public static void main(String[] args) throws IOException {
    Locale.setDefault(Locale.ROOT); // the ids of headings are in lower case, in Turkish differently
    Release release =
        new Release(
            Path.of(args[0]).toAbsolutePath().normalize(),
            Path.of(args[1]),
            args[2],
            args[3],
            Instant.parse(args[4]),
            Path.of(args[5]));
    boolean all = !args[6].equals("any");
    if (all) {
      Checkout.requireClean(release.root);
    }
    release.requireUmask();
    release.requireKernels(all);
    release.make(all);
  }

  /**
   * @param complete false if the kernels may be missing, and so what the policy knows of them
   */
  private void make(boolean complete) throws IOException {
    ReleaseException.throwIfAny(
        "version " + version + " is not the same everywhere", Versions.problems(root, version));
    for (String old : List.of("release", "stage", "site")) {
      FileUtils.deleteDirectory(target.resolve(old).toFile());
    }
    Files.createDirectories(out);
    commandLine();
    beam();
    jar("flink", "pipelines/flink", "job");
    jar("flink-sql", "pipelines/flink-sql", "lib");
    image();
    if (complete) {
      licences.requireAllUsed();
    }
    chart();
    site();
    Checksums.write(out);
    try (Stream<Path> files = Files.list(out).sorted()) {
      for (Path file : files.toList()) {
        System.out.printf("release: %,13d  %s%n", Files.size(file), file.getFileName());
      }
    }
  }

  /**
   * Maven's jars have the modes of the files that are packed, so these must not depend on a user.
   */
  private void requireUmask() throws IOException {
    Path jar = root.resolve("schemas/target/latimer-schemas-" + version + ".jar");
    List<String> problems = Archives.unusualModes(jar);
    if (!problems.isEmpty()) {
      throw new ReleaseException(
          jar + " has files of unusual modes; check out and build with umask 022", problems);
    }
  }

  /** A library without kernels, or for one kind of card, must not be released by accident. */
  private void requireKernels(boolean all) throws IOException {
    Properties built = new Properties();
    Path jar = root.resolve("kernels/target/latimer-kernels-" + version + ".jar");
    try (ZipFile zip = new ZipFile(jar.toFile());
        InputStream in = zip.getInputStream(zip.getEntry(KERNELS))) {
      built.load(in);
    }
    String architectures = built.getProperty("architectures", "no GPU");
    if (all && !runOnAllCards(architectures)) {
      throw new ReleaseException(
          "the kernels are built for "
              + architectures
              + "; a release has them for all: build it where nvcc is, without -Dkernels.archs."
              + " -Drelease.kernels=any tries the rest.");
    }
  }

  /** If there is code for the oldest cards, and code that a driver compiles for new ones. */
  static boolean runOnAllCards(String architectures) {
    return architectures.matches("(?=.*\\bsm_80\\b).*\\bcompute_\\d+.*");
  }

  private void commandLine() throws IOException {
    String name = "latimer-" + version;
    Path stage = stage("cli");
    Path built = root.resolve("pipelines/cli/target");
    copy(root.resolve("latimer"), stage.resolve("bin/latimer"));
    Set<String> known = new HashSet<>();
    Map<Component, Path> jars = bundled("pipelines/cli", known);
    copyJars(built.resolve("lib"), stage.resolve("lib"), known);
    slim(stage.resolve("lib"), jars.keySet());
    copy(built.resolve("latimer-cli.jar"), stage.resolve("lib/latimer-cli.jar"));
    for (String page : List.of("README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE")) {
      copy(root.resolve(page), stage.resolve(page));
    }
    copyTree(root.resolve("docs"), stage.resolve("docs"), "");
    copyTree(root.resolve("examples"), stage.resolve("examples"), "indexes");
    licences.write(name, jars, stage);
    Files.writeString(stage.resolve("THIRD-PARTY.md"), EXAMPLES, StandardOpenOption.APPEND);
    archives.tarGz(stage, name, out.resolve(name + "-" + platform + ".tar.gz"));
    archives.zip(stage, name, out.resolve(name + "-" + platform + ".zip"));
  }

  /** Unpacks into the command line's folder. */
  private void beam() throws IOException {
    String name = "latimer-beam-" + version;
    Path stage = stage("beam");
    Path built = root.resolve("pipelines/beam/target");
    Set<String> known = new HashSet<>();
    Map<Component, Path> jars = bundled("pipelines/beam", known);
    copyJars(built.resolve("lib"), stage.resolve("beam/lib"), known);
    slim(stage.resolve("beam/lib"), jars.keySet());
    copy(built.resolve("latimer-beam.jar"), stage.resolve("beam/latimer-beam.jar"));
    copy(root.resolve("LICENSE"), stage.resolve("beam/LICENSE"));
    licences.write(name, jars, stage.resolve("beam"));
    archives.tarGz(stage, "latimer-" + version, out.resolve(name + "-" + platform + ".tar.gz"));
  }

  /** A jar with its dependencies in it, and their licences with them. */
  private void jar(String name, String module, String classifier) throws IOException {
    String file = "latimer-" + name + "-" + version + "-" + classifier + ".jar";
    Path stage = stage(name);
    licences.write(file, bundled(module, new HashSet<>()), stage.resolve("third-party"));
    Path built = root.resolve(module).resolve("target").resolve(file);
    archives.addToJar(built, stage, policy::removes, out.resolve(file));
  }

  private void image() throws IOException {
    String name = "latimer-image-" + version;
    Path stage = stage("image");
    copyTree(root.resolve("deploy/docker/target/context"), stage, "");
    Set<String> known = new HashSet<>();
    Map<Component, Path> jars = bundled("deploy/docker", known);
    Path ours = stage.resolve("flink/lib/latimer-rest-guard.jar"); // a part of the job jar
    archives.sortJar(ours);
    known.add(Checksums.sha256(ours));
    requireKnown(stage.resolve("flink/lib"), known);
    requireKnown(stage.resolve("flink/plugins"), known);
    slim(stage.resolve("flink/lib"), jars.keySet());
    archives.sortJar(stage.resolve("flink/usrlib/latimer.jar"));
    licences.write(name, jars, stage.resolve("third-party"));
    Path dockerfile = stage.resolve("Dockerfile");
    String text = Files.readString(dockerfile);
    if (!text.contains(COPY_LICENCE)) {
      throw new ReleaseException("deploy/docker/Dockerfile does not have " + COPY_LICENCE.strip());
    }
    Files.writeString(dockerfile, text.replace(COPY_LICENCE, COPY_LICENCE + COPY_THIRD_PARTY));
    archives.tarGz(stage, name, out.resolve(name + ".tar.gz"));
  }

  /** As {@code helm package} does, whose archives differ each time. */
  private void chart() throws IOException {
    Path stage = stage("chart");
    copyTree(root.resolve("deploy/helm/latimer"), stage, "");
    copy(root.resolve("LICENSE"), stage.resolve("LICENSE"));
    Path chart = stage.resolve("Chart.yaml");
    Files.writeString(
        chart,
        Files.readString(chart).replaceFirst("(?m)^version: .*$", "version: \"" + version + '"'));
    archives.tarGz(stage, "latimer", out.resolve("latimer-" + version + ".tgz"));
  }

  private void site() throws IOException {
    Path site = target.resolve("site");
    ReleaseException.throwIfAny(
        "pages of the site",
        Site.make(root, version, root.resolve("deploy/release/site/navigation.yaml"), site));
    String name = "latimer-site-" + version;
    archives.tarGz(site, name, out.resolve(name + ".tar.gz"));
  }

  /**
   * The components that a module bundles, with their jars; copies its bill of materials.
   *
   * @param known gets the SHA-256 of each
   */
  private Map<Component, Path> bundled(String module, Set<String> known) throws IOException {
    Path bom = root.resolve(module).resolve("target/bom.json");
    Map<Component, Path> jars = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    for (Component component : Bom.read(bom)) {
      Path jar = component.isOurs() ? ours(component) : component.in(repository);
      if (!Files.isRegularFile(jar) || !Checksums.sha256(jar).equals(component.sha256())) {
        problems.add(component.fullName() + " is not the one at " + jar);
      }
      known.add(component.sha256());
      jars.put(component, jar);
    }
    ReleaseException.throwIfAny(bom + " is of another build; run mvn clean", problems);
    String name = module.equals("pipelines/cli") ? "" : "-" + module.replaceFirst(".*/", "");
    copy(
        bom,
        out.resolve("latimer" + name.replace("docker", "image") + "-" + version + ".cdx.json"));
    return jars;
  }

  private Path ours(Component component) throws IOException {
    for (String module :
        List.of(
            "schemas",
            "kernels",
            "operators-gpu",
            "embedded-kafka",
            "pipelines/common",
            "pipelines/flink")) {
      Path jar = root.resolve(module).resolve("target").resolve(component.fullName() + ".jar");
      if (Files.exists(jar)) {
        return jar;
      }
    }
    throw new ReleaseException(
        component.fullName() + " is not built; build all modules with -Prelease");
  }

  private static void copyJars(Path from, Path to, Set<String> known) throws IOException {
    copyTree(from, to, "");
    requireKnown(to, known);
  }

  private static void requireKnown(Path folder, Set<String> known) throws IOException {
    List<String> problems = new ArrayList<>();
    for (Path jar : Archives.files(folder)) {
      if (!known.contains(Checksums.sha256(jar))) {
        problems.add(jar.getFileName().toString());
      }
    }
    ReleaseException.throwIfAny(
        "jars that are in no bill of materials, such as those of an earlier build: run mvn clean",
        problems);
  }

  /** Removes what the policy removes from jars. */
  private void slim(Path folder, Set<Component> components) throws IOException {
    for (Component component : components) {
      Policy.Entry entry = policy.of(component);
      Path jar = folder.resolve(component.fullName() + ".jar");
      if (!entry.removed().isEmpty() && Files.exists(jar)) {
        Archives.removeFromJar(jar, entry::removes);
      }
    }
  }

  private Path stage(String name) throws IOException {
    return Files.createDirectories(target.resolve("stage").resolve(name));
  }

  private static void copy(Path from, Path to) throws IOException {
    if (!Files.isRegularFile(from)) {
      throw new ReleaseException(from + " is missing; build all modules with -Prelease");
    }
    Files.createDirectories(to.getParent());
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Copies a folder, but not the folder of a name in it. */
  private static void copyTree(Path from, Path to, String without) throws IOException {
    if (!Files.isDirectory(from)) {
      throw new ReleaseException(from + " is missing; build all modules with -Prelease");
    }
    for (Path file : Archives.files(from)) {
      Path relative = from.relativize(file);
      if (!relative.getName(0).toString().equals(without)) {
        copy(file, to.resolve(relative.toString()));
      }
    }
  }
}
