package io.latimer.pipelines.feed;

/** The lines of the process's standard input, which cannot be read again. */
public record StandardInputOrigin() implements FeedOrigin {
  private static final long serialVersionUID = 1L;

  @Override
  public String kind() {
    return "stdin";
  }

  @Override
  public String location() {
    return "standard input";
  }

  @Override
  public boolean hasEnd() {
    return true;
  }

  @Override
  public Feed open(FeedPosition position, FeedContext context, Backoff backoff) {
    return new StandardInputFeed(position, context);
  }
}
