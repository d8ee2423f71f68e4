package io.latimer.pipelines.feed;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLConnection;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * The answer to a GET. Redirects are followed, but never from https to http or back, and never from
 * a public host to an address of a private network, of the link or of this machine: the server of a
 * feed must not choose what is read there.
 *
 * <p>{@link HttpURLConnection} limits the time of each read, and leaves no threads behind that
 * would keep a finished job's classes.
 */
final class HttpGet implements Closeable {
  private static final int MAX_REDIRECTS = 5;
  private static final int CONNECT_MILLIS = 10_000;

  private final HttpURLConnection connection;
  private final int status;

  private HttpGet(HttpURLConnection connection, int status) {
    this.connection = connection;
    this.status = status;
  }

  /**
   * Sends a request.
   *
   * @param uri http or https
   * @param headers of the request
   * @param read maximum time to wait for an answer, and for each part of it
   * @return an answer with status 200, 204 or 304
   * @throws FeedException if the server refuses, in a way that will not change
   * @throws RetryLaterException if it cannot answer now
   * @throws IOException if it cannot be reached
   */
  static HttpGet of(URI uri, Map<String, String> headers, Duration read) throws IOException {
    URI at = uri;
    for (int redirects = 0; ; redirects++) {
      HttpURLConnection connection = connect(at, headers, read);
      boolean kept = false;
      try {
        int status = status(at, connection);
        if (!isRedirect(status)) {
          check(at, connection, status);
          kept = true;
          return new HttpGet(connection, status);
        }
        if (redirects == MAX_REDIRECTS) {
          throw new FeedException(uri + " redirects more than " + MAX_REDIRECTS + " times");
        }
        at = target(uri, at, connection.getHeaderField("Location"));
      } finally {
        if (!kept) {
          connection.disconnect();
        }
      }
    }
  }

  private static HttpURLConnection connect(URI uri, Map<String, String> headers, Duration read)
      throws IOException {
    URLConnection opened = uri.toURL().openConnection();
    if (!(opened instanceof HttpURLConnection connection)) {
      throw new FeedException(uri + " is not on an HTTP server");
    }
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(Math.toIntExact(read.toMillis()));
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    headers.forEach(connection::setRequestProperty);
    return connection;
  }

  private static int status(URI uri, HttpURLConnection connection) throws IOException {
    try {
      int status = connection.getResponseCode();
      if (status < 0) {
        throw new IOException("the server does not speak HTTP");
      }
      return status;
    } catch (UnknownHostException e) {
      throw new IOException("unknown host " + uri.getHost(), e);
    }
  }

  private static boolean isRedirect(int status) {
    return switch (status) {
      case 301, 302, 303, 307, 308 -> true;
      default -> false;
    };
  }

  private static URI target(URI first, URI at, String location) throws IOException {
    URI to;
    try {
      if (location == null) {
        throw new IllegalArgumentException("no location");
      }
      to = at.resolve(location);
    } catch (IllegalArgumentException e) {
      throw new FeedException(at + " redirects to an invalid address; give the final address", e);
    }
    if (to.getHost() == null || !at.getScheme().equalsIgnoreCase(to.getScheme())) {
      throw new FeedException(
          at + " redirects to another protocol, " + to + "; give the final address");
    }
    if (!to.getHost().equalsIgnoreCase(first.getHost())
        && isInternal(to.getHost())
        && !isInternal(first.getHost())) {
      throw new FeedException(
          at + " redirects into a private network, to " + to.getHost() + "; give the address there");
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

  private static void check(URI uri, HttpURLConnection connection, int status)
      throws IOException {
    switch (status) {
      case 200, 204, 304 -> {}
      case 408, 425, 429, 500, 502, 503, 504 ->
          throw new RetryLaterException(
              "the server answered HTTP " + status,
              connection.getHeaderField("Retry-After"),
              Instant.now());
      default -> {
        String message = uri + " cannot be read: the server answered HTTP " + status;
        throw status > 500 ? new IOException(message) : new FeedException(message);
      }
    }
  }

  /** 200, 204 or 304. */
  int status() {
    return status;
  }

  /** A header of the answer; empty if it has none. */
  String header(String name) {
    String value = connection.getHeaderField(name);
    return value == null ? "" : value;
  }

  /** The content, which ends with an error if the connection does. */
  InputStream body() throws IOException {
    return connection.getInputStream();
  }

  /** Ends the connection, too: a stream's own close would first read what is left. */
  @Override
  public void close() {
    connection.disconnect();
  }
}
