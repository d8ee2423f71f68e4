package io.latimer.cli.flinkui;

import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.io.network.netty.InboundChannelHandlerFactory;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;

/** Puts the guard before Flink's REST handlers; Flink finds it as a service. */
public final class UiGuardFactory implements InboundChannelHandlerFactory {
  @Override
  public int priority() {
    return Integer.MAX_VALUE;
  }

  @Override
  public Optional<ChannelHandler> createHandler(
      Configuration settings, Map<String, String> headers) {
    return Optional.of(new UiGuard());
  }
}
