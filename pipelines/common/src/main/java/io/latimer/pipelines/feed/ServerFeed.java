package io.latimer.pipelines.feed;

import io.latimer.schemas.Sentence;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** A feed that a server pushes, and replays from a cursor on request. */
abstract class ServerFeed implements Feed {
  /** Time without any sign of life after which a connection is considered dead. */
  static final Duration SILENCE = Duration.ofSeconds(60);

  private static final Duration BEFORE_RECONNECT = Duration.ofSeconds(1);

  // after so many skipped items, or so much time, a position is emitted without a record
  private static final int SKIPPED_PER_PROGRESS = 1_000;
  private static final Duration PROGRESS = Duration.ofSeconds(1);

  /** The server's URI, which is also the origin of records. */
  final URI uri;

  /** The read position, which may be ahead of the emitted one. */
  final FeedPosition position;

  final FeedContext context;
  private final Backoff backoff;
  private volatile ServerConnection connection;
  private volatile boolean closed;
  private boolean open;
  private long openedAt;
  private boolean progressed;
  private int skipped;
  private long givenAt;

  ServerFeed(URI uri, FeedPosition position, FeedContext context, Backoff backoff) {
    this.uri = uri;
    this.position = position;
    this.context = context;
    this.backoff = backoff;
    givenAt = now() - PROGRESS.toNanos(); // so that the first position is emitted at once
  }

  /** Creates a connection that starts after the position; it is opened later. */
  abstract ServerConnection newConnection() throws FeedException;

  /** The item for data of the server: a new sentence, or nothing. */
  FeedItem item(Optional<Sentence> sentence, String cursor) {
    if (sentence.isEmpty() || position.remembers(sentence.get().getId())) {
      return FeedItem.progress(cursor);
    }
    return FeedItem.text(sentence.get(), uri.toString(), sentence.get().getEventTime(), cursor);
  }

  /**
   * The item for data that contains no record.
   *
   * @param what such as "the event"
   */
  FeedItem notAnObject(String what, byte[] bytes, String cursor) {
    return FeedItem.refused(bytes, what + " is not a JSON object", uri.toString(), cursor);
  }

  /**
   * The item for data that is longer than a record may be.
   *
   * @param what such as "the event"
   * @param beginning what was kept of it
   */
  FeedItem tooLong(String what, byte[] beginning, String cursor) {
    return FeedItem.refused(
        beginning,
        what
            + " has more than "
            + context.maxRecordBytes()
            + " bytes, the maximum, and this letter contains its beginning; raise"
            + " input.max-record-bytes",
        uri.toString(),
        cursor);
  }

  private long now() {
    return context.clock().nanos().getAsLong();
  }

  @Override
  public void probe() throws IOException, InterruptedException {
    try {
      connect();
    } finally {
      disconnect();
    }
  }

  @Override
  public FeedItem next() throws IOException, InterruptedException {
    while (!closed) {
      if (Thread.interrupted()) {
        throw new InterruptedException(); // the interrupted read does not say why it ended
      }
      try {
        if (!open && !connect()) {
          return null;
        }
        FeedItem item = connection.next();
        context.meter().item();
        if (isNew(item)) {
          progressed = true;
          backoff.succeeded();
        }
        position.advance(item);
        if (isGiven(item)) {
          return item;
        }
      } catch (FeedException e) {
        disconnect();
        throw e;
      } catch (IOException e) {
        reconnect(e);
      }
    }
    return null;
  }

  /** Connects; false if the server will never have more, or the feed is closed. */
  private boolean connect() throws IOException, InterruptedException {
    ServerConnection opening = newConnection();
    connection = opening;
    progressed = false;
    if (closed) {
      opening.close();
      return false;
    }
    open = opening.open();
    openedAt = now();
    return open;
  }

  private boolean isNew(FeedItem item) {
    boolean moves = !item.cursor().isEmpty() && !item.cursor().equals(position.cursor());
    return moves || item.content() instanceof FeedItem.Text;
  }

  /**
   * Whether to emit an item; progress without a record only now and then, in case there is no
   * record for long.
   */
  private boolean isGiven(FeedItem item) {
    long now = now();
    if (item.content() instanceof FeedItem.Nothing
        && (item.cursor().isEmpty()
            || (++skipped < SKIPPED_PER_PROGRESS && now - givenAt < PROGRESS.toNanos()))) {
      return false;
    }
    skipped = 0;
    givenAt = now;
    return true;
  }

  /**
   * Reconnects. A server may end a connection at any time; that is no error if it has sent
   * something new, or was alive for long. If it only replayed old items, it may fail at the same
   * message again.
   */
  private void reconnect(IOException error) throws IOException, InterruptedException {
    boolean silent = error instanceof SocketTimeoutException;
    long lived = now() - openedAt - (silent ? SILENCE.toNanos() : 0);
    boolean lasted = open && lived >= SILENCE.toNanos();
    boolean ended = open && (progressed || (lasted && !silent));
    Duration retry = open ? connection.retry() : Duration.ZERO;
    disconnect();
    if (closed || Thread.currentThread().isInterrupted()) {
      return;
    }
    if (lasted) {
      backoff.succeeded();
    }
    if (ended) {
      backoff.pause(retry.isZero() ? BEFORE_RECONNECT : retry);
    } else {
      backoff.failed(error);
    }
  }

  private void disconnect() {
    open = false;
    ServerConnection last = connection;
    if (last != null) {
      last.close();
      connection = null;
    }
  }

  @Override
  public void close() {
    closed = true;
    ServerConnection last = connection;
    if (last != null) {
      last.close(); // unblocks a read
    }
  }
}
