package io.latimer.kafka;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * The child process: one broker that is its own controller (KRaft). Its parent controls it through
 * standard input: the byte {@code s} requests a clean stop, and the end of the stream means that
 * the parent has died, whereupon the process deletes its directory and exits.
 */
final class BrokerProcess {
  static final int STOP = 's';
  static final String DIRECTORY_PROPERTY = "latimer.kafka.directory";
  static final String CONFIGURATION = "server.properties";
  static final String READY = "ready";
  static final String DATA = "data";
  static final String CONTROLLER_LISTENER = "CONTROLLER";
  static final int NODE_ID = 1;

  private BrokerProcess() {}

  /** Takes the broker's directory from the system property {@value #DIRECTORY_PROPERTY}. */
  public static void main(String[] args) {
    Path directory = Path.of(System.getProperty(DIRECTORY_PROPERTY));
    ParentWatch watch = new ParentWatch(directory);
    watch.start();
    try {
      KafkaConfig configuration = new KafkaConfig(configuration(directory));
      format(directory.resolve(DATA));
      KafkaRaftServer server = new KafkaRaftServer(configuration, Time.SYSTEM);
      server.startup();
      watch.serve(server);
      Files.createFile(directory.resolve(READY));
      server.awaitShutdown();
      Runtime.getRuntime().halt(0);
    } catch (Exception e) {
      e.printStackTrace();
      // not exit(): threads of a half-started broker would block it
      Runtime.getRuntime().halt(1);
    }
  }

  private static Properties configuration(Path directory) throws IOException {
    Properties configuration = new Properties();
    try (Reader in = Files.newBufferedReader(directory.resolve(CONFIGURATION))) {
      configuration.load(in);
    }
    return configuration;
  }

  private static void format(Path data) throws Exception {
    if (Files.exists(data.resolve("meta.properties"))) {
      return;
    }
    new Formatter()
        .setPrintStream(System.out)
        .setNodeId(NODE_ID)
        .setClusterId(Uuid.randomUuid().toString())
        .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
        .setControllerListenerName(CONTROLLER_LISTENER)
        .setDirectories(List.of(data.toString()))
        .setMetadataLogDirectory(data.toString())
        .run();
  }

  private static final class ParentWatch extends Thread {
    private final Path directory;
    private volatile KafkaRaftServer server;

    ParentWatch(Path directory) {
      super("parent-watch");
      this.directory = directory;
      setDaemon(true);
    }

    void serve(KafkaRaftServer started) {
      this.server = started;
    }

    @Override
    public void run() {
      try {
        while (true) {
          int order = System.in.read();
          KafkaRaftServer started = server;
          if (order == STOP && started != null) {
            started.shutdown();
            Runtime.getRuntime().halt(0);
          } else if (order < 0) {
            break;
          }
        }
      } catch (IOException e) {
        System.err.println("the connection to the parent broke, which counts as its end: " + e);
      }
      try {
        Directories.delete(directory);
      } catch (IOException e) {
        System.err.println("cannot delete " + directory + ": " + e);
      } finally {
        Runtime.getRuntime().halt(0);
      }
    }
  }
}
