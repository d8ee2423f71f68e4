package io.latimer.pipelines.flink.rest;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.io.network.netty.InboundChannelHandlerFactory;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelPipeline;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpServerCodec;

/** Installs the guard before Flink's REST handlers; Flink loads it as a service. */
public final class RestGuardFactory implements InboundChannelHandlerFactory {
  /** Options of flink-kubernetes, which not every cluster has. */
  private static final ConfigOption<String> CLUSTER_ID =
      ConfigOptions.key("kubernetes.cluster-id").stringType().noDefaultValue();

  private static final ConfigOption<String> NAMESPACE =
      ConfigOptions.key("kubernetes.namespace").stringType().defaultValue("default");

  /** Moves the guard forward: Flink adds handlers behind those that receive uploads and bodies. */
  private static final class Placing extends ChannelHandlerAdapter {
    private final RestGuard guard;

    Placing(RestGuard guard) {
      this.guard = guard;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      ChannelPipeline pipeline = context.pipeline();
      pipeline.addAfter(pipeline.context(HttpServerCodec.class).name(), null, guard);
      pipeline.remove(this);
    }
  }

  @Override
  public int priority() {
    return Integer.MAX_VALUE;
  }

  @Override
  public Optional<ChannelHandler> createHandler(
      Configuration settings, Map<String, String> headers) {
    return Optional.of(new Placing(guard(settings)));
  }

  static RestGuard guard(Configuration settings) {
    Set<String> names = new HashSet<>(Set.of("localhost"));
    names.addAll(settings.get(RestGuard.HOSTS));
    settings.getOptional(RestOptions.ADDRESS).ifPresent(names::add);
    settings
        .getOptional(CLUSTER_ID)
        .map(id -> id + "-rest") // the service, with or without namespace
        .ifPresent(
            service -> names.addAll(List.of(service, service + "." + settings.get(NAMESPACE))));
    return new RestGuard(names);
  }
}
