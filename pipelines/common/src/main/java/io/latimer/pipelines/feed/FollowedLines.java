package io.latimer.pipelines.feed;

import io.latimer.operators.util.FileErrors;
import io.latimer.pipelines.feed.text.ByteLines;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * The lines of a file and of the files that replace it. In a followed file, a line at the end waits
 * for its line end.
 */
final class FollowedLines implements Closeable {
  private static final Duration POLL = Duration.ofMillis(200);

  /** Number of further polls of a renamed file, because its writer may not have switched yet. */
  private static final int POLLS_AFTER_RENAMING = 25;

  private static final int MAX_SUCCESSORS = 64;

  private final Path path;
  private final boolean follow;
  private final boolean carriageReturns;
  private final FeedContext context;
  private final Backoff backoff;
  private FileCursor cursor;
  private volatile GrowingFile file;

  /** Files that have had the name since, oldest first; there may be several. */
  private final Deque<GrowingFile> successors = new ConcurrentLinkedDeque<>();

  private ByteLines lines;
  private long lookedAt;
  private long from;
  private boolean last;
  private boolean restarted;

  /** Whether an incomplete line waits for its rest. */
  private boolean partial;

  private volatile boolean closed;

  /**
   * A line, or the end of a wait.
   *
   * @param bytes without the line end; null if none came in time
   * @param to offset of its end in the file, including the line end
   * @param restarted whether it is the first line of another file or of a truncated one
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Line(byte[] bytes, long to, boolean restarted) {
    private static final Line NONE = new Line(null, 0, false);
  }

  /**
   * Creates a reader; the file is opened when it is first read.
   *
   * @param carriageReturns whether a carriage return alone also ends a line
   * @param start where to start if the file is still the same
   */
  FollowedLines(
      Path path,
      boolean follow,
      boolean carriageReturns,
      FileCursor start,
      FeedContext context,
      Backoff backoff) {
    this.path = path;
    this.follow = follow;
    this.carriageReturns = carriageReturns;
    this.cursor = start;
    this.context = context;
    this.backoff = backoff;
  }

  /**
   * Waits for the next line.
   *
   * @param patience how long to wait; zero for no limit
   * @return null at the end of a file that is not followed, and after {@link #close}
   */
  Line next(Duration patience) throws IOException, InterruptedException {
    long end = context.clock().nanos().getAsLong() + patience.toNanos();
    while (!closed) {
      try {
        if (file == null) {
          open();
        }
        long now = context.clock().nanos().getAsLong();
        if (follow && now - lookedAt >= POLL.toNanos()) {
          lookedAt = now;
          keepSuccessor(); // a reader that lags must not miss a file
        }
        byte[] line = partial ? lines.goOn() : lines.read();
        backoff.succeeded();
        partial = line != null && !lines.complete() && !last;
        if (line != null && !partial) {
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
      throw new FeedException(
          path + " cannot be read: " + FileErrors.reason(e) + "; check the path", e);
    }
    backoff.failed(e);
  }

  private void open() throws IOException {
    GrowingFile successor = successors.poll();
    file = successor == null ? new GrowingFile(path) : successor;
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
    partial = false;
    lines = new ByteLines(file.from(from), context.maxRecordBytes() + 1, carriageReturns);
  }

  /** Tries to open the file. */
  void probe() throws IOException {
    new GrowingFile(path).close();
  }

  private Line line(byte[] bytes) throws IOException {
    long to = from + lines.consumed();
    context.meter().bytes(to - cursor.offset());
    cursor = new FileCursor(to, 0, file.fingerprint(to), "");
    Line line = new Line(bytes, to, restarted);
    restarted = false;
    return line;
  }

  /**
   * Waits for more of a file, or moves on to the one that has replaced it.
   *
   * @param end when to stop waiting, in nanoseconds
   * @return false if there was nothing until then
   */
  private boolean atTheEnd(long end) throws IOException, InterruptedException {
    if (last) {
      // the replaced file has been read to its end
      disconnect();
      cursor = FileCursor.START;
      restarted = true;
      return true;
    }
    long seen = from + lines.consumed();
    GrowingFile.Change change = file.change(cursor);
    int renamed = 0;
    while (change != GrowingFile.Change.REWRITTEN
        && renamed < POLLS_AFTER_RENAMING
        && file.length() == seen
        && !closed) {
      if (end != Long.MAX_VALUE && context.clock().nanos().getAsLong() - end >= 0) {
        return false;
      }
      backoff.pause(POLL);
      change = file.change(cursor);
      renamed = change == GrowingFile.Change.REPLACED ? renamed + 1 : 0;
      if (renamed > 0) {
        keepSuccessor();
      }
    }
    if (change == GrowingFile.Change.REWRITTEN) {
      disconnect();
      restart(" was truncated; it is read from its start");
      return true;
    }
    last = change == GrowingFile.Change.REPLACED && file.length() <= seen;
    if (file.length() < seen) {
      seek(); // the incomplete line was removed again
    }
    return true;
  }

  /**
   * Opens the file that has the name now, because it may be renamed, too, before its predecessor is
   * read.
   */
  private void keepSuccessor() {
    GrowingFile latest = successors.isEmpty() ? file : successors.peekLast();
    try {
      if (successors.size() < MAX_SUCCESSORS && latest.isReplaced()) {
        successors.add(new GrowingFile(path));
      }
    } catch (IOException e) {
      // it is being renamed or cannot be read now; there will be another attempt
      return;
    }
    if (closed) {
      closeSuccessors();
    }
  }

  private void closeSuccessors() {
    for (GrowingFile each = successors.poll(); each != null; each = successors.poll()) {
      try {
        each.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Counts the lines before an offset of the file that is being read. */
  long linesBefore(long offset) throws IOException {
    ByteLines before = new ByteLines(file.from(0), 0, carriageReturns);
    long count = 0;
    while (before.consumed() < offset && before.read() != null) {
      count++;
    }
    return count;
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
    closeSuccessors();
    GrowingFile open = file;
    if (open != null) {
      open.close();
    }
  }
}
