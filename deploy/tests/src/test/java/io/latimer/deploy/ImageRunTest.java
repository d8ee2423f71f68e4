package io.latimer.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The images, built without a daemon and run as Compose and Kubernetes run them: as the image's
 * user, without capabilities, on a read-only root. Runs with {@code -Pimages}, as root, where
 * buildah and debootstrap are.
 */
@Tag("images")
class ImageRunTest {
  private static final Path CONTEXT = Deploy.DOCKER.resolve("target/context");
  private static final Path MODEL = Deploy.ROOT.resolve("examples/models/tatoeba-en-de.lmx");
  private static final String LOOPBACK = "127.0.0.1";
  private static final long MIB = 1 << 20;

  /** One for both images: containers only read it. */
  private static final Map<String, ImageFiles> FILES = new HashMap<>();

  private static Buildah buildah;

  @TempDir Path folder;

  @BeforeAll
  static void build() throws Exception {
    for (String program : List.of("buildah", "debootstrap", "unshare", "setpriv", "apt-get")) {
      assumeTrue(isInstalled(program), program + " is not installed");
    }
    assumeTrue(
        Shell.run(Map.of(), Path.of("/"), List.of("id", "-u")).output().equals("0"),
        "only root can make the base of the images and a read-only root");
    assertThat(CONTEXT).as("the build context; mvn -Pimages package makes it").isDirectory();
    buildah = new Buildah(Deploy.FOLDER.resolve("tests/target/images").normalize());
    buildah.makeBases();
    for (String device : List.of("cpu", "gpu")) {
      FILES.put(device, buildah.files(buildah.build(CONTEXT, device)));
    }
  }

  @AfterAll
  static void removeContainers() throws Exception {
    if (buildah != null) {
      buildah.removeContainers();
    }
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
  }

  private static Container container(String device) {
    return new Container(FILES.get(device));
  }

