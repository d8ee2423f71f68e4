package io.latimer.pipelines.flink.source;

import io.latimer.pipelines.feed.Feed;
import io.latimer.pipelines.feed.FeedConfig;
import io.latimer.pipelines.feed.FeedException;
import io.latimer.pipelines.feed.FeedItem;
import io.latimer.pipelines.feed.FeedMeter;
import io.latimer.pipelines.feed.FeedPosition;
import io.latimer.pipelines.flink.task.UnrecoverableException;
import io.latimer.pipelines.source.SentenceReader;
import io.latimer.schemas.Envelope;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a feed in its own thread; see {@link FeedSource}. */
final class FeedReader implements SourceReader<Envelope, FeedSplit> {
  private static final Logger LOG = LoggerFactory.getLogger(FeedReader.class);

  private static final int CLOSE_MILLIS = 10_000;

  private final FeedConfig config;
  private final SentenceReader reader;
  private final FeedMeter meter;
  private final ReadAhead<FeedItem> ahead = new ReadAhead<>(item -> item.content().weight());

  /** The position after the last emitted record. */
  private FeedPosition position;

  private Feed feed;

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
    ahead.start("feed-source " + config.id(), feed::next);
  }

  @Override
  public InputStatus pollNext(ReaderOutput<Envelope> output) throws IOException {
    try {
      return ahead.poll(
          item -> {
            if (!(item.content() instanceof FeedItem.Nothing)) {
              output.collect(reader.read(item));
            }
            position.advance(item);
          });
    } catch (FeedException e) {
      throw unreadable(e);
    } catch (IOException e) {
      throw new IOException("the feed cannot be read: " + e.getMessage(), e);
    }
  }

  /** Unrecoverable, because the feed says that retrying does not help. */
  private static UnrecoverableException unreadable(FeedException e) {
    return new UnrecoverableException("source: " + e.getMessage(), e);
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return ahead.available();
  }

  @Override
  public List<FeedSplit> snapshotState(long checkpoint) {
    return position == null ? List.of() : List.of(new FeedSplit(position.toBytes()));
  }

  @Override
  public void notifyNoMoreSplits() {}

  @Override
  public void close() throws IOException {
    if (feed != null) {
      ahead.end();
      feed.close(); // unblocks a read
      try {
        ahead.join(CLOSE_MILLIS); // it may be stuck in a DNS lookup, which cannot be interrupted
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
