package io.latimer.pipelines.feed;

import java.io.Closeable;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A GET and its answer. Redirects are followed, but never from https to http or back, and never
 * from a public host to an address of a private network, of the link or of this machine: the server
 * of a feed must not choose what is read there.
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

  /** Makes a request, which is not yet sent. */
  static HttpGet of(HttpClient client, Duration read) {
    return new HttpGet(client, new HttpBody(read));
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
      at = target(uri, at, header("Location"));
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
    HttpBody dropped = new HttpBody(Duration.ZERO);
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
   * @param first the address that was asked for
   * @param at the one that redirects
   */
  static URI target(URI first, URI at, String location) throws IOException {
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
    if (!to.getHost().equalsIgnoreCase(first.getHost())
        && isInternal(to.getHost())
        && !isInternal(first.getHost())) {
      throw new FeedException(
          at
              + " redirects into a private network, to "
              + to.getHost()
              + "; give the address there");
    }
    return to;
  }

  private static boolean isInternal(String host) throws IOException {
    InetAddress[] addresses;
    try {
      addresses = InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      throw new IOException("unknown host " + host, e);
    }
    for (InetAddress address : addresses) {
      if (address.isLoopbackAddress()
          || address.isAnyLocalAddress()
          || address.isLinkLocalAddress()
          || address.isSiteLocalAddress()
          // RFC 4193: fc00::/7
          || (address instanceof Inet6Address && (address.getAddress()[0] & 0xfe) == 0xfc)) {
        return true;
      }
    }
    return false;
  }

  private void check(URI uri, int status) throws IOException {
    switch (status) {
      case 200, 204, 304 -> {}
      case 408, 425, 429, 500, 502, 503, 504 ->
          throw new RetryLaterException(
              "the server answered HTTP " + status, header("Retry-After"), Instant.now());
      default -> {
        String message = uri + " cannot be read: the server answered HTTP " + status;
        throw status > 500 ? new IOException(message) : new FeedException(message);
      }
    }
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
