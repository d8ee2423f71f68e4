package io.latimer.pipelines.flink.rest;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.QueryStringDecoder;
import org.apache.flink.shaded.netty4.io.netty.util.ReferenceCountUtil;

/**
 * Lets no page of another site ask Flink's REST interface. Such a page can send requests from the
 * browser of whoever reaches the interface, and with a name that it points at the interface's
 * address (DNS rebinding) read the answers. Nobody may change anything with a {@code GET}, which a
 * link is enough for.
 */
final class RestGuard extends ChannelDuplexHandler {
  /** The requests that cancel and stop a job with the method that only reads. */
  private static final String CHANGES = "/yarn-";

  private static final String SITE = "Sec-Fetch-Site";
  private static final String DESTINATION = "Sec-Fetch-Dest";

  /** Addresses cannot be pointed elsewhere. */
  private static final Pattern ADDRESS =
      Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-fA-F:.]+\\]");

  private final Set<String> names;
  private final Set<String> hosts;
  private String origin = "null";

  /**
   * A guard of one connection.
   *
   * @param names of this machine, which a request gives with the port of the interface
   * @param hosts further values of the header {@code Host}
   */
  RestGuard(Set<String> names, Set<String> hosts) {
    this.names = lowerCase(names);
    this.hosts = lowerCase(hosts);
  }

  private static Set<String> lowerCase(Set<String> words) {
    return words.stream()
        .map(word -> word.toLowerCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!(message instanceof HttpRequest request)) {
      context.fireChannelRead(message);
      return;
    }
    int port = ((InetSocketAddress) context.channel().localAddress()).getPort();
    Optional<String> refusal = refusal(request, port);
    if (refusal.isEmpty()) {
      HttpHeaders headers = request.headers();
      origin = headers.get(HttpHeaderNames.ORIGIN, "http://" + headers.get(HttpHeaderNames.HOST));
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
  Optional<String> refusal(HttpRequest request, int port) {
    HttpHeaders headers = request.headers();
    List<String> given = headers.getAll(HttpHeaderNames.HOST);
    if (given.size() != 1 || !isOurs(given.get(0).toLowerCase(Locale.ROOT), port)) {
      return Optional.of(
          "Flink is not known by this host name. Open http://localhost:"
              + port
              + ", or add the name to Flink's setting "
              + RestGuardFactory.HOSTS.key()
              + ".");
    }
    String own = "://" + given.get(0);
    if (!headers.getAll(HttpHeaderNames.ORIGIN).stream()
        .allMatch(
            from -> from.equalsIgnoreCase("http" + own) || from.equalsIgnoreCase("https" + own))) {
      return Optional.of("Only Flink's page itself may ask for this: the origin is another one.");
    }
    String site = headers.get(SITE);
    boolean opened = "document".equals(headers.get(DESTINATION)); // a link that is followed
    if (site != null && !opened && !site.equals("same-origin") && !site.equals("none")) {
      return Optional.of("Another site may not ask for this.");
    }
    if (new QueryStringDecoder(request.uri()).path().contains(CHANGES)) {
      return Optional.of("A GET only reads. Stop a job with POST /jobs/ID/stop.");
    }
    return Optional.empty();
  }

  private boolean isOurs(String host, int port) {
    String suffix = ":" + port;
    if (hosts.contains(host)) {
      return true;
    }
    if (!host.endsWith(suffix)) {
      return false;
    }
    String name = host.substring(0, host.length() - suffix.length());
    return names.contains(name) || ADDRESS.matcher(name).matches();
  }
}
