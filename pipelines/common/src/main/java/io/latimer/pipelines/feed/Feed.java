package io.latimer.pipelines.feed;

import java.io.Closeable;
import java.io.IOException;

/** An open feed. {@link #next} connects, and reconnects after errors. */
public interface Feed extends Closeable {
  /**
   * Waits for the next item.
   *
   * @return null at the end of the feed, and after {@link #close}
   * @throws FeedException if the feed cannot be read and retrying would not help, or has not helped
   *     for too long
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  FeedItem next() throws IOException, InterruptedException;

  /**
   * Checks whether the feed can be read, with one attempt and without reading items. Call it
   * instead of {@link #next}.
   *
   * @throws IOException if it cannot be read; the message says why. {@link
   *     java.nio.file.NoSuchFileException} for a file that does not exist
   */
  void probe() throws IOException, InterruptedException;

  /**
   * Ends the feed. May be called by another thread, which should also interrupt the reading one.
   */
  @Override
  void close() throws IOException;
}
