package io.latimer.pipelines.feed;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;

/** One connection of a {@link ServerFeed}. */
interface ServerConnection extends Closeable {
  /**
   * Connects.
   *
   * @return false if the server has no more for ever
   * @throws FeedException if the server refuses, in a way that will not change
   */
  boolean open() throws IOException, InterruptedException;

  /**
   * Waits for the next item, which may be {@link FeedItem.Nothing}.
   *
   * @throws java.net.SocketTimeoutException if the server has been silent for {@link
   *     ServerFeed#SILENCE}
   * @throws IOException when the connection has ended
   */
  FeedItem next() throws IOException, InterruptedException;

  /** How long to wait before the next connection if this one ended well; zero if unknown. */
  Duration retry();

  /** Ends the connection, and another thread's wait for it. */
  @Override
  void close();
}
