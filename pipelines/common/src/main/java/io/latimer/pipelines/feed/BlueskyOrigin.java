package io.latimer.pipelines.feed;

import java.net.URI;
import java.util.List;

/**
 * The posts of Bluesky, from a Jetstream server.
 *
 * @param url of the server's {@code subscribe}, with {@code ws} or {@code wss}
 * @param since where to start without a position, as an instant; empty for now
 * @param languages posts in one of these are read; empty for all
 * @param userAgent how the reader identifies itself to the server
 */
public record BlueskyOrigin(String url, String since, List<String> languages, String userAgent)
    implements FeedOrigin {
  private static final long serialVersionUID = 1L;

  public BlueskyOrigin {
    languages = List.copyOf(languages);
  }

  @Override
  public String kind() {
    return "bluesky";
  }

  @Override
  public String location() {
    return url;
  }

  @Override
  public boolean hasEnd() {
    return false;
  }

  @Override
  public Feed open(FeedPosition position, FeedContext context, Backoff backoff) {
    return new BlueskyFeed(URI.create(url), this, position, context, backoff);
  }
}
