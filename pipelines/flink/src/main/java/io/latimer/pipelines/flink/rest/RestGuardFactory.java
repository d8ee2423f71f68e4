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

/** Puts the guard before Flink's REST handlers; Flink finds it as a service. */
public final class RestGuardFactory implements InboundChannelHandlerFactory {
  /**
   * Further values of {@code Host}, as a reverse proxy sends them: {@code flink.example.com} or
   * {@code flink.example.com:8443}.
   */
  static final ConfigOption<List<String>> HOSTS =
      ConfigOptions.key("latimer.rest.hosts").stringType().asList().defaultValues();

  /** Options of flink-kubernetes, which not every cluster has. */
  private static final ConfigOption<String> CLUSTER_ID =
      ConfigOptions.key("kubernetes.cluster-id").stringType().noDefaultValue();

  private static final ConfigOption<String> NAMESPACE =
      ConfigOptions.key("kubernetes.namespace").stringType().defaultValue("default");

  @Override
  public int priority() {
    return Integer.MAX_VALUE;
  }

  @Override
  public Optional<ChannelHandler> createHandler(
      Configuration settings, Map<String, String> headers) {
    return Optional.of(guard(settings));
  }

  static RestGuard guard(Configuration settings) {
    Set<String> names = new HashSet<>(Set.of("localhost"));
    settings.getOptional(RestOptions.ADDRESS).ifPresent(names::add);
    settings
        .getOptional(CLUSTER_ID)
        .map(id -> id + "-rest") // the service; the operator asks it with the namespace
        .ifPresent(
            service -> names.addAll(List.of(service, service + "." + settings.get(NAMESPACE))));
    return new RestGuard(names, Set.copyOf(settings.get(HOSTS)));
  }
}
