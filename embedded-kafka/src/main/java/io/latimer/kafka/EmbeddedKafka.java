package io.latimer.kafka;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * A real Kafka broker (KRaft, one node, loopback only) in a child process, with this process's
 * class path unless another is given. Its data is in a private directory, which {@link #close()}
 * deletes. It dies with this process, however that ends.
 *
 * <p>Topics are not created on use: a mistyped name is an error, not an empty topic. Transactions
 * work, with one replica. The broker logs to a file in its directory; if the broker does not start,
 * the error includes the end of the log.
 *
 * <p>Not thread-safe.
 */
public final class EmbeddedKafka implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(90);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
  private static final int POLL_MILLIS = 20;
  private static final int PORT_ATTEMPTS = 5;
  private static final int TAIL_LINES = 40;
  private static final int NO_PORT = 0;
  private static final String HOST = "127.0.0.1";
  private static final String PLAINTEXT = "PLAINTEXT";
  private static final String LOG = "broker.log";
  private static final String OUTPUT = "broker.out";

  private final Path directory;
  private final int port;
  private final int securedPort;
  private final String classPath;
  private Process process;

  private EmbeddedKafka(Path directory, int port, int securedPort, String classPath) {
    this.directory = directory;
    this.port = port;
    this.securedPort = securedPort;
    this.classPath = classPath;
  }

  /**
   * Starts a broker and returns once it answers.
   *
   * @throws IOException if it does not start; the message includes the end of its log
   */
  public static EmbeddedKafka start() throws IOException {
    return start(Map.of());
  }

  /**
   * Starts a broker with additional settings, which override the defaults of this class.
   *
   * @param settings Kafka broker settings by name
   * @throws IOException if it does not start; the message includes the end of its log
   */
  public static EmbeddedKafka start(Map<String, String> settings) throws IOException {
    return start(settings, EmbeddedKafka::freePort);
  }

  /**
   * Starts a broker with a class path of its own, for a process whose class path has another
   * version of the client, or no broker.
   *
   * @param classPath a Java class path with the broker and this class
   * @throws IOException if it does not start; the message includes the end of its log
   */
  public static EmbeddedKafka startApart(String classPath) throws IOException {
    return start(Map.of(), PLAINTEXT, classPath, EmbeddedKafka::freePort);
  }

  /**
   * Starts a broker with a second address for clients, {@link #securedServers()}; the first one
   * stays as it is.
   *
   * @param protocol of the second address: SSL, SASL_PLAINTEXT or SASL_SSL
   * @param settings Kafka broker settings by name; those of the second address begin with {@code
   *     listener.name.secured.}
   * @throws IOException if it does not start; the message includes the end of its log
   */
  public static EmbeddedKafka startSecured(String protocol, Map<String, String> settings)
      throws IOException {
    return start(
        settings, protocol, System.getProperty("java.class.path"), EmbeddedKafka::freePort);
  }

  static EmbeddedKafka start(Map<String, String> settings, IntSupplier ports) throws IOException {
    return start(settings, PLAINTEXT, System.getProperty("java.class.path"), ports);
  }

  private static EmbeddedKafka start(
      Map<String, String> settings, String protocol, String classPath, IntSupplier ports)
      throws IOException {
    for (int attempt = 1; ; attempt++) {
      Path parent = Path.of(System.getProperty("java.io.tmpdir"));
      if (!Files.isDirectory(parent)) { // createDirectories refuses a link to a folder
        Files.createDirectories(parent);
      }
      // readable by this user only
      Path directory = Files.createTempDirectory(parent, "latimer-kafka-").toAbsolutePath();
      int port = ports.getAsInt();
      int secured = protocol.equals(PLAINTEXT) ? NO_PORT : ports.getAsInt();
      EmbeddedKafka kafka = new EmbeddedKafka(directory, port, secured, classPath);
      try {
        kafka.configure(ports.getAsInt(), protocol, settings);
        kafka.launch();
        return kafka;
      } catch (PortTakenException e) {
        // another process took the port before the broker could bind it
        kafka.close();
        if (attempt == PORT_ATTEMPTS) {
          throw e;
        }
      } catch (IOException | RuntimeException e) {
        kafka.close();
        throw e;
      }
    }
  }

  /** The address for clients: {@code 127.0.0.1:port}; unchanged by {@link #restart()}. */
  public String bootstrapServers() {
    return HOST + ":" + port;
  }

  /**
   * The second address of a broker from {@link #startSecured}; unchanged by {@link #restart()}.
   *
   * @throws IllegalStateException if there is none
   */
  public String securedServers() {
    if (securedPort == NO_PORT) {
      throw new IllegalStateException("the broker has one address: start it with startSecured()");
    }
    return HOST + ":" + securedPort;
  }

  /** Whether the broker's process runs. */
  public boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** The broker's process id, while it runs. */
  public long pid() {
    return process.pid();
  }

  /** The broker's private directory: its data and its log. */
  public Path directory() {
    return directory;
  }

  /**
   * Creates a topic with one replica and returns once all its partitions have a leader.
   *
   * @param name the topic's name
   * @param partitions number of partitions, 1 or more
   * @throws IOException if the broker refuses it, for example because it exists
   */
  public void createTopic(String name, int partitions) throws IOException {
    createTopic(name, partitions, Map.of());
  }

  /**
   * Creates a topic with one replica and returns once all its partitions have a leader.
   *
   * @param name the topic's name
   * @param partitions number of partitions, 1 or more
   * @param settings Kafka's settings for the topic, such as {@code max.message.bytes}
   * @throws IOException if the broker refuses it, for example because it exists
   */
  public void createTopic(String name, int partitions, Map<String, String> settings)
      throws IOException {
    try (Admin admin = admin()) {
      NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(settings);
      admin.createTopics(List.of(topic)).all().get();
      long deadline = System.nanoTime() + START_LIMIT.toNanos();
      while (!hasLeaders(admin, name, partitions)) {
        if (System.nanoTime() > deadline) {
          throw new IOException("topic " + name + " has no leaders after " + START_LIMIT);
        }
        Thread.sleep(POLL_MILLIS);
      }
    } catch (ExecutionException e) {
      throw new IOException(
          "cannot create topic " + name + ": " + e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /**
   * Stops the broker cleanly and keeps its data, for {@link #restart()}.
   *
   * @throws IOException if it does not stop in time and was killed
   */
  public void stop() throws IOException {
    try {
      OutputStream orders = process.getOutputStream();
      orders.write(BrokerProcess.STOP);
      orders.flush();
      if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        kill();
        throw new IOException(
            "the broker did not stop within " + STOP_LIMIT + " and was killed" + tails());
      }
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /**
   * Kills the broker, as a failing machine would, and keeps its data, for {@link #restart()}. A
   * restart after this takes ten seconds or more, because the controller waits for the killed
   * broker's session to end (setting {@code broker.session.timeout.ms}, 9000 by default).
   */
  public void kill() {
    if (process == null) {
      return;
    }
    process.destroyForcibly();
    boolean interrupted = false;
    while (process.isAlive()) {
      try {
        process.waitFor();
      } catch (InterruptedException e) {
        // wait until it is dead: only then can its directory be deleted
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Starts the stopped or killed broker again, on the same port and with the same data.
   *
   * @throws IllegalStateException if it still runs
   * @throws IOException if it does not start; the message includes the end of its log
   */
  public void restart() throws IOException {
    if (isAlive()) {
      throw new IllegalStateException("the broker is running: stop() or kill() it first");
    }
    launch();
  }

  /** Kills the broker and deletes its data. Closing twice is safe. */
  @Override
  public void close() {
    kill();
    try {
      Directories.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete the broker's directory " + directory, e);
    }
  }

  private void configure(int controllerPort, String protocol, Map<String, String> settings)
      throws IOException {
    String own = "BROKER://" + bootstrapServers();
    String clients = securedPort == NO_PORT ? own : own + ",SECURED://" + securedServers();
    String controller = BrokerProcess.CONTROLLER_LISTENER;
    Properties all = new Properties();
    all.put("process.roles", "broker,controller");
    all.put("node.id", Integer.toString(BrokerProcess.NODE_ID));
    all.put("controller.quorum.voters", BrokerProcess.NODE_ID + "@" + HOST + ":" + controllerPort);
    all.put("listeners", clients + "," + controller + "://" + HOST + ":" + controllerPort);
    all.put("advertised.listeners", clients);
    all.put(
        "listener.security.protocol.map",
        "BROKER:PLAINTEXT,SECURED:" + protocol + "," + controller + ":PLAINTEXT");
    all.put("inter.broker.listener.name", "BROKER");
    all.put("controller.listener.names", controller);
    all.put("log.dirs", directory.resolve(BrokerProcess.DATA).toString());
    all.put("auto.create.topics.enable", "false");

    // a single node holds all replicas
    all.put("default.replication.factor", "1");
    all.put("offsets.topic.replication.factor", "1");
    all.put("transaction.state.log.replication.factor", "1");
    all.put("transaction.state.log.min.isr", "1");
    all.put("share.coordinator.state.topic.replication.factor", "1");
    all.put("share.coordinator.state.topic.min.isr", "1");

    // few partitions to create and load, and no wait for more group members
    all.put("offsets.topic.num.partitions", "2");
    all.put("transaction.state.log.num.partitions", "2");
    all.put("group.initial.rebalance.delay.ms", "0");
    all.put("num.network.threads", "2");
    all.put("num.io.threads", "4");
    all.put("log.cleaner.dedupe.buffer.size", "4194304");

    // sized by the system: fixed buffers hold less than two packets of a loopback device, and what
    // does not fit is retransmitted 0.2 s later
    all.put("socket.receive.buffer.bytes", "-1");
    all.put("socket.send.buffer.bytes", "-1");
    all.putAll(settings);
    try (Writer out = Files.newBufferedWriter(directory.resolve(BrokerProcess.CONFIGURATION))) {
      all.store(out, null);
    }
  }

  private void launch() throws IOException {
    Path ready = directory.resolve(BrokerProcess.READY);
    Files.deleteIfExists(ready);
    process =
        // Ctrl-C and a closed terminal signal all of the terminal's processes, and a service
        // manager ends a whole group: the broker must outlive its clients, which close it in their
        // own time
        new ProcessBuilder(
                "/bin/sh",
                "-c",
                "trap '' INT TERM HUP; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms64m",
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.awt.headless=true",
                "-Dlog4j2.configurationFile=classpath:io/latimer/kafka/broker-log4j2.xml",
                "-D" + BrokerProcess.DIRECTORY_PROPERTY + "=" + directory,
                "-cp",
                classPath,
                BrokerProcess.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(OUTPUT).toFile()))
            .start();
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    try {
      while (!Files.exists(ready)) {
        if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
          String message = "the broker's process ended with " + process.exitValue() + tails();
          if (tellsOfATakenPort(OUTPUT) || tellsOfATakenPort(LOG)) { // Kafka may end the process
            throw new PortTakenException(message);
          }
          throw new IOException(message);
        }
        if (System.nanoTime() > deadline) {
          throw new IOException("the broker did not start within " + START_LIMIT + tails());
        }
      }
      try (Admin admin = admin()) {
        admin.describeCluster().nodes().get();
      }
    } catch (ExecutionException e) {
      throw new IOException("the broker started but does not answer" + tails(), e.getCause());
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private Admin admin() {
    return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()));
  }

  private static boolean hasLeaders(Admin admin, String topic, int partitions)
      throws InterruptedException, ExecutionException {
    try {
      TopicDescription description =
          admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
      return description.partitions().size() == partitions
          && description.partitions().stream().allMatch(partition -> partition.leader() != null);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw e;
    }
  }

  /** The ends of the broker's log and output. */
  private String tails() {
    return tail(OUTPUT) + tail(LOG);
  }

  /** Looks at the whole file: other threads may log their settings after the failure. */
  private boolean tellsOfATakenPort(String file) throws IOException {
    return Files.exists(directory.resolve(file))
        && lines(file).stream().anyMatch(line -> line.contains(BindException.class.getName()));
  }

  private List<String> lines(String file) throws IOException {
    // not strict UTF-8: a killed process may leave half a character
    return Files.readAllLines(directory.resolve(file), StandardCharsets.ISO_8859_1);
  }

  private String tail(String file) {
    try {
      List<String> lines = lines(file);
      int from = Math.max(0, lines.size() - TAIL_LINES);
      return "\n--- end of its "
          + file
          + ":\n"
          + String.join("\n", lines.subList(from, lines.size()));
    } catch (IOException e) {
      return "\n--- it has no " + file;
    }
  }

  static int freePort() {
    try (ServerSocket socket =
        new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("no free port on " + HOST, e);
    }
  }

  private static InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted while waiting for the broker");
  }

  private static final class PortTakenException extends IOException {
    private static final long serialVersionUID = 1L;

    PortTakenException(String message) {
      super(message);
    }
  }
}
