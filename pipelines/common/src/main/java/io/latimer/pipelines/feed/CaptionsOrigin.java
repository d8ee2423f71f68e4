package io.latimer.pipelines.feed;

import io.latimer.pipelines.config.ConfigTypes;
import java.time.Duration;

/**
 * The captions of a local file, SubRip or WebVTT.
 *
 * @param path an absolute path or a file URI
 * @param follow whether to wait for more at the end of the file
 * @param start the instant of time 0 in ISO 8601; empty for the times of reading
 * @param maxGap a longer time without a caption ends a sentence
 * @param maxWait how long an incomplete sentence waits for the next cue
 */
public record CaptionsOrigin(
    String path, boolean follow, String start, Duration maxGap, Duration maxWait)
    implements FeedOrigin {
  private static final long serialVersionUID = 1L;

  @Override
  public String kind() {
    return "captions";
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
    return new CaptionsFeed(this, ConfigTypes.localFile(path), position, context, backoff);
  }
}
