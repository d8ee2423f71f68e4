package io.latimer.pipelines.feed;

import java.time.Instant;

/** Told by a feed's threads what they read, for metrics. */
public interface FeedMeter {
  /** Measures nothing. */
  FeedMeter NONE =
      new FeedMeter() {
        @Override
        public void item() {}

        @Override
        public void time(Instant time) {}

        @Override
        public void bytes(long count) {}

        @Override
        public void retry() {}
      };

  /** An item was read, even if it is skipped. */
  void item();

  /** The last item's time, as its source tells it. */
  void time(Instant time);

  /** Bytes were read, as they came. */
  void bytes(long count);

  /** There was an error, after which the feed is tried again. */
  void retry();
}
