package io.latimer.pipelines.feed;

import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A feed and how to read it.
 *
 * @param from the feed
 * @param giveUp how long errors may persist before the feed fails; zero for no limit
 */
public record FeedConfig(FeedOrigin from, Duration giveUp) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Identifies the feed in its positions. */
  public String id() {
    return from.kind() + " " + from.location();
  }

  /** The start of the feed. */
  public FeedPosition start() {
    return new FeedPosition(id());
  }

  /**
   * Opens the feed; it connects when it is first read.
   *
   * @throws FeedException if the position belongs to another feed, or the feed cannot be opened
   */
  public Feed open(FeedPosition position, FeedContext context) throws FeedException {
    if (!position.feed().equals(id())) {
      throw new FeedException(
          "the position belongs to the feed "
              + position.feed()
              + ", but the feed is "
              + id()
              + "; restore the old address, or start without the position");
    }
    return from.open(position.copy(), context, new Backoff(from.location(), giveUp, context));
  }

  /**
   * Checks whether the feed can be read, with one attempt and without reading items.
   *
   * @param patience maximum time for the check
   * @throws IOException if it cannot be read; the message says why. {@link
   *     java.nio.file.NoSuchFileException} for a file that does not exist
   */
  public void probe(FeedContext context, Duration patience)
      throws IOException, InterruptedException {
    AtomicBoolean late = new AtomicBoolean();
    CountDownLatch done = new CountDownLatch(1);
    try (Feed feed = open(start(), context)) {
      Thread timer = new Thread(() -> endLate(feed, patience, done, late), "feed-probe");
      timer.setDaemon(true);
      timer.start();
      feed.probe();
    } catch (IOException e) {
      throw late.get() ? new FeedException(tooLate(patience), e) : e;
    } finally {
      done.countDown();
    }
    if (late.get()) {
      throw new FeedException(tooLate(patience));
    }
  }

  private static void endLate(
      Feed feed, Duration patience, CountDownLatch done, AtomicBoolean late) {
    try {
      if (!done.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        late.set(true);
        feed.close();
      }
    } catch (InterruptedException | IOException e) {
      throw new IllegalStateException("the probe of " + feed + " cannot be ended", e);
    }
  }

  private String tooLate(Duration patience) {
    return from.location()
        + " did not answer within "
        + patience.toSeconds()
        + " s; check the address";
  }
}
