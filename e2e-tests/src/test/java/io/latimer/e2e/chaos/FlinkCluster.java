package io.latimer.e2e.chaos;

import io.latimer.e2e.FlinkAlone;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A highly available Flink cluster on loopback, each part in a process of its own: ZooKeeper, a job
 * manager and task managers of two slots, on the class path of a Flink distribution.
 */
final class FlinkCluster implements AutoCloseable {
  static final String HOST = "127.0.0.1";

  /**
   * The heap of a task manager is resident from the start, so that resident memory grows only by
   * what lies outside it; the heap is measured by itself.
   */
  private static final List<String> HEAP = List.of("-Xms384m", "-Xmx384m", "-XX:+AlwaysPreTouch");

  /**
   * As the documentation recommends: by default, glibc keeps what threads of earlier tasks have
   * freed, in up to eight arenas for each core.
   */
  private static final Map<String, String> ALLOCATION = Map.of("MALLOC_ARENA_MAX", "2");

  private static final Pattern RESOURCE_ID =
      Pattern.compile("Starting TaskManager with ResourceID: ([^\\s(]+)");

  private final Path folder;
  private final String classPath;
  private final Map<String, String> environment;
  private final Path logging;
  private final int zooKeeperPort = freePort();
  private final int restPort = freePort();
  private final ChildProcess zooKeeper;
  private final List<ChildProcess> taskManagers = new ArrayList<>();
  private final List<ChildProcess> all = new ArrayList<>();
  private ChildProcess jobManager;
  private int generation;
  private int taskManagersMade;

  /**
   * Describes a cluster; {@link #start} starts it.
   *
   * @param environment additional environment variables of job managers and task managers
   */
  FlinkCluster(Path folder, Map<String, String> environment) throws IOException {
    this.folder = folder;
    this.environment = new HashMap<>(ALLOCATION);
    this.environment.putAll(environment);
    classPath =
        FlinkAlone.classPath()
            + File.pathSeparator
            + Jars.write(folder.resolve("programs.jar"), List.of(DiesWithParent.class));
    zooKeeper = zooKeeper(folder, classPath, zooKeeperPort);
    all.add(zooKeeper);
    logging =
        Files.writeString(
            folder.resolve("log4j2.properties"),
            """
            rootLogger.level = info
            rootLogger.appenderRef.out.ref = out
            appender.out.type = console
            appender.out.name = out
            appender.out.layout.type = PatternLayout
            appender.out.layout.pattern = %d{HH:mm:ss.SSS} %-5p %c{1} [%t] %m%n%throwable{100}
            """);
    configure();
  }

  /** Describes a ZooKeeper server on the class path of a Flink distribution. */
  static ChildProcess zooKeeper(Path folder, String classPath, int port) throws IOException {
    Path settings =
        Files.writeString(
            folder.resolve("zoo.cfg"),
            """
            tickTime=500
            dataDir=%s
            clientPortAddress=%s
            clientPort=%d
            admin.enableServer=false
            """
                .formatted(folder.resolve("zookeeper-data"), HOST, port));
    return new ChildProcess(
        "zookeeper",
        folder,
        List.of("-Xmx64m", "-Dzookeeper.admin.enableServer=false"),
        classPath,
        Map.of(),
        List.of(
            "org.apache.flink.runtime.zookeeper.FlinkZooKeeperQuorumPeer",
            "--zkConfigFile",
            settings.toString(),
            "--peerId",
            "1"));
  }

  /** The folder with Flink's settings. */
  Path settings() {
    return folder.resolve("conf-" + generation);
  }

  String classPath() {
    return classPath;
  }

  String restAddress() {
    return HOST + ":" + restPort;
  }

  /** A cluster of another name finds nothing of the one before in ZooKeeper. */
  private void configure() throws IOException {
    Files.createDirectories(settings());
    Files.writeString(
        settings().resolve("config.yaml"),
        """
        high-availability.type: zookeeper
        high-availability.zookeeper.quorum: %1$s:%2$d
        high-availability.zookeeper.client.session-timeout: 5 s
        high-availability.cluster-id: /chaos-%3$d
        high-availability.storageDir: %4$s
        high-availability.jobmanager.port: 0
        jobmanager.rpc.address: %1$s
        jobmanager.bind-host: %1$s
        rest.address: %1$s
        rest.bind-address: %1$s
        rest.port: %5$d
        taskmanager.host: %1$s
        taskmanager.bind-host: %1$s
        taskmanager.numberOfTaskSlots: 2
        taskmanager.load-balance.mode: SLOTS
        taskmanager.cpu.cores: 1
        taskmanager.memory.task.heap.size: 256m
        taskmanager.memory.task.off-heap.size: 64m
        taskmanager.memory.managed.size: 64m
        taskmanager.memory.network.min: 32m
        taskmanager.memory.network.max: 32m
        taskmanager.memory.framework.heap.size: 128m
        taskmanager.memory.framework.off-heap.size: 128m
        taskmanager.memory.jvm-metaspace.size: 256m
        taskmanager.memory.jvm-overhead.min: 192m
        taskmanager.memory.jvm-overhead.max: 192m
        heartbeat.interval: 1 s
        heartbeat.timeout: 8 s
        web.refresh-interval: 200 ms
        """
            .formatted(HOST, zooKeeperPort, generation, folder.resolve("ha").toUri(), restPort));
    jobManager =
        flinkProcess(
            "job-manager-" + generation,
            List.of("-Xmx256m"),
            "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint");
  }

