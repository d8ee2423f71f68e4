package io.latimer.pipelines.feed;

import io.latimer.pipelines.config.ConfigTypes;

/**
 * The lines of a local file that may grow.
 *
 * @param path an absolute path or a file URI
 * @param follow whether to wait for more lines at the end of the file
 */
public record LinesOrigin(String path, boolean follow) implements FeedOrigin {
  private static final long serialVersionUID = 1L;

  @Override
  public String kind() {
    return "lines";
  }

  @Override
  public String location() {
    return path;
  }

  @Override
  public boolean hasEnd() {
    return !follow;
  }

  @Override
  public Feed open(FeedPosition position, FeedContext context, Backoff backoff)
      throws FeedException {
    return new LinesFeed(this, ConfigTypes.localFile(path), position, context, backoff);
  }
}
