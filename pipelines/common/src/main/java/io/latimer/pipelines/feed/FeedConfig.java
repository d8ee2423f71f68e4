package io.latimer.pipelines.feed;

import java.io.Serializable;
import java.time.Duration;

/**
 * A feed, and how it is read.
 *
 * @param from the feed
 * @param giveUp how long errors may go on before the feed fails; zero for ever
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
}