  private ChildProcess flinkProcess(String name, List<String> heap, String main)
      throws IOException {
    List<String> jvm = new ArrayList<>(heap);
    jvm.add("-Dlog4j2.configurationFile=" + logging);
    ChildProcess made =
        new ChildProcess(
            name,
            folder,
            jvm,
            classPath,
            environment,
            List.of(main, "--configDir", settings().toString()));
    all.add(made);
    return made;
  }

  void start(int taskManagerCount) throws IOException {
    zooKeeper.start();
    jobManager.start();
    for (int i = 0; i < taskManagerCount; i++) {
      addTaskManager();
    }
  }

  ChildProcess addTaskManager() throws IOException {
    ChildProcess added =
        flinkProcess(
            "task-manager-" + ++taskManagersMade,
            HEAP,
            "org.apache.flink.runtime.taskexecutor.TaskManagerRunner");
    added.start();
    taskManagers.add(added);
    return added;
  }

  /** Ends a task manager for good. */
  void remove(ChildProcess taskManager) {
    taskManager.kill();
    taskManagers.remove(taskManager);
  }

  ChildProcess jobManager() {
    return jobManager;
  }

  List<ChildProcess> taskManagers() {
    return List.copyOf(taskManagers);
  }

  /** What Flink calls a task manager since its last start. */
  static String id(ChildProcess taskManager) throws IOException {
    String id = "";
    Matcher said = RESOURCE_ID.matcher(taskManager.log());
    while (said.find()) {
      id = said.group(1);
    }
    if (id.isEmpty()) {
      throw new IllegalStateException(taskManager.name() + " does not say its ResourceID");
    }
    return id;
  }

  List<Long> taskManagerPids() {
    return taskManagers.stream().filter(ChildProcess::isAlive).map(ChildProcess::pid).toList();
  }

  /** Kills everything but ZooKeeper, and starts a cluster that knows nothing of the jobs. */
  void replace() throws IOException {
    jobManager.kill();
    int count = taskManagers.size();
    for (ChildProcess taskManager : taskManagers()) {
      remove(taskManager);
    }
    generation++;
    configure();
    jobManager.start();
    for (int i = 0; i < count; i++) {
      addTaskManager();
    }
  }

  /** Starts what has died, as the supervisor of a service does, and says what that was. */
  List<String> revive() throws IOException {
    List<ChildProcess> parts = new ArrayList<>(taskManagers);
    parts.add(jobManager);
    List<String> revived = new ArrayList<>();
    for (ChildProcess part : parts) {
      if (!part.isAlive()) {
        part.start();
        revived.add(part.name());
      }
    }
    return revived;
  }

  /** Ends all processes with SIGTERM. Returns those that did not end. */
  List<String> end() throws InterruptedException {
    List<ChildProcess> ended = new ArrayList<>(taskManagers);
    ended.add(jobManager);
    List<String> left = new ArrayList<>();
    for (ChildProcess part : ended) {
      if (!part.end()) {
        left.add(part.name());
      }
    }
    zooKeeper.kill();
    return left;
  }

  /**
   * Temporary files and folders of Latimer that the processes left, the killed ones included.
   * Flink's own stay after SIGKILL, and its working folders after SIGTERM, too.
   */
  List<Path> leftBehind() throws IOException {
    try (Stream<Path> files =
        Files.find(folder, 3, (file, of) -> file.getFileName().toString().startsWith("latimer-"))) {
      return files.toList();
    }
  }

  /** The processes that still run. */
  List<String> alive() {
    return all.stream().filter(ChildProcess::isAlive).map(ChildProcess::name).toList();
  }

  /** Kills all processes. */
  @Override
  public void close() {
    for (ChildProcess part : all) {
      part.kill();
    }
  }

  /** The newest complete checkpoint below a folder, as an operator would look for it. */
  static Path newestCheckpoint(Path folder) throws IOException {
    try (Stream<Path> files = Files.find(folder, 8, (file, of) -> file.endsWith("_metadata"))) {
      return files
          .max(Comparator.comparing(FlinkCluster::modified))
          .map(Path::getParent)
          .orElseThrow(() -> new IllegalStateException("no complete checkpoint below " + folder));
    }
  }

  private static long modified(Path file) {
    try {
      return Files.getLastModifiedTime(file).toMillis();
    } catch (IOException e) {
      return Long.MIN_VALUE; // it was just replaced by a newer one
    }
  }

  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("no free port on " + HOST, e);
    }
  }
}
