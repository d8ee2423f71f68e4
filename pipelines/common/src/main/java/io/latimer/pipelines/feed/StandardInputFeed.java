package io.latimer.pipelines.feed;

import io.latimer.operators.util.FileErrors;
import io.latimer.pipelines.feed.text.ByteLines;
import io.latimer.schemas.SourcePosition;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/**
 * The lines of standard input. Reads cannot be interrupted, so a single thread of the process reads
 * and passes each line to the feed that asks for it: a restarted job continues with the next line.
 * Lines passed on before a failure are lost with it.
 */
final class StandardInputFeed implements Feed {
  private static final long POLL_MILLIS = 100;

  /** A line, the end, or an error. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Read(byte[] line, Throwable error) {
    /** Whether nothing follows; after an error such as out of memory, more may follow. */
    boolean isLast() {
      return line == null && (error == null || error instanceof IOException);
    }
  }

  /** The reading thread of the process. */
  private static final class Pump {
    private final SynchronousQueue<Read> queue = new SynchronousQueue<>();
    private final InputStream in;

    Pump(InputStream in, int keptBytes) {
      this.in = in;
      Thread thread = new Thread(() -> pump(keptBytes), "feed standard input");
      thread.setDaemon(true);
      thread.start();
    }

    private void pump(int keptBytes) {
      ByteLines lines = new ByteLines(in, keptBytes);
      try {
        while (true) {
          Read read;
          try {
            read = new Read(lines.read(), null);
          } catch (Throwable e) { // also errors: otherwise the feed would wait forever
            read = new Read(null, e);
          }
          do {
            queue.put(read);
          } while (read.isLast()); // every later feed sees the end, too
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static Pump pump;

  private final InputStream in;
  private final int keptBytes;
  private final FeedMeter meter;
  private long number;
  private volatile boolean closed;

  StandardInputFeed(FeedPosition position, FeedContext context) {
    in = context.in();
    meter = context.meter();
    keptBytes = context.maxRecordBytes() + 1;
    number = position.cursor().matches("[0-9]{1,18}") ? Long.parseLong(position.cursor()) : 0;
  }

  private static synchronized Pump pump(InputStream in, int keptBytes) {
    if (pump == null || pump.in != in) {
      pump = new Pump(in, keptBytes);
    }
    return pump;
  }

  /** Does nothing: standard input always exists, or ends at once. */
  @Override
  public void probe() {}

  @Override
  public FeedItem next() throws IOException, InterruptedException {
    SynchronousQueue<Read> queue = pump(in, keptBytes).queue;
    Read read = null;
    while (read == null && !closed) {
      read = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
    }
    if (read == null || (read.line() == null && read.error() == null)) {
      return null;
    }
    if (read.error() != null) {
      throw failure(read.error());
    }
    meter.item();
    meter.bytes(read.line().length + 1L);
    SourcePosition origin = new SourcePosition("stdin", -1, number++, Instant.now());
    return new FeedItem(new FeedItem.Line(read.line()), origin, "", Long.toString(number));
  }

  /** Rethrows everything other than an {@link IOException} unchanged. */
  private static FeedException failure(Throwable error) {
    if (error instanceof IOException e) {
      return new FeedException("standard input cannot be read: " + FileErrors.reason(e), e);
    }
    if (error instanceof RuntimeException e) {
      throw e;
    }
    throw (Error) error; // reading cannot throw anything else
  }

  @Override
  public void close() {
    closed = true;
  }
}
