package io.latimer.e2e;

import java.io.File;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;

/**
 * A Flink cluster with one task manager of two slots, in a process that has the class path of a
 * Flink distribution and nothing of Latimer: a job's jar must contain what it needs.
 */
public final class FlinkAlone {
  /** Flink without the connectors and formats that jobs bring, its dependencies, and a logger. */
  private static final Pattern DISTRIBUTION =
      Pattern.compile(
          "flink-(?!avro|connector-kafka|connector-base|test).*|(kryo|reflectasm|objenesis|minlog"
              + "|commons|RoaringBitmap|javassist|snappy|lz4|async-profiler|jsr305|slf4j|log4j"
              + "|snakeyaml-engine|frocksdbjni)-.*");

  private FlinkAlone() {}

  /** The class path of Flink's own programs. */
  public static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> DISTRIBUTION.matcher(new File(entry).getName()).matches())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Starts a cluster, prints its address to standard output, and ends when standard input ends. */
  public static void main(String[] args) {
    try {
      run(args[0]);
      System.exit(0);
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1); // threads of a half-started cluster would keep the process alive
    }
  }

  private static void run(String folder) throws Exception {
    Configuration settings = new Configuration();
    settings.set(RestOptions.BIND_PORT, "0");
    settings.set(RestOptions.BIND_ADDRESS, "localhost");
    settings.set(CoreOptions.TMP_DIRS, folder);
    settings.set(WebOptions.UPLOAD_DIR, folder);
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(settings)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(2)
                .setRpcServiceSharing(RpcServiceSharing.SHARED)
                .build());
    cluster.start();
    System.out.println(cluster.getRestAddress().get().getAuthority());
    System.in.transferTo(OutputStream.nullOutputStream());
    cluster.close();
  }
}
