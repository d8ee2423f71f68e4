package io.latimer.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.marcnuri.helm.Helm;
import io.latimer.release.site.Links;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the release that was just made, used as after a download. */
@Tag("released")
class ReleasedTest {
  /** Jars of Latimer's own classes alone, which are not components of a bill of materials. */
  private static final Set<String> OWN = Set.of("latimer-cli", "latimer-rest-guard");

  private static final Path RELEASE = Path.of(System.getProperty("latimer.release", "."));
  private static final String VERSION = System.getProperty("latimer.version", "");

  /** Programs that the launcher calls; nothing else is on the path, so no Maven. */
  private static final List<String> TOOLS =
      List.of("sh", "dirname", "readlink", "sed", "stty", "cut");

  @TempDir Path folder;

  private static Path file(String pattern) throws IOException {
    Pattern name = Pattern.compile(pattern.replace("VERSION", Pattern.quote(VERSION)));
    try (Stream<Path> files = Files.list(RELEASE)) {
      List<Path> found =
          files.filter(file -> name.matcher(file.getFileName().toString()).matches()).toList();
      assertThat(found).as(pattern).hasSize(1);
      return found.get(0).toAbsolutePath();
    }
  }

  private Path unpack(Path archive) throws Exception {
    boolean zip = archive.toString().endsWith(".zip");
    String[] command =
        zip
            ? new String[] {"unzip", "-q", archive.toString()}
            : new String[] {"tar", "-xzf", archive.toString()};
    assertThat(Shell.run(folder, command)).isEqualTo(new Shell(0, ""));
    return folder.resolve("latimer-" + VERSION);
  }

