package io.latimer.pipelines.feed;

import io.latimer.pipelines.http.Redirects;
import io.latimer.pipelines.http.RefusedRedirectException;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A GET request and its response. Redirects are followed as {@link Redirects} allows. */
final class HttpGet implements Closeable {
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
   * Creates a client for one feed. Its threads end once it is unreachable, so that a finished job
   * leaves nothing behind.
   */
  static HttpClient newClient() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(CONNECT)
        .build();
  }

  /**
   * Creates a request without sending it.
   *
   * @param read maximum time to wait for more of the content
   * @param whole maximum time to wait for its end; zero for no limit
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
   * @throws FeedException if the server refuses permanently
   * @throws RetryLaterException if it cannot answer now
   * @throws IOException if it cannot be reached
   */
  int send(URI uri, Map<String, String> headers, Duration read)
      throws IOException, InterruptedException {
    Redirects redirects = new Redirects(uri);
    URI at = uri;
    while (true) {
      answer = answer(at, headers, read);
      int status = answer.statusCode();
      if (!Redirects.isRedirect(status)) {
        check(at, status);
        return status;
      }
      try {
        at = redirects.target(at, header("Location"));
      } catch (RefusedRedirectException e) {
        throw new FeedException(at + " " + e.getMessage(), e);
      }
    }
  }

  private HttpResponse<HttpBody> answer(URI uri, Map<String, String> headers, Duration read)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(read).GET();
    headers.forEach(request::header);
    pending =
        client.sendAsync(
            request.build(),
            // the content of other responses is not read
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

  /** What to do about a permanent error status. */
  static String hint(int status) {
    return status == 401 || status == 403
        ? "; give an address that needs no login, or a user-agent that the server admits"
        : "; check the address";
  }

  /** A header of the response; empty if it is missing. */
  String header(String name) {
    return answer.headers().firstValue(name).orElse("");
  }

  /** The content; reading it fails if the connection breaks. */
  HttpBody body() {
    return body;
  }

  /** Closes the connection and unblocks a thread that waits for it. */
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