  /** Runs the image's entry point to its end: its exit status and its output. */
  private Shell run(Container container, String... arguments) throws Exception {
    Path log = Files.createTempFile(folder, "run", ".log");
    try (Container.Running running = container.start(log, List.of(arguments))) {
      return new Shell(running.await(), running.output().strip());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu"})
  void runAsTheirUserWithoutRightsOnAReadOnlyRoot(String device) throws Exception {
    Shell identity =
        run(
            container(device),
            "sh",
            "-c",
            "id -u; id -g; pwd; grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status");
    assertThat(identity.lines())
        .containsExactly(
            "9999",
            "9999",
            "/opt/flink",
            "CapEff:\t0000000000000000",
            "CapBnd:\t0000000000000000",
            "NoNewPrivs:\t1");
    Shell written = run(container(device), "sh", "-c", "touch /tmp/a && touch /var/lib/latimer/a");
    assertThat(written.status()).isEqualTo(1);
    assertThat(written.output()).contains("/var/lib/latimer/a", "Read-only file system");
  }

  @Test
  void ownNothingThatTheyRun() throws Exception {
    Shell owned =
        run(container("cpu"), "find", "/opt", "/usr", "/docker-entrypoint.sh", "-user", "9999");
    assertThat(owned).isEqualTo(new Shell(0, ""));
    Shell unreadable =
        run(container("cpu"), "find", "/opt", "/docker-entrypoint.sh", "!", "-readable");
    assertThat(unreadable).isEqualTo(new Shell(0, ""));
  }

  @Test
  void areNoLargerThanTheyNeed() throws Exception {
    for (String device : List.of("cpu", "gpu")) {
      long bytes = buildah.bytes(FILES.get(device).root());
      assertThat(bytes / MIB).as(device + ", MiB").isBetween(300L, 900L);
    }
  }

  @Test
  void sayWhatTheEntryPointCannotRun() throws Exception {
    Shell nothing = run(container("cpu"));
    assertThat(nothing.status()).isEqualTo(64);
    assertThat(nothing.output()).startsWith("Missing command: standalone-job, taskmanager");
    Shell unknown = run(container("cpu"), "flink-process", "jobmanager");
    assertThat(unknown.status()).isEqualTo(64);
    assertThat(unknown.output()).startsWith("Unknown service 'jobmanager'");
    Path conf = Files.createDirectory(folder.resolve("conf"));
    Files.writeString(conf.resolve("config.yaml"), "taskmanager.memory.process.size: 10m\n");
    open(folder);
    Shell tooSmall = run(container("cpu").readOnly(conf, "/opt/flink/conf"), "taskmanager");
    assertThat(tooSmall.status()).isEqualTo(1);
    assertThat(tooSmall.output())
        .contains("the configuration in /opt/flink/conf cannot be used; the lines above say why");
  }

  /** Lets the image's user read and write a folder of the test. */
  private static void open(Path path) throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.toList()) {
        Files.setPosixFilePermissions(
            file,
            PosixFilePermissions.fromString(Files.isDirectory(file) ? "rwxrwxrwx" : "rw-rw-rw-"));
      }
    }
  }

  private static String sha256(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }

  /** The command of the init container that the chart makes, with its volumes. */
  @Test
  void fetchModelsAsTheInitContainerDoes() throws Exception {
    byte[] model = Files.readAllBytes(MODEL);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/model",
        exchange -> {
          exchange.sendResponseHeaders(200, model.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(model);
          }
        });
    server.start();
    try {
      String address = "http://" + LOOPBACK + ":" + server.getAddress().getPort() + "/model";
      Path list = Files.createDirectory(folder.resolve("list"));
      Path models = Files.createDirectory(folder.resolve("models"));
      Files.writeString(list.resolve("models.txt"), sha256(model) + " m.lmx " + address + "\n");
      open(folder);
      assertThat(fetch(list, models)).isEqualTo(new Shell(0, "fetch-models: fetched m.lmx"));
      assertThat(Files.readAllBytes(models.resolve("m.lmx"))).isEqualTo(model);
      assertThat(Files.getAttribute(models.resolve("m.lmx"), "unix:uid")).isEqualTo(9999);
      assertThat(fetch(list, models)).isEqualTo(new Shell(0, "fetch-models: m.lmx is there"));

      Files.writeString(list.resolve("models.txt"), "ab".repeat(32) + " n.lmx " + address + "\n");
      Shell wrong = fetch(list, models);
      assertThat(wrong.status()).isEqualTo(1);
      assertThat(wrong.output()).contains("n.lmx has the SHA-256 " + sha256(model));
    } finally {
      server.stop(0);
    }
  }

  private Shell fetch(Path list, Path models) throws Exception {
    Object init =
        Deploy.list(
                Deploy.at(
                    ChartTest.deployment("cpu"), "spec", "podTemplate", "spec", "initContainers"))
            .get(0);
    List<String> command =
        Deploy.list(Deploy.at(init, "command")).stream().map(String.class::cast).toList();
    Path log = Files.createTempFile(folder, "fetch", ".log");
    Container container =
        container("cpu")
            .readOnly(list, mount(init, "model-list"))
            .volume(models, mount(init, "models"));
    try (Container.Running running = container.startCommand(log, command)) {
      return new Shell(running.await(), running.output().strip());
    }
  }

  private static String mount(Object container, String volume) {
    return Deploy.list(Deploy.at(container, "volumeMounts")).stream()
        .filter(mount -> volume.equals(Deploy.at(mount, "name")))
        .map(mount -> (String) Deploy.at(mount, "mountPath"))
        .findFirst()
        .orElseThrow();
  }

  /** Flink's own address, its state and its job file: what differs from Compose's services. */
  private final class Cluster implements AutoCloseable {
    private final Feed feed = Feed.open();
    private final int rpc = freePort();
    private final int rest = freePort();
    private final List<Container.Running> running = new ArrayList<>();
    private final String device;

    Cluster(String device) throws Exception {
      this.device = device;
      Files.createDirectories(folder.resolve("state"));
      Files.writeString(
          Files.createDirectories(folder.resolve("job")).resolve("job.yaml"),
          Deploy.read(Deploy.DOCKER.resolve("compose/job.yaml"))
              .replace("kafka:9092", feed.servers()));
      open(folder.resolve("state"));
      open(folder.resolve("job"));
    }

    /** Compose's volumes and variables. */
    private Container container() {
      return ImageRunTest.container(device)
          .variable("XDG_CACHE_HOME", "/tmp/cache")
          .readOnly(Deploy.DOCKER.resolve("compose/conf"), "/opt/flink/conf")
          .readOnly(folder.resolve("job/job.yaml"), "/opt/flink/job/job.yaml")
          .readOnly(MODEL.getParent(), "/opt/flink/models")
          .volume(folder.resolve("state"), "/var/lib/latimer");
    }

    private List<String> settings() {
      return List.of(
          "-Djobmanager.rpc.address=" + LOOPBACK,
          "-Djobmanager.rpc.port=" + rpc,
          "-Djobmanager.bind-host=" + LOOPBACK,
          "-Dtaskmanager.bind-host=" + LOOPBACK,
          "-Dtaskmanager.host=" + LOOPBACK,
          "-Drest.bind-address=" + LOOPBACK,
          "-Drest.port=" + rest,
          "-Dmetrics.reporter.prom.port=0");
    }

    Container.Running start(String... command) throws Exception {
      List<String> arguments = new ArrayList<>(List.of(command));
      arguments.addAll(1, settings());
      return start(container(), arguments);
    }

    Container.Running start(Container container, List<String> arguments) throws Exception {
      Path log = folder.resolve("process-" + running.size() + ".log");
      Container.Running one = container.start(log, arguments);
      running.add(one);
      return one;
    }

    /** What Compose's service of the job manager runs. */
    Container.Running startJobManager() throws Exception {
      return start(
          "standalone-job",
          "--job-classname",
          "io.latimer.pipelines.flink.TranslationJob",
          "/opt/flink/job/job.yaml");
    }

    private HttpResponse<String> ask(String method, String path, String... headers)
        throws Exception {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create("http://" + LOOPBACK + ":" + rest + path))
              .method(method, HttpRequest.BodyPublishers.noBody());
      if (headers.length > 0) {
        request.headers(headers);
      }
      return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** The page, its settings, and what pages of other sites send through a browser. */
    void assertOnlyItsPageMayAsk() throws Exception {
      String own = "http://" + LOOPBACK + ":" + rest;
      HttpResponse<String> jobs = ask("GET", "/jobs/overview", "Origin", own);
      assertThat(jobs.statusCode()).isEqualTo(200);
      assertThat(jobs.headers().allValues("Access-Control-Allow-Origin")).containsExactly(own);
      assertThat(ask("GET", "/").body()).contains("<title>");
      assertThat(ask("GET", "/config").body())
          .contains("\"web-submit\":false", "\"web-cancel\":false");
      String job = jobs.body().replaceAll("(?s).*\"jid\":\"([0-9a-f]{32})\".*", "$1");
      String[] foreign = {"Origin", "http://elsewhere.example"};
      assertThat(ask("GET", "/config", foreign).statusCode()).isEqualTo(403);
      assertThat(ask("POST", "/jobs/" + job + "/stop", foreign).statusCode()).isEqualTo(403);
      assertThat(ask("GET", "/jobs/" + job + "/yarn-cancel").statusCode()).isEqualTo(403);
      assertThat(ask("GET", "/jobs/" + job).body()).contains("\"state\":\"RUNNING\"");
      // a browser asks before it sends another site's PATCH
      assertThat(ask("OPTIONS", "/jobs/" + job, foreign).headers().map())
          .doesNotContainKey("Access-Control-Allow-Methods");
    }

    @Override
    public void close() {
      running.forEach(Container.Running::close);
      feed.close();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static List<String> sentences(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "I have " + i + " books.").toList();
  }

  /** The numbers in translations, which they keep. */
  private static List<String> numbers(List<String> texts) {
    return texts.stream().map(text -> text.replaceAll("\\D", "")).sorted().toList();
  }

  private static List<String> expected(int to) {
    return IntStream.range(0, to).mapToObj(String::valueOf).sorted().toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpu", "gpu"})
  void translateAndLoseNothingWhenATaskManagerIsKilled(String device) throws Exception {
    try (Cluster cluster = new Cluster(device)) {
      Container.Running manager = cluster.startJobManager();
      Container.Running first = cluster.start("taskmanager");
      cluster.feed.send(sentences(0, 40));
      assertThat(numbers(cluster.feed.await(40, manager, first))).isEqualTo(expected(40));

      cluster.assertOnlyItsPageMayAsk();

      cluster.feed.send(sentences(40, 60));
      first.kill();
      Container.Running second = cluster.start("taskmanager");
      assertThat(numbers(cluster.feed.await(60, manager, second))).isEqualTo(expected(60));
      assertThat(first.output() + second.output() + manager.output())
          .doesNotContain("Name collision");
    }
  }

  /** The pod's command, with Flink's memory for it, beside a job manager of Compose. */
  @Test
  void startTheTaskManagersOfKubernetesPods() throws Exception {
    TaskManagerPod pod = new TaskManagerPod(ChartTest.deployment("cpu"));
    try (Cluster cluster = new Cluster("cpu")) {
      Container.Running manager = cluster.startJobManager();
      List<String> arguments = new ArrayList<>(pod.arguments());
      String last = arguments.remove(arguments.size() - 1);
      arguments.add(last + " " + String.join(" ", cluster.settings()));
      // of the node, in a pod
      Container container = cluster.container().variable("_POD_NODE_ID", "node-1");
      Container.Running worker = cluster.start(container, arguments);
      cluster.feed.send(sentences(0, 20));
      assertThat(numbers(cluster.feed.await(20, manager, worker))).isEqualTo(expected(20));
      assertThat(worker.output()).contains("Starting Kubernetes TaskExecutor runner");
    }
  }

  /** Without a Kubernetes, all of it runs that comes before the first question to its API. */
  @Test
  void startTheJobManagersOfKubernetesPods() throws Exception {
    Path conf = Files.createDirectory(folder.resolve("conf"));
    Files.writeString(conf.resolve("log4j-console.properties"), "");
    Map<String, Object> deployment = ChartTest.deployment("cpu");
    JobManagerPod pod = new JobManagerPod(deployment, conf);
    StringBuilder settings = new StringBuilder();
    FlinkSettings.of(deployment)
        .toMap()
        .forEach((key, value) -> settings.append(key + ": \"" + value + "\"\n"));
    settings.append("kubernetes.cluster-id: latimer\njobmanager.memory.process.size: 1600m\n");
    Files.writeString(conf.resolve("config.yaml"), settings.toString());
    open(folder);
    List<String> arguments =
        Deploy.list(Deploy.at(pod.main(), "args")).stream().map(String.class::cast).toList();
    Shell ended =
        run(container("cpu").readOnly(conf, "/opt/flink/conf"), arguments.toArray(String[]::new));
    assertThat(ended.status()).isNotZero();
    assertThat(ended.output().toLowerCase(Locale.ROOT)).contains("kubernetes");
  }
}
