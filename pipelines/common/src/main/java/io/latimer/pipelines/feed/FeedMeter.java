package io.latimer.pipelines.feed;

import java.time.Instant;

/** Receives what a feed's threads read, for metrics. */
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

  /** Called for each item read, even if it is skipped. */
  void item();

  /** Called with the time of the last item, according to its source. */
  void time(Instant time);

  /** Called with the number of bytes read, as received. */
  void bytes(long count);

  /** Called for each error after which the feed is retried. */
  void retry();
}
