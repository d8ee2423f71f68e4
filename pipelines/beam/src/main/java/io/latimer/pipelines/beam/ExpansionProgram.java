package io.latimer.pipelines.beam;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.apache.beam.fn.harness.ExternalWorkerService;
import org.apache.beam.runners.fnexecution.artifact.ArtifactRetrievalService;
import org.apache.beam.sdk.expansion.service.ExpansionService;
import org.apache.beam.sdk.expansion.service.ExpansionServiceOptions;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.vendor.grpc.v1p69p0.io.grpc.Server;
import org.apache.beam.vendor.grpc.v1p69p0.io.grpc.netty.NettyServerBuilder;

/**
 * {@code latimer beam expansion-service}: gives pipelines in other languages the transforms on this
 * program's class path, and workers for them. Beam's own program would listen on all addresses; the
 * service has no authentication, and so it listens on this machine only.
 */
public final class ExpansionProgram {
  private ExpansionProgram() {}

  /** Takes the port; 0 for a free one. Ends with the process. */
  public static void main(String[] args) throws InterruptedException {
    int port = Integer.parseInt(args[0]);
    try {
      Server server = start(port);
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
   * @throws IOException if the port cannot be used
   */
  static Server start(int port) throws IOException {
    PipelineOptionsFactory.register(ExpansionServiceOptions.class);
    PipelineOptions options = PipelineOptionsFactory.create();
    options.as(ExpansionServiceOptions.class).setAlsoStartLoopbackWorker(true);
    // pipelines are told where the workers are before the service starts
    int known = port == 0 ? freePort() : port;
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), known);
    return NettyServerBuilder.forAddress(address)
        .addService(new ExpansionService(options, "localhost:" + known))
        .addService(new ArtifactRetrievalService())
        .addService(new ExternalWorkerService(options))
        .build()
        .start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
