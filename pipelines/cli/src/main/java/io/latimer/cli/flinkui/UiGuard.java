package io.latimer.cli.flinkui;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelDuplexHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFutureListener;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelPromise;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultFullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderNames;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaders;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpVersion;
import org.apache.flink.shaded.netty4.io.netty.util.ReferenceCountUtil;

/**
 * Lets only Flink's own page ask for what Flink's page shows. Another site can send requests from a
 * browser on this machine, and with a name that it points at 127.0.0.1 (DNS rebinding) read the
 * answers.
 */
final class UiGuard extends ChannelDuplexHandler {
  private static final Set<String> HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final String SITE = "Sec-Fetch-Site";
  private static final String DESTINATION = "Sec-Fetch-Dest";

  private String origin = "null";

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!(message instanceof HttpRequest request)) {
      context.fireChannelRead(message);
      return;
    }
    int port = ((InetSocketAddress) context.channel().localAddress()).getPort();
    Optional<String> refusal = refusal(request.headers(), port);
    if (refusal.isEmpty()) {
      origin = "http://" + request.headers().get(HttpHeaderNames.HOST);
      context.fireChannelRead(message);
      return;
    }
    ReferenceCountUtil.release(message);
    refuse(context, refusal.get());
  }

  private static void refuse(ChannelHandlerContext context, String reason) {
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    HttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.FORBIDDEN, Unpooled.wrappedBuffer(text));
    answer
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
        .set(HttpHeaderNames.CONTENT_LENGTH, text.length);
    var unused = context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof HttpResponse answer) {
      answer.headers().set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    var unused = context.write(message, promise);
  }

  /** Why a request to a port is not served; empty if it is. */
  static Optional<String> refusal(HttpHeaders request, int port) {
    List<String> hosts = request.getAll(HttpHeaderNames.HOST);
    if (hosts.size() != 1 || !isOurs(hosts.get(0), port)) {
      return Optional.of("This is not a host name of the page; open http://localhost:" + port);
    }
    String own = "http://" + hosts.get(0);
    if (!request.getAll(HttpHeaderNames.ORIGIN).stream().allMatch(own::equalsIgnoreCase)) {
      return Optional.of("Only the page itself may ask for this: the origin is another one.");
    }
    String site = request.get(SITE);
    boolean opened = "document".equals(request.get(DESTINATION)); // a link that is followed
    if (site != null && !opened && !site.equals("same-origin") && !site.equals("none")) {
      return Optional.of("Another site may not ask for this.");
    }
    return Optional.empty();
  }

  private static boolean isOurs(String host, int port) {
    String suffix = ":" + port;
    return host.endsWith(suffix)
        && HOSTS.contains(
            host.substring(0, host.length() - suffix.length()).toLowerCase(Locale.ROOT));
  }
}
