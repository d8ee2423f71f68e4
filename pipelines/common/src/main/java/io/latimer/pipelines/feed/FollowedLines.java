package io.latimer.pipelines.feed;

import io.latimer.operators.util.FileErrors;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The lines of a file, and of those that replace it. A line at the end of a file that is followed
 * waits for its line end.
 */
final class FollowedLines implements Closeable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final Path path;
  private final boolean follow;
  private final FeedContext context;
  private final Backoff backoff;
  private FileCursor cursor;
  private volatile GrowingFile file;
  private ByteLines lines;
  private long from;
  private boolean last;
  private boolean restarted;
  private volatile boolean closed;

  /**
   * A line, or what is in its place.
   *
   * @param bytes without the line end; null if there was none for long enough
   * @param to number of bytes of the file to its end, the line end included
   * @param restarted whether it is the first one of another file, or of one that was truncated
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Line(byte[] bytes, long to, boolean restarted) {
    private static final Line NONE = new Line(null, 0, false);
  }

  /**
   * Makes one; the file is opened when it is first read.
   *
   * @param start where to begin, if the file is still the same
   */
  FollowedLines(Path path, boolean follow, FileCursor start, FeedContext context, Backoff backoff) {
    this.path = path;
    this.follow = follow;
    this.cursor = start;
    this.context = context;
    this.backoff = backoff;
  }

  /**
   * Waits for the next line.
   *
   * @param patience how long to wait; zero for ever
   * @return null at the end of a file that is not followed, and after {@link #close}
   */
  Line next(Duration patience) throws IOException, InterruptedException {
    long end = context.clock().nanos().getAsLong() + patience.toNanos();
    while (!closed) {
      try {
        if (file == null) {
          open();
        }
        byte[] line = lines.read();
        backoff.succeeded();
        if (line != null && (lines.complete() || last)) {
          return line(line);
        }
        if (last && !follow) {
          return null;
        }
        if (!atTheEnd(patience.isZero() ? Long.MAX_VALUE : end)) {
          return Line.NONE;
        }
      } catch (FeedException e) {
        throw e;
      } catch (IOException e) {
        failed(e);
      }
    }
    return null;
  }

  private void failed(IOException e) throws IOException, InterruptedException {
    disconnect();
    if (closed) {
      return;
    }
    if (!follow) {
      throw new FeedException(path + " cannot be read: " + FileErrors.reason(e), e);
    }
    backoff.failed(e);
  }

  private void open() throws IOException {
    file = new GrowingFile(path);
    if (!file.continues(cursor)) {
      restart(" was truncated or replaced since it was read; it is read from its start");
    }
    last = !follow;
    seek();
  }

  private void restart(String warning) {
    context.warnings().accept(path + warning);
    cursor = FileCursor.START;
    restarted = true;
  }

  private void seek() {
    from = cursor.offset();
    lines = new ByteLines(file.from(from), context.maxRecordBytes() + 1);
  }

  private Line line(byte[] bytes) throws IOException {
    long to = from + lines.consumed();
    cursor = new FileCursor(to, 0, file.fingerprint(to), "");
    Line line = new Line(bytes, to, restarted);
    restarted = false;
    return line;
  }

  /**
   * Waits for more of a file, or goes on to the one that has replaced it.
   *
   * @param end when to stop waiting, in nanoseconds
   * @return false if there was nothing until then
   */
  private boolean atTheEnd(long end) throws IOException, InterruptedException {
    if (last) {
      // a file that was replaced has been read to its end
      disconnect();
      cursor = FileCursor.START;
      restarted = true;
      return true;
    }
    long seen = from + lines.consumed();
    GrowingFile.Change change = file.change(cursor);
    while (change == GrowingFile.Change.NONE && file.length() == seen && !closed) {
      if (end != Long.MAX_VALUE && context.clock().nanos().getAsLong() - end >= 0) {
        seek();
        return false;
      }
      backoff.pause(POLL);
      change = file.change(cursor);
    }
    if (change == GrowingFile.Change.REWRITTEN) {
      disconnect();
      restart(" was truncated; it is read from its start");
      return true;
    }
    last = change == GrowingFile.Change.REPLACED;
    seek();
    return true;
  }

  /** Identifies the file by what precedes an offset; see {@link GrowingFile#fingerprint}. */
  String fingerprint(long offset) throws IOException {
    GrowingFile open = file;
    return open == null ? "" : open.fingerprint(offset);
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
