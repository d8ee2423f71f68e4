package io.latimer.cli.feed;

import io.latimer.cli.terminal.StopSignal;
import io.latimer.cli.terminal.Terminal;
import io.latimer.pipelines.feed.Feed;
import io.latimer.pipelines.feed.FeedItem;
import io.latimer.pipelines.feed.FeedPosition;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reads a feed to its end, up to a number of records, or until the command is stopped. A position
 * is stored only once everything before it is written, so after a crash, later items are read
 * again.
 */
final class FeedRun {
  private static final long STORE_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int POLL_MILLIS = 50;

  private final Feed feed;
  private final FeedPosition position;
  private final SentenceReader reader;
  private final FeedSink sink;
  private final Optional<PositionFile> file;
  private final Terminal terminal;
  private final LongSupplier nanos;
  private final SynchronousQueue<Read> queue = new SynchronousQueue<>();
  private long written;
  private long refused;
  private boolean changed;

  /** An item, the error that ended the feed, or neither at its end. */
  private record Read(FeedItem item, Throwable error) {}

  FeedRun(
      Feed feed,
      FeedPosition position,
      SentenceReader reader,
      FeedSink sink,
      Optional<PositionFile> file,
      Terminal terminal,
      LongSupplier nanos) {
    this.feed = feed;
    this.position = position;
    this.reader = reader;
    this.sink = sink;
    this.file = file;
    this.terminal = terminal;
    this.nanos = nanos;
  }

  /**
   * Runs to the end.
   *
   * @param limit number of records after which it ends
   * @return the number of refused records
   */
  long run(long limit, StopSignal stop) throws IOException, InterruptedException {
    Thread thread = new Thread(this::readItems, "feed-reader");
    thread.setDaemon(true);
    thread.start();
    try {
      copy(limit, stop);
    } finally {
      thread.interrupt();
      feed.close();
    }
    return refused;
  }

  /**
   * Reads items, in a separate thread, because writing must neither wait for the feed nor be
   * interrupted.
   */
  private void readItems() {
    try {
      Read read;
      do {
        read = read();
        queue.put(read);
      } while (read.item() != null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Read read() throws InterruptedException {
    try {
      return new Read(feed.next(), null);
    } catch (IOException | RuntimeException | Error e) { // or copy() would wait forever
      return new Read(null, e);
    }
  }

  private void copy(long limit, StopSignal stop) throws IOException, InterruptedException {
    long stored = nanos.getAsLong();
    Throwable error = null;
    while (written + refused < limit && !stop.isRaised()) {
      Read read = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
      if (read != null && read.item() == null) {
        error = read.error();
        break;
      }
      if (read != null) {
        take(read.item());
      }
      if (changed && nanos.getAsLong() - stored >= STORE_NANOS) {
        store();
        stored = nanos.getAsLong();
      }
    }
    store();
    if (error instanceof IOException e) {
      throw e;
    }
    if (error instanceof RuntimeException e) {
      throw e;
    }
    if (error instanceof Error e) {
      throw e;
    }
  }

  private void take(FeedItem item) {
    if (!(item.content() instanceof FeedItem.Nothing)) {
      write(reader.read(item));
    }
    position.advance(item);
    changed = true;
  }

  private void write(Envelope envelope) {
    if (envelope.getFailure() == null) {
      sink.write(envelope.getSentence());
      written++;
      return;
    }
    refused++;
    long line = envelope.getOrigin().getOffset() + 1;
    terminal.message(
        "latimer: "
            + envelope.getOrigin().getSource()
            + (line < 1 ? "" : ", line " + line)
            + ": "
            + envelope.getFailure().getErrorMessage());
  }

  private void store() throws IOException {
    sink.flush();
    if (file.isPresent() && changed) {
      file.get().write(position);
    }
    changed = false;
  }
}
