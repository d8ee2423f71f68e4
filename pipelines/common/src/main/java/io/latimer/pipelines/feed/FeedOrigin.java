package io.latimer.pipelines.feed;

import java.io.Serializable;

/** A feed of some kind. */
public sealed interface FeedOrigin extends Serializable
    permits BlueskyOrigin,
        CaptionsOrigin,
        LinesOrigin,
        RssOrigin,
        StandardInputOrigin,
        WikimediaOrigin {
  /** The kind's name in job files and commands. */
  String kind();

  /** Its address or path, for messages and the origins of records. */
  String location();

  /** Whether it ends by itself. */
  boolean hasEnd();

  /**
   * Opens it.
   *
   * @param position the feed's own
   */
  Feed open(FeedPosition position, FeedContext context, Backoff backoff) throws FeedException;
}
