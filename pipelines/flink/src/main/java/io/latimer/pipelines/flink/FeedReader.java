package io.latimer.pipelines.flink;

import io.latimer.pipelines.feed.Feed;
import io.latimer.pipelines.feed.FeedConfig;
import io.latimer.pipelines.feed.FeedException;
import io.latimer.pipelines.feed.FeedItem;
import io.latimer.pipelines.feed.FeedMeter;
import io.latimer.pipelines.feed.FeedPosition;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.core.io.InputStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a feed in its own thread; see {@link FeedSource}. */
final class FeedReader implements SourceReader<Envelope, FeedSplit> {
  private static final Logger LOG = LoggerFactory.getLogger(FeedReader.class);

  /** Maximum items and bytes read ahead; beyond that, the feed waits. */
  private static final int READ_AHEAD = 1_000;

  private static final int READ_AHEAD_BYTES = 4 << 20;

  private static final int THREAD = 0;
  private static final int CLOSE_MILLIS = 10_000;

  /** The thread's output: an item, the error that ended it, or neither at the end. */
  private record Read(FeedItem item, Exception error) {
    /** An item that exceeds the limit waits alone. */
    int weight() {
      return item == null ? 0 : Math.min(READ_AHEAD_BYTES, item.content().weight());
    }
  }

  private final FeedConfig config;
  private final SentenceReader reader;
  private final FeedMeter meter;
  private final FutureCompletingBlockingQueue<Read> queue =
      new FutureCompletingBlockingQueue<>(READ_AHEAD);
  private final Semaphore bytes = new Semaphore(READ_AHEAD_BYTES);

  /** Behind the last record that was emitted. */
  private FeedPosition position;

  private Feed feed;
  private Thread thread;
  private volatile boolean closed;

  FeedReader(FeedConfig config, SentenceReader reader, FeedMeter meter) {
    this.config = config;
    this.reader = reader;
    this.meter = meter;
  }

  @Override
  public void start() {}

  @Override
  public void addSplits(List<FeedSplit> splits) {
    try {
      position = FeedPosition.of(splits.get(0).position());
      feed = config.open(position, reader.feedContext(System.in, LOG::warn, meter));
    } catch (FeedException e) {
      throw unreadable(e);
    }
    thread = new Thread(this::readItems, "feed-source " + config.id());
    thread.setDaemon(true);
    thread.start();
  }

  private void readItems() {
    try {
      try {
        for (FeedItem item = feed.next(); item != null; item = feed.next()) {
          Read read = new Read(item, null);
          bytes.acquire(read.weight());
          queue.put(THREAD, read);
        }
        if (!closed) {
          queue.put(THREAD, new Read(null, null));
        }
      } catch (IOException | RuntimeException e) {
        if (!closed) {
          queue.put(THREAD, new Read(null, e));
        }
      }
    } catch (InterruptedException e) {
      // the reader is being closed and needs no more items
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public InputStatus pollNext(ReaderOutput<Envelope> output) throws IOException {
    Read read = queue.poll();
    if (read == null) {
      return InputStatus.NOTHING_AVAILABLE;
    }
    if (read.error() != null) {
      throw failure(read.error());
    }
    if (read.item() == null) {
      return InputStatus.END_OF_INPUT;
    }
    bytes.release(read.weight());
    if (!(read.item().content() instanceof FeedItem.Nothing)) {
      output.collect(reader.read(read.item()));
    }
    position.advance(read.item());
    return InputStatus.MORE_AVAILABLE;
  }

  private static IOException failure(Exception error) {
    if (error instanceof FeedException e) {
      throw unreadable(e);
    }
    return new IOException("the feed cannot be read: " + error.getMessage(), error);
  }

  /** No restart helps where a feed says that trying again does not. */
  private static UnrecoverableException unreadable(FeedException e) {
    return new UnrecoverableException("source: " + e.getMessage(), e);
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return queue.getAvailabilityFuture();
  }

  @Override
  public List<FeedSplit> snapshotState(long checkpoint) {
    return position == null ? List.of() : List.of(new FeedSplit(position.toBytes()));
  }

  @Override
  public void notifyNoMoreSplits() {}

  @Override
  public void close() throws IOException {
    closed = true;
    if (feed != null) {
      thread.interrupt();
      feed.close(); // ends a blocked read
      try {
        thread.join(CLOSE_MILLIS); // it may be looking up a name, which nothing ends
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
