package io.latimer.pipelines.feed;

import io.latimer.operators.util.FileErrors;
import io.latimer.schemas.Origin;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * The lines of a file. A line at the end of a file that is followed waits for its line end. A file
 * that was truncated or replaced is read from its beginning; its lines are numbered on, so that
 * their ids stay unique.
 */
final class LinesFeed implements Feed {
  private static final Duration POLL = Duration.ofMillis(200);

  private final LinesOrigin origin;
  private final Path path;
  private final FeedContext context;
  private final Backoff backoff;
  private FileCursor cursor;
  private volatile GrowingFile file;
  private ByteLines lines;
  private long from;
  private boolean last;
  private volatile boolean closed;

  LinesFeed(
      LinesOrigin origin,
      Path path,
      FeedPosition position,
      FeedContext context,
      Backoff backoff)
      throws FeedException {
    this.origin = origin;
    this.path = path;
    this.context = context;
    this.backoff = backoff;
    this.cursor = FileCursor.of(position);
  }

  @Override
  public FeedItem next() throws IOException, InterruptedException {
    while (!closed) {
      try {
        if (file == null) {
          open();
        }
        byte[] line = lines.read();
        backoff.succeeded();
        if (line != null && (lines.complete() || last)) {
          return item(line);
        }
        if (last && !origin.follow()) {
          return null;
        }
        atTheEnd();
      } catch (FeedException e) {
        throw e;
      } catch (IOException e) {
        disconnect();
        if (closed) {
          return null;
        }
        if (!origin.follow()) {
          throw new FeedException(path + " cannot be read: " + FileErrors.reason(e), e);
        }
        backoff.failed(e);
      }
    }
    return null;
  }

  private void open() throws IOException {
    file = new GrowingFile(path);
    if (!file.continues(cursor)) {
      context
          .warnings()
          .accept(path + " was truncated or replaced since it was read; it is read from its start");
      cursor = new FileCursor(0, cursor.number(), "", "");
    }
    last = !origin.follow();
    seek();
  }

  private void seek() {
    from = cursor.offset();
    lines = new ByteLines(file.from(from), context.maxRecordBytes() + 1);
  }

  private FeedItem item(byte[] line) throws IOException {
    long number = cursor.number();
    long offset = from + lines.consumed();
    cursor = new FileCursor(offset, number + 1, file.fingerprint(offset), "");
    return new FeedItem(
        new FeedItem.Line(line),
        new Origin(path.toString(), -1, number, Instant.now()),
        "",
        cursor.text());
  }

  /** Waits for more of a file, or goes on to the one that has replaced it. */
  private void atTheEnd() throws IOException, InterruptedException {
    if (last) {
      // a file that was replaced has been read to its end
      disconnect();
      cursor = new FileCursor(0, cursor.number(), "", "");
      return;
    }
    long seen = file.length();
    GrowingFile.Change change = file.change(cursor);
    while (change == GrowingFile.Change.NONE && file.length() == seen && !closed) {
      backoff.pause(POLL);
      change = file.change(cursor);
    }
    if (change == GrowingFile.Change.REWRITTEN) {
      context.warnings().accept(path + " was truncated; it is read from its start");
      disconnect();
      cursor = new FileCursor(0, cursor.number(), "", "");
      return;
    }
    last = change == GrowingFile.Change.REPLACED;
    seek();
  }

  private void disconnect() throws IOException {
    GrowingFile open = file;
    if (open != null) {
      open.close();
      file = null;
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    GrowingFile open = file;
    if (open != null) {
      open.close();
    }
  }
}
