package io.latimer.pipelines.feed;

import io.latimer.pipelines.config.Settings;
import io.latimer.schemas.SourcePosition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * The lines of a file. Numbering continues after the file is truncated or replaced, so that ids
 * stay unique.
 */
final class LinesFeed implements Feed {
  private final Path path;
  private final FollowedLines lines;
  private final FeedMeter meter;
  private long number;

  LinesFeed(Settings settings, FeedPosition position, FeedContext context, Backoff backoff)
      throws FeedException {
    path = Path.of(settings.get(FeedKeys.Lines.PATH));
    meter = context.meter();
    FileCursor start = FileCursor.of(position);
    boolean follow = settings.get(FeedKeys.Lines.FOLLOW);
    lines = new FollowedLines(path, follow, false, start, context, backoff);
    number = start.number();
  }

  @Override
  public void probe() throws IOException {
    lines.probe();
  }

  @Override
  public FeedItem next() throws IOException, InterruptedException {
    FollowedLines.Line line = lines.next(Duration.ZERO);
    if (line == null) {
      return null;
    }
    meter.item();
    SourcePosition origin = new SourcePosition(path.toString(), -1, number++, Instant.now());
    FileCursor cursor = new FileCursor(line.to(), number, lines.fingerprint(line.to()), "");
    return new FeedItem(new FeedItem.Line(line.bytes()), origin, "", cursor.text());
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
