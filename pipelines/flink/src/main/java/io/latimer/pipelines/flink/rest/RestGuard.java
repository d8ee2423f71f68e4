package io.latimer.pipelines.flink.rest;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelDuplexHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFutureListener;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelPromise;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultFullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderNames;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderValues;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaders;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpVersion;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.QueryStringDecoder;
import org.apache.flink.shaded.netty4.io.netty.util.ReferenceCountUtil;

/**
 * Protects Flink's REST interface from pages of other sites. Such a page can send requests from the
 * browser of anyone who can reach the interface and, with a host name that resolves to its address
 * (DNS rebinding), also read the answers. No {@code GET} may change anything, because a link is
 * enough to send one.
 */
final class RestGuard extends ChannelDuplexHandler {
  /** Additional host names, such as that of a reverse proxy. */
  static final ConfigOption<List<String>> HOSTS =
      ConfigOptions.key("latimer.rest.hosts").stringType().asList().defaultValues();

  /** Paths with this prefix cancel or stop a job with a GET. */
  private static final String CHANGES = "/yarn-";

  private static final String SITE = "Sec-Fetch-Site";
  private static final String DESTINATION = "Sec-Fetch-Dest";
  private static final Pattern PORT = Pattern.compile(":[0-9]+$");

  /** IP addresses, which are immune to DNS rebinding. */
  private static final Pattern ADDRESS =
      Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-f:.]+\\]");

  private final Set<String> names;
  private String origin = "null";
  private boolean refused;

  /**
   * Creates the guard of one connection.
   *
   * @param names allowed host names of the interface, beside IP addresses
   */
  RestGuard(Set<String> names) {
    this.names =
        names.stream()
            .map(name -> name.toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (refused) {
      ReferenceCountUtil.release(message); // the body of a refused request, and anything after it
    } else if (message instanceof HttpRequest request) {
      Optional<String> refusal = refusal(request);
      refused = refusal.isPresent();
      if (refused) {
        ReferenceCountUtil.release(message);
        refuse(context, refusal.get());
      } else {
        HttpHeaders headers = request.headers();
        origin = headers.get(HttpHeaderNames.ORIGIN, "http://" + headers.get(HttpHeaderNames.HOST));
        context.fireChannelRead(message);
      }
    } else {
      context.fireChannelRead(message);
    }
  }

  private static void refuse(ChannelHandlerContext context, String reason) {
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    HttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.FORBIDDEN, Unpooled.wrappedBuffer(text));
    answer
        .headers()
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
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

  /** Why a request is not served; empty if it is. */
  Optional<String> refusal(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return Optional.of("This is no HTTP request that Flink can read.");
    }
    HttpHeaders headers = request.headers();
    List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
    if (hosts.size() != 1 || !isOurs(hosts.get(0))) {
      return Optional.of(
          "Flink is not known by this host name. Open it at localhost, or add the name to Flink's"
              + " setting "
              + HOSTS.key()
              + ".");
    }
    Set<String> own = Set.of("http://" + hosts.get(0), "https://" + hosts.get(0));
    if (!own.containsAll(headers.getAll(HttpHeaderNames.ORIGIN))) {
      return Optional.of("Only Flink's page itself may ask for this: the origin is another one.");
    }
    String site = headers.get(SITE);
    boolean opened = // navigation by a link
        request.method().equals(HttpMethod.GET) && "document".equals(headers.get(DESTINATION));
    if (site != null && !opened && !site.equals("same-origin") && !site.equals("none")) {
      return Optional.of("Another site may not ask for this.");
    }
    if (changes(request.uri())) {
      return Optional.of("A GET only reads. Stop a job with POST /jobs/ID/stop.");
    }
    return Optional.empty();
  }

  private boolean isOurs(String host) {
    String name = PORT.matcher(host.toLowerCase(Locale.ROOT)).replaceFirst("");
    return names.contains(name) || ADDRESS.matcher(name).matches();
  }

  /**
   * Whether a request changes a job. Decodes twice, because Flink's router decodes the parts of a
   * decoded path again.
   */
  private static boolean changes(String uri) {
    try {
      String path = new QueryStringDecoder(uri).path();
      return QueryStringDecoder.decodeComponent(path).contains(CHANGES);
    } catch (IllegalArgumentException e) {
      return true; // the router cannot decode it either
    }
  }
}
