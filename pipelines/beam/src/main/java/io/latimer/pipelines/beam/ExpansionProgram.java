package io.latimer.pipelines.beam;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.apache.beam.fn.harness.ExternalWorkerService;
import org.apache.beam.runners.fnexecution.artifact.ArtifactRetrievalService;
import org.apache.beam.sdk.expansion.service.ExpansionService;
import org.apache.beam.sdk.expansion.service.ExpansionServiceOptions;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.vendor.grpc.v1p69p0.io.grpc.Server;
import org.apache.beam.vendor.grpc.v1p69p0.io.grpc.netty.NettyServerBuilder;

/**
 * {@code latimer beam expansion-service}: offers the transforms on this program's class path to
 * pipelines in other languages, and workers for them if requested. The service has no
 * authentication, so it listens on this machine only; Beam's own program would listen on all
 * addresses.
 */
public final class ExpansionProgram {
  /** The optional second argument, which enables workers. */
  static final String WORKER = "--worker";

  private ExpansionProgram() {}

  /**
   * Takes the port, 0 for a free one, and optionally {@value #WORKER}. Runs until the process ends.
   */
  public static void main(String[] args) throws InterruptedException {
    ParentWatch.start();
    int port = Integer.parseInt(args[0]);
    try {
      Server server = start(port, List.of(args).contains(WORKER));
      System.err.println(
          "latimer: serving Beam's transforms at localhost:"
              + server.getPort()
              + "; Ctrl-C stops.");
      server.awaitTermination();
    } catch (IOException e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      System.err.println(
          "latimer: port "
              + port
              + " cannot be used: "
              + reason.getMessage()
              + "; choose another with --port.");
      System.exit(1);
    }
  }

  /**
   * Starts the service.
   *
   * @param port 0 for a free one
   * @param hasWorker whether runners may run the transforms in this process: anyone who connects
   *     can then run code here
   * @throws IOException if the port cannot be used
   */
  static Server start(int port, boolean hasWorker) throws IOException {
    PipelineOptionsFactory.register(ExpansionServiceOptions.class);
    PipelineOptions options = PipelineOptionsFactory.create();
    options.as(ExpansionServiceOptions.class).setAlsoStartLoopbackWorker(hasWorker);
    // the workers' address must be known before the service starts
    int known = port == 0 ? freePort() : port;
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), known);
    NettyServerBuilder server =
        NettyServerBuilder.forAddress(address)
            .addService(new ExpansionService(options, "localhost:" + known))
            .addService(new ArtifactRetrievalService());
    if (hasWorker) {
      server.addService(new ExternalWorkerService(options));
    }
    return server.build().start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
