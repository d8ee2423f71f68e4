package io.latimer.pipelines.index;

import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.index.IndexRef;
import io.latimer.operators.index.NotAnIndexException;
import io.latimer.pipelines.http.Redirects;
import io.latimer.pipelines.http.RefusedRedirectException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLConnection;
import java.net.UnknownHostException;
import java.time.Duration;

/**
 * Files on HTTP servers. Redirects are followed as {@link Redirects} allows.
 *
 * <p>Uses {@link HttpURLConnection}, which has a time-out for each read and leaves no threads
 * behind that would keep a finished job's classes in memory.
 *
 * @param connect maximum time to connect
 * @param read maximum time to wait for a response, or for more of it
 */
record HttpSource(Duration connect, Duration read) implements IndexSource {
  private static final long serialVersionUID = 1L;

  static final HttpSource DEFAULT = new HttpSource(Duration.ofSeconds(10), Duration.ofSeconds(60));

  private static final int REQUEST_TIMEOUT = 408;
  private static final int TOO_EARLY = 425;
  private static final int TOO_MANY_REQUESTS = 429;

  /** A body whose close drops the connection; the default would first read the rest. */
  private static final class Body extends FilterInputStream {
    private final HttpURLConnection connection;

    Body(HttpURLConnection connection) throws IOException {
      super(connection.getInputStream());
      this.connection = connection;
    }

    @Override
    public void close() {
      connection.disconnect();
    }
  }

  @Override
  public Content open(URI uri) throws IOException {
    Redirects redirects = new Redirects(uri);
    URI at = uri;
    while (true) {
      HttpURLConnection connection = connection(at);
      boolean ok = false;
      try {
        int status = status(at, connection);
        if (!Redirects.isRedirect(status)) {
          check(at, status);
          Content content = new Content(new Body(connection), connection.getContentLengthLong());
          ok = true;
          return content;
        }
        at = redirects.target(at, connection.getHeaderField("Location"));
      } catch (RefusedRedirectException e) {
        throw new IndexFormatException(IndexRef.location(at) + " " + e.getMessage(), e);
      } finally {
        if (!ok) {
          connection.disconnect();
        }
      }
    }
  }

  private HttpURLConnection connection(URI uri) throws IOException {
    URLConnection opened = uri.toURL().openConnection();
    if (!(opened instanceof HttpURLConnection connection)) {
      throw new IndexFormatException(IndexRef.location(uri) + " is not on an HTTP server");
    }
    connection.setConnectTimeout(Math.toIntExact(connect.toMillis()));
    connection.setReadTimeout(Math.toIntExact(read.toMillis()));
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setRequestProperty("User-Agent", "latimer");
    connection.setRequestProperty("Accept-Encoding", "identity");
    return connection;
  }

  private static int status(URI uri, HttpURLConnection connection) throws IOException {
    try {
      return connection.getResponseCode();
    } catch (UnknownHostException e) {
      throw new IOException("unknown host " + uri.getHost(), e);
    }
  }

  private static void check(URI uri, int status) throws IOException {
    String location = IndexRef.location(uri);
    switch (status) {
      case HttpURLConnection.HTTP_OK -> {}
      case HttpURLConnection.HTTP_NOT_FOUND, HttpURLConnection.HTTP_GONE ->
          throw new NotAnIndexException(location + " does not exist (HTTP " + status + ")");
      case REQUEST_TIMEOUT, TOO_EARLY, TOO_MANY_REQUESTS ->
          throw new IOException("the server answered HTTP " + status);
      default -> {
        if (status >= 500) {
          throw new IOException("the server answered HTTP " + status);
        }
        throw new IndexFormatException(
            location + " cannot be read: the server answered HTTP " + status);
      }
    }
  }
}
