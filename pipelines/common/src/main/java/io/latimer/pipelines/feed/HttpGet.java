package io.latimer.pipelines.feed;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A GET and its answer. Redirects are followed, but never from https to http or back, and never
 * from a public host to an address of a private network, of the link or of this machine: the server
 * of a feed must not choose what is read there. The JVM keeps the addresses that were checked for
 * long enough to connect to the same ones (networkaddress.cache.ttl, 30 s by default).
 */
final class HttpGet implements Closeable {
  private static final int MAX_REDIRECTS = 5;
  private static final Duration CONNECT = Duration.ofSeconds(10);

  private final HttpClient client;
  private final HttpBody body;
  private volatile CompletableFuture<HttpResponse<HttpBody>> pending;
  private volatile boolean closed;
  private HttpResponse<HttpBody> answer;

  private HttpGet(HttpClient client, HttpBody body) {
    this.client = client;
    this.body = body;
  }

  /**
   * Makes a client for one feed. Its threads end once it is no longer reachable, so that a finished
   * job leaves nothing behind.
   */
  static HttpClient newClient() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(CONNECT)
        .build();
  }

  /**
   * Makes a request, which is not yet sent.
   *
   * @param read maximum time to wait for more of the content
   * @param whole maximum time to wait for its end; zero for ever
   * @param meter counts the bytes of the content
   */
  static HttpGet of(HttpClient client, Duration read, Duration whole, FeedMeter meter) {
    return new HttpGet(client, new HttpBody(read, whole, meter));
  }

  /**
   * Sends the request.
   *
   * @param uri http or https
   * @param headers of the request
   * @param read maximum time to wait for an answer
   * @return the status: 200, 204 or 304
   * @throws FeedException if the server refuses, in a way that will not change
   * @throws RetryLaterException if it cannot answer now
   * @throws IOException if it cannot be reached
   */
  int send(URI uri, Map<String, String> headers, Duration read)
      throws IOException, InterruptedException {
    // before the server can answer, and have another address by then
    boolean internal = isKnownInternal(uri.getHost());
    URI at = uri;
    for (int redirects = 0; ; redirects++) {
      answer = answer(at, headers, read);
      int status = answer.statusCode();
      if (!isRedirect(status)) {
        check(at, status);
        return status;
      }
      if (redirects == MAX_REDIRECTS) {
        throw new FeedException(uri + " redirects more than " + MAX_REDIRECTS + " times");
      }
      at = target(at, header("Location"), internal);
    }
  }

  private HttpResponse<HttpBody> answer(URI uri, Map<String, String> headers, Duration read)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(read).GET();
    headers.forEach(request::header);
    pending =
        client.sendAsync(
            request.build(),
            // the content of other answers is not read
            info -> info.statusCode() == 200 ? body : dropped());
    if (closed) {
      pending.cancel(true);
    }
    try {
      return pending.get();
    } catch (InterruptedException e) {
      pending.cancel(true);
      throw e;
    } catch (java.util.concurrent.CancellationException e) {
      throw new IOException("the connection was closed", e);
    } catch (ExecutionException e) {
      throw unreachable(uri, e.getCause());
    }
  }

  private static HttpBody dropped() {
    HttpBody dropped = new HttpBody(Duration.ZERO, Duration.ZERO, FeedMeter.NONE);
    dropped.close();
    return dropped;
  }

  /** Why a server cannot be reached. */
  static IOException unreachable(URI uri, Throwable cause) {
    for (Throwable e = cause; e != null; e = e.getCause()) {
      if (e instanceof java.nio.channels.UnresolvedAddressException) {
        return new IOException("unknown host " + uri.getHost(), cause);
      }
    }
    String message = cause.getMessage();
    return new IOException(
        message == null ? "no connection to " + uri.getAuthority() : message, cause);
  }

  private static boolean isRedirect(int status) {
    return switch (status) {
      case 301, 302, 303, 307, 308 -> true;
      default -> false;
    };
  }

  /**
   * Where a redirect leads.
   *
   * @param at the address that redirects
   * @param internal whether the address that was asked for is in a private network itself
   */
  static URI target(URI at, String location, boolean internal) throws IOException {
    URI to;
    try {
      to = at.resolve(location);
    } catch (IllegalArgumentException e) {
      throw new FeedException(at + " redirects to an invalid address; give the final address", e);
    }
    if (!at.getScheme().equalsIgnoreCase(to.getScheme())) {
      throw new FeedException(
          at + " redirects to another protocol, " + to + "; give the final address");
    }
    if (location.isEmpty() || to.getHost() == null) {
      throw new FeedException(at + " redirects to an invalid address; give the final address");
    }
    if (!internal && isInternal(to.getHost())) {
      throw new FeedException(
          at
              + " redirects into a private network, to "
              + to.getHost()
              + "; give the address there");
    }
    return to;
  }

  /** False for an unknown host, which a proxy may know. */
  private static boolean isKnownInternal(String host) {
    try {
      return isInternal(host);
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isInternal(String host) throws IOException {
    InetAddress[] addresses;
    try {
      addresses = InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw new IOException("unknown host " + host, e);
    }
    for (InetAddress address : addresses) {
      if (isInternal(address)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isInternal(InetAddress address) throws IOException {
    byte[] bytes = address.getAddress();
    int first = bytes[0] & 0xff;
    int second = bytes[1] & 0xff;
    if (address.isLoopbackAddress()
        || address.isAnyLocalAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return true;
    }
    if (bytes.length == 4) {
      return first == 0 // RFC 6890: this network
          || (first == 100 && (second & 0xc0) == 64) // RFC 6598: shared by a provider's customers
          || (first == 198 && (second & 0xfe) == 18) // RFC 2544: tests of devices
          || first >= 240; // RFC 1112: reserved
    }
    if (isZero(bytes, 0, 12) || (first == 0 && second == 0x64 && bytes[2] == (byte) 0xff)) {
      // RFC 4291 and 6052: an IPv4 address follows
      return isInternal(InetAddress.getByAddress(Arrays.copyOfRange(bytes, 12, 16)));
    }
    if (first == 0x20 && second == 0x02) { // RFC 3056: an IPv4 address follows
      return isInternal(InetAddress.getByAddress(Arrays.copyOfRange(bytes, 2, 6)));
    }
    return (first & 0xfe) == 0xfc; // RFC 4193
  }

  private static boolean isZero(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private void check(URI uri, int status) throws IOException {
    switch (status) {
      case 200, 204, 304 -> {}
      case 408, 425, 429, 500, 502, 503, 504 ->
          throw RetryLaterException.of("the server answered HTTP " + status, answer.headers());
      default -> {
        String message = uri + " cannot be read: the server answered HTTP " + status;
        throw status > 500 ? new IOException(message) : new FeedException(message + hint(status));
      }
    }
  }

  /** What to do about a status that will not change. */
  static String hint(int status) {
    return status == 401 || status == 403
        ? "; give an address that needs no login, or a user-agent that the server admits"
        : "; check the address";
  }

  /** A header of the answer; empty if it has none. */
  String header(String name) {
    return answer.headers().firstValue(name).orElse("");
  }

  /** The content, which ends with an error if the connection does. */
  HttpBody body() {
    return body;
  }

  /** Ends the connection, and a thread's wait for it. */
  @Override
  public void close() {
    closed = true;
    CompletableFuture<HttpResponse<HttpBody>> waiting = pending;
    if (waiting != null) {
      waiting.cancel(true);
    }
    body.close();
  }
}
