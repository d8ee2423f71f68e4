package io.latimer.cli.flinkui;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blob.TransientBlobService;
import org.apache.flink.runtime.dispatcher.DispatcherGateway;
import org.apache.flink.runtime.leaderelection.LeaderElection;
import org.apache.flink.runtime.resourcemanager.ResourceManagerGateway;
import org.apache.flink.runtime.rest.HttpMethodWrapper;
import org.apache.flink.runtime.rest.RestEndpointFactory;
import org.apache.flink.runtime.rest.handler.RestHandlerConfiguration;
import org.apache.flink.runtime.rest.handler.RestHandlerSpecification;
import org.apache.flink.runtime.rest.handler.legacy.metrics.MetricFetcher;
import org.apache.flink.runtime.rpc.FatalErrorHandler;
import org.apache.flink.runtime.webmonitor.WebMonitorEndpoint;
import org.apache.flink.runtime.webmonitor.retriever.LeaderGatewayRetriever;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandler;

/**
 * Flink's REST endpoint reduced to its read-only part, or to nothing. A cluster cannot start
 * without an endpoint, which always binds its port first; if no page is wanted, it has no handlers,
 * and closes the port before the cluster has started.
 */
@SuppressWarnings("try") // its close may be interrupted
final class UiEndpoint extends WebMonitorEndpoint<DispatcherGateway> {
  /** Whether the endpoint may answer at all. */
  static final ConfigOption<Boolean> SERVED =
      ConfigOptions.key("latimer.flink-ui").booleanType().defaultValue(false);

  /** Paths with this prefix change something with a GET. */
  private static final String CHANGES = "/yarn-";

  private final boolean served;
  private CompletableFuture<Void> shutDown;

  private UiEndpoint(
      Configuration settings,
      RestHandlerConfiguration handlers,
      LeaderGatewayRetriever<DispatcherGateway> dispatcher,
      LeaderGatewayRetriever<ResourceManagerGateway> resources,
      TransientBlobService blobs,
      ScheduledExecutorService executor,
      MetricFetcher metrics,
      LeaderElection election,
      FatalErrorHandler errors)
      throws Exception {
    super(
        dispatcher,
        settings,
        handlers,
        resources,
        blobs,
        executor,
        metrics,
        election,
        RestEndpointFactory.createExecutionGraphCache(handlers),
        errors);
    served = settings.get(SERVED);
  }

  /** As {@link RestEndpointFactory} describes it. */
  static UiEndpoint create(
      Configuration settings,
      LeaderGatewayRetriever<DispatcherGateway> dispatcher,
      LeaderGatewayRetriever<ResourceManagerGateway> resources,
      TransientBlobService blobs,
      ScheduledExecutorService executor,
      MetricFetcher metrics,
      LeaderElection election,
      FatalErrorHandler errors)
      throws Exception {
    return new UiEndpoint(
        settings,
        RestHandlerConfiguration.fromConfiguration(settings),
        dispatcher,
        resources,
        blobs,
        executor,
        metrics,
        election,
        errors);
  }

  @Override
  protected List<Tuple2<RestHandlerSpecification, ChannelInboundHandler>> initializeHandlers(
      CompletableFuture<String> address) {
    // all are created, because Flink archives ended jobs with some of them
    return super.initializeHandlers(address).stream()
        .filter(handler -> served && shows(handler.f0))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static boolean shows(RestHandlerSpecification handler) {
    return handler.getHttpMethod() == HttpMethodWrapper.GET
        && !handler.getTargetRestEndpointURL().contains(CHANGES);
  }

  @Override
  public void startInternal() throws Exception {
    if (served) {
      super.startInternal();
    } else {
      shutDownInternal().get();
    }
  }

  @Override
  protected synchronized CompletableFuture<Void> shutDownInternal() {
    if (shutDown == null) {
      shutDown = super.shutDownInternal();
    }
    return shutDown;
  }
}
