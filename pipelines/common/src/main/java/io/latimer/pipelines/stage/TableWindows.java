package io.latimer.pipelines.stage;

import io.latimer.operators.OperatorException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * Event-time windows: tumbling if the slide equals the size, else sliding. They start at multiples
 * of the slide since 1970-01-01T00:00:00Z and consist of whole panes. All times are in
 * milliseconds.
 *
 * @param size length of a window, 1 or more
 * @param slide time between the starts of windows, 1 to {@code size}
 * @param lateness how long after its end a window accepts late records, 0 or more
 * @param running whether there are running tables, too
 * @param expiry how long after a group's last window closed its running totals are kept; {@link
 *     #NEVER} for no limit
 */
public record TableWindows(long size, long slide, long lateness, boolean running, long expiry)
    implements Serializable {
  /** For totals that do not expire. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Maximum panes per window: each pane is merged once for each of its windows. */
  static final int MAX_PANES = 10_000;

  /**
   * Maximum event time before or after 1970, about 285,000 years; times beyond it have no windows.
   */
  public static final long MAX_TIME = 1L << 53;

  /** Windows with totals that do not expire. */
  public TableWindows(long size, long slide, long lateness, boolean running) {
    this(size, slide, lateness, running, NEVER);
  }

  /**
   * Checks the windows.
   *
   * @throws OperatorException if they are inconsistent
   */
  public TableWindows {
    if (size < 1 || slide < 1 || lateness < 0 || expiry < 0) {
      throw new OperatorException(
          "window and slide must be at least 1 ms, and lateness and expiry not negative; found "
              + size
              + ", "
              + slide
              + ", "
              + lateness
              + " and "
              + expiry
              + " ms");
    }
    if (size > MAX_TIME || lateness > MAX_TIME) {
      throw new OperatorException(
          "a window of " + size + " ms or a lateness of " + lateness + " ms is too long");
    }
    if (slide > size) {
      throw new OperatorException(
          "windows of "
              + size
              + " ms that slide by "
              + slide
              + " ms would leave gaps; set a slide of at most the window's size");
    }
    if (size / gcd(size, slide) > MAX_PANES) {
      throw new OperatorException(
          "windows of "
              + size
              + " ms that slide by "
              + slide
              + " ms have "
              + size / gcd(size, slide)
              + " panes, but the maximum is "
              + MAX_PANES
              + "; use a slide that divides the window's size, such as a tenth of it");
    }
  }

  /** Length of a pane. */
  public long pane() {
    return gcd(size, slide);
  }

  /** Start of the pane of an event time. */
  public long paneOf(long time) {
    return Math.floorDiv(time, pane()) * pane();
  }

  /** Whether an event time is in range. */
  public boolean has(long time) {
    return Math.abs(time) <= MAX_TIME && time != Long.MIN_VALUE;
  }

  /** Ends of a pane's windows, ascending. */
  public List<Long> ends(long pane) {
    List<Long> ends = new ArrayList<>();
    for (long end = lastEnd(pane); end > pane; end -= slide) {
      ends.add(0, end);
    }
    return ends;
  }

  /** End of a pane's last window. */
  public long lastEnd(long pane) {
    return Math.floorDiv(pane, slide) * slide + size;
  }

  /** The watermark from which on a window accepts no records. */
  public long closing(long end) {
    return end - 1 + lateness;
  }

  /**
   * The watermark from which on the totals of a group are dropped.
   *
   * @param end of its last window
   */
  public long expires(long end) {
    return expiry > MAX_TIME ? NEVER : closing(end) + expiry;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
