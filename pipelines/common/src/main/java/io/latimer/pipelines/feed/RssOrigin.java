package io.latimer.pipelines.feed;

import java.net.URI;
import java.time.Duration;

/**
 * An RSS or Atom feed, which is polled.
 *
 * @param url of the document
 * @param poll time between two requests; zero to read it once
 * @param text which part of an entry is its text
 * @param userAgent how the reader identifies itself to the server
 */
public record RssOrigin(String url, Duration poll, Text text, String userAgent)
    implements FeedOrigin {
  private static final long serialVersionUID = 1L;

  /** Parts of an entry. */
  public enum Text {
    /** The title. */
    TITLE,
    /** The summary, or the content if there is none. */
    SUMMARY,
    /** The title and, on the next line, the summary. */
    BOTH
  }

  @Override
  public String kind() {
    return "rss";
  }

  @Override
  public String location() {
    return url;
  }

  @Override
  public boolean hasEnd() {
    return poll.isZero();
  }

  @Override
  public Feed open(FeedPosition position, FeedContext context, Backoff backoff) {
    return new RssFeed(URI.create(url), this, position, context, backoff);
  }
}