  /** Runs the command line with a Java and nothing else: no Maven, no home with a repository. */
  private Shell latimer(Path home, String... arguments) throws Exception {
    Path tools = Files.createDirectories(folder.resolve("tools"));
    for (String tool : TOOLS) {
      Path link = tools.resolve(tool);
      if (!Files.exists(link)) {
        Files.createSymbolicLink(link, which(tool));
      }
    }
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", tools.toString());
    environment.put("HOME", Files.createDirectories(folder.resolve("home")).toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("LANG", "C.UTF-8");
    environment.put("LATIMER_JAVA_OPTS", "-Djava.io.tmpdir=" + folder);
    String[] command = new String[arguments.length + 1];
    command[0] = home.resolve("bin/latimer").toString();
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    return Shell.run(environment, folder, command);
  }

  private static Path which(String tool) {
    return Stream.of("/usr/bin", "/bin")
        .map(bin -> Path.of(bin, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {".tar.gz", ".zip"})
  void theCommandLineRunsWithAJdkAlone(String suffix) throws Exception {
    Path home = unpack(file("latimer-VERSION-(?:linux|macosx|windows).*" + Pattern.quote(suffix)));
    assertThat(latimer(home, "--version").output()).contains(VERSION);
    Files.writeString(folder.resolve("in.txt"), "Good morning!\n");
    Shell translated = latimer(home, "translate", folder.resolve("in.txt").toString());
    assertThat(translated.output()).contains("Guten Morgen!");
    assertThat(translated.status()).isZero();
    Shell run =
        latimer(home, "run", "--config", home.resolve("examples/jobs/list.yaml").toString());
    assertThat(run.status()).as(run.output()).isZero();
    assertThat(run.output()).contains("Guten Morgen!").contains("Gleis 7");
  }

  @Test
  void saysWhichJavaItNeeds() throws Exception {
    Path home = unpack(file("latimer-VERSION-(?:linux|macosx|windows).*\\.tar\\.gz"));
    Path old = Files.createDirectories(folder.resolve("jdk-11/bin"));
    Files.writeString(folder.resolve("jdk-11/release"), "JAVA_VERSION=\"11.0.2\"\n");
    Path java = Files.writeString(old.resolve("java"), "#!/bin/sh\necho started\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Shell shell =
        Shell.run(
            Map.of("PATH", System.getenv("PATH"), "JAVA_HOME", folder.resolve("jdk-11").toString()),
            folder,
            home.resolve("bin/latimer").toString(),
            "--version");
    assertThat(shell.status()).isEqualTo(1);
    assertThat(shell.output()).endsWith("is Java 11; Latimer needs Java 17: set JAVA_HOME to one.");
  }

  @Test
  void beamUnpacksBesideTheCommandLine() throws Exception {
    Path home = unpack(file("latimer-VERSION-(?:linux|macosx|windows).*\\.tar\\.gz"));
    Path input = Files.writeString(folder.resolve("in.txt"), "Good morning!\n");
    Path model = home.resolve("examples/models/tatoeba-en-de.lmx");
    String[] command = {
      "beam",
      "translate",
      "--model",
      model.toString(),
      "--input",
      input.toString(),
      "--output",
      folder.resolve("out.txt").toString()
    };
    Shell without = latimer(home, command);
    assertThat(without.output()).contains("unpack its archive latimer-beam");
    unpack(file("latimer-beam-VERSION-.*\\.tar\\.gz"));
    Shell with = latimer(home, command);
    assertThat(with.status()).as(with.output()).isZero();
    assertThat(folder.resolve("out.txt")).content().contains("Guten Morgen!");
  }

  @Test
  void theChecksumsAreThoseOfAllFiles() throws Exception {
    Shell check = Shell.run(RELEASE, "sha256sum", "--strict", "-c", Checksums.FILE);
    assertThat(check.status()).as(check.output()).isZero();
    try (Stream<Path> files = Files.list(RELEASE)) {
      assertThat(check.output().lines().map(line -> line.replace(": OK", "")))
          .containsExactlyInAnyOrderElementsOf(
              files
                  .map(file -> file.getFileName().toString())
                  .filter(name -> !name.equals(Checksums.FILE))
                  .toList());
    }
  }

  @Test
  void everyArchiveHasTheLicencesOfWhatIsInIt() throws Exception {
    Path home = unpack(file("latimer-VERSION-(?:linux|macosx|windows).*\\.tar\\.gz"));
    describesAll(home, home.resolve("lib"));
    unpack(file("latimer-beam-VERSION-.*\\.tar\\.gz"));
    describesAll(home.resolve("beam"), home.resolve("beam/lib"));
    unpack(file("latimer-image-VERSION\\.tar\\.gz"));
    Path image = folder.resolve("latimer-image-" + VERSION);
    describesAll(image.resolve("third-party"), image.resolve("flink/lib"));
    for (String jar :
        List.of("latimer-flink-VERSION-job.jar", "latimer-flink-sql-VERSION-lib.jar")) {
      try (JarFile opened = new JarFile(file(jar).toFile(), true)) {
        Attributes manifest = opened.getManifest().getMainAttributes();
        assertThat(manifest.getValue("Main-Class"))
            .isEqualTo(jar.contains("job") ? "io.latimer.pipelines.flink.TranslationJob" : null);
        assertThat(manifest.getValue("Implementation-Version")).isEqualTo(VERSION);
      }
      Path unpacked = Files.createDirectories(folder.resolve(jar));
      assertThat(Shell.run(unpacked, "unzip", "-qo", file(jar).toString()).status()).isZero();
      assertThat(unpacked.resolve("META-INF/third-party/THIRD-PARTY.md"))
          .content()
          .contains("**openblas-", "GCC's libquadmath: LGPL-2.1-or-later")
          .contains("the CUDA runtime (libcudart_static.a): LicenseRef-NVIDIA-CUDA");
      assertThat(unpacked.resolve("META-INF/third-party/licenses")).isNotEmptyDirectory();
      try (Stream<Path> files = Files.walk(unpacked)) {
        assertThat(files.map(Path::getFileName).map(Path::toString))
            .noneMatch(name -> name.startsWith("libJNvPTXCompiler"));
      }
    }
  }

  /** Names each jar of a folder, and has the texts that it refers to. */
  private static void describesAll(Path licences, Path jars) throws IOException {
    String page = Files.readString(licences.resolve("THIRD-PARTY.md"));
    Set<String> described = new HashSet<>();
    Pattern.compile("\\*\\*(.*?)\\*\\*")
        .matcher(page)
        .results()
        .forEach(r -> described.add(r.group(1)));
    for (Path jar : Archives.files(jars)) {
      String name = jar.getFileName().toString().replaceFirst("\\.jar$", "");
      if (!OWN.contains(name)) {
        assertThat(described).contains(name);
      }
      assertThat(JarContent.of(jar).natives())
          .noneMatch(path -> path.contains("libJNvPTXCompiler"));
    }
    List<String> texts =
        Pattern.compile("`(licenses/[^`]*)`").matcher(page).results().map(r -> r.group(1)).toList();
    assertThat(texts).isNotEmpty().allSatisfy(text -> assertThat(licences.resolve(text)).exists());
  }

  @Test
  void theImageContextHasWhatItsDockerfileCopies() throws Exception {
    unpack(file("latimer-image-VERSION\\.tar\\.gz"));
    Path context = folder.resolve("latimer-image-" + VERSION);
    List<String> sources =
        Files.readString(context.resolve("Dockerfile"))
            .lines()
            .filter(line -> line.startsWith("COPY ") && !line.contains("--from="))
            .map(line -> line.split(" ", 3)[1])
            .toList();
    assertThat(sources).contains("flink/usrlib", "third-party");
    assertThat(sources).allSatisfy(source -> assertThat(context.resolve(source)).exists());
    for (String script :
        List.of("docker-entrypoint.sh", "fetch-models", "flink/bin/flink-process")) {
      assertThat(Files.isExecutable(context.resolve(script))).as(script).isTrue();
    }
  }

  @Test
  void helmReadsTheChart() throws Exception {
    String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    assumeTrue(
        platform.toLowerCase(Locale.ROOT).equals("linux amd64"),
        "Helm's library is here for Linux on x86-64 only, this is " + platform);
    Path chart = file("latimer-VERSION\\.tgz");
    assertThat(new Helm(chart).lint().strict().call().isFailed()).isFalse();
    assertThat(Shell.run(folder, "tar", "-xzf", chart.toString()).status()).isZero();
    assertThat(folder.resolve("latimer/Chart.yaml"))
        .content()
        .contains("version: \"" + VERSION + "\"");
    Path source = Path.of(System.getProperty("latimer.root"), "deploy/helm/latimer");
    assertThat(rendered(folder.resolve("latimer"))).isEqualTo(rendered(source));
  }

  private static String rendered(Path chart) {
    return new Helm(chart)
        .template()
        .withName("latimer")
        .withNamespace("latimer")
        .withKubeVersion("1.30.0")
        .call()
        .replaceAll("latimer-[0-9.]+(?:-SNAPSHOT)?\\b", "latimer-VERSION");
  }

  @Test
  void allLinksOfTheSiteLeadSomewhere() throws Exception {
    unpack(file("latimer-site-VERSION\\.tar\\.gz"));
    Path site = folder.resolve("latimer-site-" + VERSION);
    assertThat(Links.pages(site)).hasSizeGreaterThan(20);
    assertThat(Links.broken(site)).isEmpty();
  }
}
