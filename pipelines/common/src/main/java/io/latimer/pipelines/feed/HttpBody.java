package io.latimer.pipelines.feed;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The body of a response, as a stream whose reads time out and end when another thread closes it;
 * the JDK's own does neither. It requests the next buffers only when the last are read, so that TCP
 * throttles a faster server.
 */
final class HttpBody extends InputStream implements HttpResponse.BodySubscriber<HttpBody> {
  /** Buffers, or the end with the error that caused it, if any. */
  private record Part(List<ByteBuffer> buffers, Throwable error) {}

  private final Duration timeout;
  private final Duration whole;
  private final FeedMeter meter;
  private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
  private final Queue<ByteBuffer> buffers = new ArrayDeque<>();
  private volatile Flow.Subscription subscription;
  private volatile boolean closed;
  private Part end;
  private long deadline;

  /**
   * Creates a body.
   *
   * @param timeout maximum time to wait for more
   * @param whole maximum time from the first read to the end, so that a server that trickles bytes
   *     cannot block a reader; zero for no limit
   * @param meter counts the bytes
   */
  HttpBody(Duration timeout, Duration whole, FeedMeter meter) {
    this.timeout = timeout;
    this.whole = whole;
    this.meter = meter;
  }

  @Override
  public CompletionStage<HttpBody> getBody() {
    return CompletableFuture.completedStage(this);
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    if (closed) {
      given.cancel();
    } else {
      given.request(1);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> received) {
    parts.add(new Part(received, null));
  }

  @Override
  public void onError(Throwable error) {
    parts.add(new Part(null, error));
  }

  @Override
  public void onComplete() {
    parts.add(new Part(null, null));
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (!closed) {
      ByteBuffer buffer = buffers.peek();
      if (buffer != null && buffer.hasRemaining()) {
        int n = Math.min(length, buffer.remaining());
        buffer.get(bytes, from, n);
        return n;
      }
      if (buffer != null) {
        buffers.remove();
      } else if (end != null) {
        return ended();
      } else {
        take();
      }
    }
    throw new IOException("the connection was closed");
  }

  private int ended() throws IOException {
    if (end.error() != null) {
      throw new IOException("the connection broke off: " + end.error().getMessage(), end.error());
    }
    return -1;
  }

  /** Maximum nanoseconds to wait for more; zero or less if the time is over. */
  private long patience() {
    if (whole.isZero()) {
      return timeout.toNanos();
    }
    if (deadline == 0) {
      deadline = System.nanoTime() + whole.toNanos();
    }
    return Math.min(timeout.toNanos(), deadline - System.nanoTime());
  }

  private void take() throws IOException {
    long patience = patience();
    if (patience <= 0) {
      throw new SocketTimeoutException(
          "the server did not send the whole document within " + whole.toSeconds() + " s");
    }
    Part part;
    try {
      part = parts.poll(patience, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    if (part == null && patience < timeout.toNanos()) {
      return; // the time is over; the next call reports it
    }
    if (part == null) {
      throw new SocketTimeoutException("the server sent nothing for " + timeout.toSeconds() + " s");
    }
    if (part.buffers() == null) {
      end = part;
    } else {
      meter.bytes(part.buffers().stream().mapToLong(ByteBuffer::remaining).sum());
      buffers.addAll(part.buffers());
      subscription.request(1);
    }
  }

  @Override
  public void close() {
    closed = true;
    Flow.Subscription open = subscription;
    if (open != null) {
      open.cancel();
    }
    parts.add(new Part(null, null)); // wakes a blocked read
  }
}
