package io.latimer.pipelines.feed;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The text messages of a websocket (RFC 6455). The next message is requested only when one is
 * taken, so that TCP throttles a faster server. Anything beyond a message's maximum length is
 * dropped as it arrives.
 */
final class WebSocketMessages implements Closeable {
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final int ASKED_AHEAD = 16;
  private static final int NORMAL_CLOSURE = 1000;

  /**
   * A message.
   *
   * @param whole whether it is complete instead of truncated
   */
  record Message(String text, boolean whole) {}

  /** A message, or the error that ended the connection, or neither if it was closed properly. */
  private record Event(Message message, Throwable error) {}

  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final int maxChars;
  private final Duration silence;
  private volatile CompletableFuture<WebSocket> pending;
  private volatile boolean closed;
  private volatile WebSocket socket;

  /** Whether there was a ping or a pong: a server without new messages is not dead. */
  private volatile boolean heard;

  /**
   * Creates an unconnected websocket.
   *
   * @param maxChars maximum length of a message in UTF-16 code units
   * @param silence how long the server may send neither a message nor a ping
   */
  WebSocketMessages(int maxChars, Duration silence) {
    this.maxChars = maxChars;
    this.silence = silence;
  }

  /**
   * Connects and sends a message, for which the server should wait: the JDK (17) can lose part of
   * what a server sends at once, and then continues in the middle of another message.
   *
   * @throws FeedException if the server refuses permanently
   * @throws IOException if it cannot be reached
   */
  void connect(HttpClient client, URI uri, String userAgent, String hello)
      throws IOException, InterruptedException {
    CompletableFuture<WebSocket> opening =
        client
            .newWebSocketBuilder()
            .connectTimeout(CONNECT)
            .header("User-Agent", userAgent)
            .buildAsync(uri, new Listener());
    // a copy, so that cancelling the wait does not cancel the clean-up of a late connection
    pending = opening.whenComplete((opened, error) -> abortIfClosed(opened)).copy();
    if (closed) {
      pending.cancel(true);
    }
    try {
      WebSocket opened = pending.get();
      socket = opened;
      abortIfClosed(opened);
      opened.sendText(hello, true).get(CONNECT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      close();
      throw e;
    } catch (java.util.concurrent.CancellationException e) {
      throw new IOException("the connection was closed", e);
    } catch (TimeoutException e) {
      throw new SocketTimeoutException("the server took nothing for " + CONNECT.toSeconds() + " s");
    } catch (ExecutionException e) {
      throw refused(uri, e.getCause());
    }
  }

  private void abortIfClosed(WebSocket opened) {
    if (closed && opened != null) {
      opened.abort();
    }
  }

  private static IOException refused(URI uri, Throwable cause) {
    if (!(cause instanceof WebSocketHandshakeException handshake)
        || handshake.getResponse() == null) {
      return HttpGet.unreachable(uri, cause);
    }
    int status = handshake.getResponse().statusCode();
    String message = "the server answered HTTP " + status + " instead of opening a websocket";
    if (status == 408 || status == 425 || status == 429 || status >= 500) {
      return RetryLaterException.of(message, handshake.getResponse().headers());
    }
    return new FeedException(uri + " cannot be read: " + message + HttpGet.hint(status), cause);
  }

  /**
   * Waits for the next message.
   *
   * @throws IOException when the connection has ended
   */
  Message next() throws IOException, InterruptedException {
    Event event;
    do {
      heard = false;
      event = events.poll(silence.toMillis(), TimeUnit.MILLISECONDS);
    } while (event == null && heard);
    if (event == null) {
      throw new SocketTimeoutException("the server sent nothing for " + silence.toSeconds() + " s");
    }
    if (event.message() != null) {
      socket.request(1);
      return event.message();
    }
    if (event.error() != null) {
      throw new IOException(
          "the connection broke off: " + event.error().getMessage(), event.error());
    }
    throw new EOFException("the server closed the connection");
  }

  /** Runs in the client's threads, one call at a time. */
  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();
    private boolean whole = true;

    @Override
    public void onOpen(WebSocket opened) {
      opened.request(ASKED_AHEAD);
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      int kept = Math.min(data.length(), maxChars - text.length());
      text.append(data, 0, kept);
      whole &= kept == data.length();
      if (last) {
        events.add(new Event(new Message(text.toString(), whole), null));
        text.setLength(0);
        text.trimToSize();
        whole = true;
      } else {
        from.request(1); // a part of a message is not taken alone
      }
      return null;
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
      from.request(1); // the protocol has no binary messages
      return null;
    }

    @Override
    public CompletionStage<?> onPing(WebSocket from, ByteBuffer data) {
      heard = true;
      from.request(1);
      return null; // the client answers by itself
    }

    @Override
    public CompletionStage<?> onPong(WebSocket from, ByteBuffer data) {
      heard = true;
      from.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
      Throwable error =
          status == NORMAL_CLOSURE
              ? null
              : new IOException("status " + status + (reason.isEmpty() ? "" : ", " + reason));
      events.add(new Event(null, error));
      return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
      events.add(new Event(null, error));
    }
  }

  @Override
  public void close() {
    closed = true;
    CompletableFuture<WebSocket> opening = pending;
    if (opening != null) {
      opening.cancel(true);
    }
    WebSocket open = socket;
    if (open != null) {
      open.abort();
    }
    events.add(new Event(null, null)); // unblocks a read
  }
}
