package io.latimer.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Dockerfile, its build context, and what starts a process in the image. */
class ImageTest {
  private static final List<String> INSTRUCTIONS =
      List.of(
          "ARG", "FROM", "ENV", "LABEL", "RUN", "COPY", "WORKDIR", "USER", "EXPOSE", "ENTRYPOINT");

  private static final String GUARD_SERVICE =
      "META-INF/services/org.apache.flink.runtime.io.network.netty.InboundChannelHandlerFactory";

  private static final String PINNED = "# Pinned on \\d{4}-\\d{2}-\\d{2}\\.";

  @TempDir Path folder;

  /** The instructions of the Dockerfile, without comments and with continued lines joined. */
  private static List<String> instructions() {
    String text = Deploy.read(Deploy.DOCKER.resolve("Dockerfile"));
    return Arrays.stream(
            text.replaceAll("(?m)^\\s*#.*\\n", "").replaceAll("\\\\\\n\\s*", "").split("\\n"))
        .filter(line -> !line.isBlank())
        .toList();
  }

  private static List<String> instructions(String name) {
    return instructions().stream()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(name.length() + 1))
        .toList();
  }

  @Test
  void hasOnlyKnownInstructions() {
    assertThat(instructions())
        .allSatisfy(line -> assertThat(INSTRUCTIONS).contains(line.split(" ", 2)[0]));
  }

  @Test
  void startsFromImagesPinnedByDigest() {
    Set<String> known = new HashSet<>(Set.of("scratch"));
    List<String> images = new ArrayList<>();
    for (String argument : instructions("ARG")) {
      if (argument.matches("[A-Z]+_IMAGE=.*")) {
        String name = argument.split("=", 2)[0];
        known.add("${" + name + "}");
        images.add(argument.split("=", 2)[1]);
      }
    }
    assertThat(images)
        .hasSize(3)
        .allSatisfy(
            image ->
                assertThat(image)
                    .matches("[a-z/-]+:[a-z0-9._-]*[0-9]{2}[a-z0-9._-]*@sha256:[0-9a-f]{64}"));
    // not of a stage that an argument names: only Docker's builder takes that
    assertThat(instructions("FROM"))
        .allSatisfy(from -> assertThat(known).contains(from.split(" ", 2)[0]));
  }

  /** The instructions after the FROM of a stage. */
  private static List<String> stage(String from) {
    List<String> all = instructions();
    List<String> after = all.subList(all.indexOf("FROM " + from) + 1, all.size());
    return after.stream().takeWhile(line -> !line.startsWith("FROM ")).toList();
  }

  @Test
  void differsOnTheGpuInItsBaseAndNvidiasVariablesOnly() {
    List<String> cpu = stage("${CPU_IMAGE} AS cpu");
    List<String> gpu = stage("${CUDA_IMAGE} AS gpu");
    assertThat(gpu.get(0)).startsWith("ENV NVIDIA_VISIBLE_DEVICES=all ");
    assertThat(gpu.subList(1, gpu.size())).isNotEmpty().isEqualTo(cpu);
  }

  @Test
  void runsAsFlinksUserAndOwnsNothingThatItRuns() {
    assertThat(instructions("USER")).containsExactly("9999:9999", "9999:9999");
    List<String> cpu = stage("${CPU_IMAGE} AS cpu");
    int user = cpu.indexOf("USER 9999:9999");
    assertThat(cpu.subList(user, cpu.size()))
        .allSatisfy(line -> assertThat(line).doesNotStartWith("COPY").doesNotStartWith("RUN"));
    assertThat(instructions("COPY")).allSatisfy(copy -> assertThat(copy).doesNotContain("--chown"));
  }

  @Test
  void installsPackagesInOneLayerWithoutTheirLists() {
    List<String> installs =
        stage("${CPU_IMAGE} AS cpu").stream()
            .filter(run -> run.contains("apt-get install"))
            .toList();
    assertThat(installs)
        .singleElement()
        .asString()
        .startsWith("RUN apt-get update && ")
        .contains("install -y --no-install-recommends")
        .contains("rm -rf /var/lib/apt/lists/*");
  }

  /** Runs make.sh on a few small jars instead of those that Maven copies. */
  private Path context() throws Exception {
    Path docker = folder.resolve("deploy/docker");
    copy(Deploy.DOCKER, docker);
    Files.createDirectories(folder.resolve("pipelines/flink/target"));
    Files.copy(Deploy.ROOT.resolve("LICENSE"), folder.resolve("LICENSE"));
    jar(docker.resolve("target/lib/flink-core-1.jar"), "org/apache/flink/A.class");
    jar(docker.resolve("target/plugins/flink-s3-fs-hadoop.jar"), "org/apache/flink/B.class");
    jar(
        folder.resolve("pipelines/flink/target/latimer-flink-1-job.jar"),
        "META-INF/MANIFEST.MF",
        "io/latimer/pipelines/flink/TranslationJob.class",
        "io/latimer/pipelines/flink/rest/RestGuard.class",
        GUARD_SERVICE,
        "io/latimer/kernels/linux-x86_64/liblatimer_kernels.so",
        "jcuda/driver/JCudaDriver.class",
        "lib/libJCudaDriver-12.6.0-linux-x86_64.so",
        "com/sun/jna/Native.class",
        "com/sun/other/Kept.class");
    Shell made =
        Shell.run(
            Map.of(),
            folder,
            List.of(
                "sh",
                "-c",
                "umask 077; sh deploy/docker/make.sh \"$0\" 1",
                System.getProperty("java.home")));
    assertThat(made).isEqualTo(new Shell(0, ""));
    return docker.resolve("target/context");
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(one -> !one.startsWith(from.resolve("target"))).toList()) {
        Path target = to.resolve(from.relativize(file));
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
  }

  private static void jar(Path file, String... names) throws IOException {
    Files.createDirectories(file.getParent());
    try (OutputStream out = Files.newOutputStream(file);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (String name : names) {
        zip.putNextEntry(new ZipEntry(name));
        String content = name.endsWith(".MF") ? "Manifest-Version: 1.0\nMain-Class: M\n\n" : name;
        zip.write(content.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  @Test
  void anyUserMayReadItsContext() throws Exception {
    Path context = context();
    try (Stream<Path> files = Files.walk(context)) {
      assertThat(files.toList())
          .allSatisfy(
              file -> {
                Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(file);
                assertThat(allowed).contains(PosixFilePermission.OTHERS_READ);
                if (Files.isDirectory(file)) {
                  assertThat(allowed).contains(PosixFilePermission.OTHERS_EXECUTE);
                }
              });
    }
  }

  private static List<String> files(JarFile jar) {
    return jar.stream().map(ZipEntry::getName).filter(name -> !name.endsWith("/")).toList();
  }

  @Test
  void itsContextHasAllThatIsCopied() throws Exception {
    Path context = context();
    assertThat(context.resolve("Dockerfile")).isRegularFile();
    for (String copy : instructions("COPY")) {
      if (!copy.startsWith("--from=")) {
        assertThat(context.resolve(copy.split(" ", 2)[0])).exists();
      }
    }
    for (String script :
        List.of("docker-entrypoint.sh", "fetch-models", "flink/bin/flink-process")) {
      assertThat(context.resolve(script)).isExecutable();
    }
    assertThat(context.resolve("flink/plugins/s3-fs-hadoop/flink-s3-fs-hadoop.jar")).exists();
    Path guard = context.resolve("flink/lib/latimer-rest-guard.jar");
    try (JarFile job = new JarFile(context.resolve("flink/usrlib/latimer.jar").toFile());
        JarFile beside = new JarFile(guard.toFile())) {
      assertThat(files(beside))
          .containsExactlyInAnyOrder(
              "io/latimer/pipelines/flink/rest/RestGuard.class", GUARD_SERVICE);
      assertThat(files(job))
          .containsExactlyInAnyOrder(
              "META-INF/MANIFEST.MF",
              "io/latimer/pipelines/flink/TranslationJob.class",
              "com/sun/other/Kept.class");
      assertThat(job.getManifest().getMainAttributes().getValue("Main-Class")).isEqualTo("M");
    }
  }

  @Test
  void aMissingJobJarIsNamed() throws Exception {
    Path docker = folder.resolve("deploy/docker");
    copy(Deploy.DOCKER, docker);
    Shell made = Shell.run(Map.of(), folder, List.of("sh", "deploy/docker/make.sh", "/jdk", "1"));
    assertThat(made.status()).isEqualTo(1);
    assertThat(made.output()).contains("latimer-flink-1-job.jar; build it first");
  }

  @Test
  void pinRenewsTheDigestsOfAllImages() throws Exception {
    Path docker = folder.resolve("deploy/docker");
    copy(Deploy.DOCKER, docker);
    String digest = "sha256:" + "0123456789abcdef".repeat(4);
    Path asked = folder.resolve("asked");
    Shell.script(folder.resolve("docker"), "echo $* >>" + asked + "; echo " + digest + "\n");
    Map<String, String> path = Map.of("PATH", folder + ":" + System.getenv("PATH"));
    List<String> pin = List.of(docker.resolve("pin").toString());
    assertThat(Shell.run(path, folder, pin)).isEqualTo(new Shell(0, ""));
    for (String name : List.of("Dockerfile", "compose.yaml")) {
      String old = Deploy.read(Deploy.DOCKER.resolve(name));
      assertThat(Files.readString(docker.resolve(name)).replaceAll(PINNED, ""))
          .isEqualTo(old.replaceAll("@sha256:[0-9a-f]{64}", "@" + digest).replaceAll(PINNED, ""))
          .isNotEqualTo(old);
    }
    assertThat(Shell.run(path, folder, List.of(pin.get(0), "--check"))).isEqualTo(new Shell(0, ""));
    assertThat(asked)
        .content()
        .hasLineCount(6)
        .startsWith("buildx imagetools inspect --format {{.Manifest.Digest}} eclipse-temurin:17.")
        .doesNotContain("@");

    Shell.script(folder.resolve("docker"), "echo unknown\n");
    Shell refused = Shell.run(path, folder, pin);
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.output()).contains("docker gave 'unknown' as the digest of eclipse-temurin");
  }

  @Test
  void pinChecksTheAgeOfTheImages() throws Exception {
    Path docker = folder.resolve("deploy/docker");
    copy(Deploy.DOCKER, docker);
    Path file = docker.resolve("Dockerfile");
    String text = Files.readString(file);
    assertThat(text).containsPattern(PINNED);
    Map<LocalDate, Integer> expected =
        Map.of(
            LocalDate.now(ZoneOffset.UTC), 0,
            LocalDate.now(ZoneOffset.UTC).minusMonths(3), 0,
            LocalDate.now(ZoneOffset.UTC).minusMonths(5), 1);
    for (Map.Entry<LocalDate, Integer> one : expected.entrySet()) {
      Files.writeString(file, text.replaceAll(PINNED, "# Pinned on " + one.getKey() + "."));
      Shell checked =
          Shell.run(Map.of(), folder, List.of(docker.resolve("pin").toString(), "--check"));
      assertThat(checked.status()).as(checked.output()).isEqualTo(one.getValue());
    }
    Files.writeString(file, text.replaceAll(PINNED, ""));
    assertThat(
            Shell.run(Map.of(), folder, List.of(docker.resolve("pin").toString(), "--check"))
                .output())
        .contains("Dockerfile has no line '# Pinned on YYYY-MM-DD.'");
  }

  /** Runs a script of the image with a JVM that prints its arguments. */
  private Shell start(Map<String, String> environment, String... command) throws Exception {
    Path home = Files.createDirectories(folder.resolve("flink"));
    Files.createDirectories(home.resolve("conf"));
    Files.createDirectories(home.resolve("lib"));
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(home.resolve("lib/a.jar"), "");
    Files.writeString(home.resolve("lib/b.jar"), "");
    for (String name :
        List.of("flink-process", "kubernetes-jobmanager.sh", "kubernetes-taskmanager.sh")) {
      Path script = home.resolve("bin").resolve(name);
      Files.deleteIfExists(script);
      Files.copy(Deploy.DOCKER.resolve("flink/bin").resolve(name), script);
    }
    Shell.script(
        folder.resolve("jre/bin/java"),
"""
case " $* " in
  *" GET_JM_RESOURCE_PARAMS "*) echo noise; echo BASH_JAVA_UTILS_EXEC_RESULT:-Xmx1m; echo "BASH_JAVA_UTILS_EXEC_RESULT:-D j=$#" ;;
  *" GET_TM_RESOURCE_PARAMS "*) echo BASH_JAVA_UTILS_EXEC_RESULT:-Xmx2m -Xms2m; echo "BASH_JAVA_UTILS_EXEC_RESULT:-D t=1" ;;
  *" UPDATE_AND_GET_FLINK_CONFIGURATION "*)
    echo "BASH_JAVA_UTILS_EXEC_RESULT:env.java.opts.all: '-Dall=* -Dmore=1'"
    echo "BASH_JAVA_UTILS_EXEC_RESULT:env.java.opts.taskmanager: -Dtm=1" ;;
  *) printf '%s\\n' "$@" ;;
esac
""");
    Map<String, String> all = new HashMap<>(environment);
    all.put("FLINK_HOME", home.toString());
    all.put("JAVA_HOME", folder.resolve("jre").toString());
    all.put("PATH", home.resolve("bin") + ":" + System.getenv("PATH"));
    List<String> full = new ArrayList<>();
    full.add(Deploy.DOCKER.resolve("docker-entrypoint.sh").toString());
    full.addAll(List.of(command));
    return Shell.run(all, folder, full);
  }

  private static List<String> after(List<String> arguments, String main) {
    return arguments.subList(arguments.indexOf(main) + 1, arguments.size());
  }

  @Test
  void aTaskManagerHasTheMemoryAndTheOptionsOfItsConfiguration() throws Exception {
    List<String> arguments = start(Map.of("JVM_ARGS", "-Dmine=1"), "taskmanager", "x y").lines();
    assertThat(arguments)
        .contains("-Xmx2m", "-Xms2m", "-Dall=*", "-Dmore=1", "-Dtm=1", "-Dmine=1")
        .contains(folder.resolve("flink/lib/a.jar") + ":" + folder.resolve("flink/lib/b.jar"))
        .contains(
            "-Dlog4j.configurationFile=file:" + folder.resolve("flink/log4j-console.properties"));
    assertThat(after(arguments, "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"))
        .containsExactly(
            "--configDir", folder.resolve("flink/conf").toString(), "-D", "t=1", "x y");
  }

  @Test
  void aJobManagerOfKubernetesGetsTheDynamicSettings() throws Exception {
    List<String> arguments =
        start(
                Map.of(),
                "bash",
                "-c",
                "kubernetes-jobmanager.sh kubernetes-application -D a=b -Dc=d")
            .lines();
    assertThat(arguments).contains("-Xmx1m").doesNotContain("-Dtm=1");
    // -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp PATH BashJavaUtils GET... --configDir X and two
    // of -D KEY=VALUE
    assertThat(
            after(
                arguments,
                "org.apache.flink.kubernetes.entrypoint.KubernetesApplicationClusterEntrypoint"))
        .containsExactly(
            "--configDir",
            folder.resolve("flink/conf").toString(),
            "-D",
            "j=12",
            "-D",
            "a=b",
            "-Dc=d");
  }

  @Test
  void aTaskManagerOfKubernetesHasTheMemoryThatFlinkHasComputed() throws Exception {
    List<String> arguments =
        start(
                Map.of("FLINK_TM_JVM_MEM_OPTS", "-Xmx3m"),
                "bash",
                "-c",
                "kubernetes-taskmanager.sh -D taskmanager.memory.managed.size=1b")
            .lines();
    assertThat(arguments).contains("-Xmx3m").doesNotContain("-Xmx2m");
    assertThat(
            after(
                arguments, "org.apache.flink.kubernetes.taskmanager.KubernetesTaskExecutorRunner"))
        .containsExactly(
            "--configDir",
            folder.resolve("flink/conf").toString(),
            "-D",
            "taskmanager.memory.managed.size=1b");
  }

  @Test
  void unknownServicesAreRefused() throws Exception {
    assertThat(start(Map.of(), "bash", "-c", "flink-process history"))
        .isEqualTo(
            new Shell(
                64,
                "Unknown service 'history': standalone-job, taskmanager, kubernetes-application or"
                    + " kubernetes-taskmanager."));
    assertThat(start(Map.of()).status()).isEqualTo(64);
  }

  @Test
  void exposesThePortsOfTheManifests() {
    Matcher ports = Pattern.compile("\\d+").matcher(instructions("EXPOSE").get(0));
    assertThat(ports.results().map(found -> found.group())).contains("8081", "9249");
  }
}
