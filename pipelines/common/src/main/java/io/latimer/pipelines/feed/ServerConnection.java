package io.latimer.pipelines.feed;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;

/** One connection of a {@link ServerFeed}. */
interface ServerConnection extends Closeable {
  /**
   * Connects.
   *
   * @return false if the server will never have more
   * @throws FeedException if the server refuses permanently
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

  /** Closes the connection and unblocks a thread that waits for it. */
  @Override
  void close();
}
