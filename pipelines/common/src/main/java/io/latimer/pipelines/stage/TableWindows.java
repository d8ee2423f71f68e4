package io.latimer.pipelines.stage;

import io.latimer.operators.OperatorException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * Windows of event time: tumbling ones where the slide equals the size, else sliding ones. They
 * begin at multiples of the slide since 1970-01-01T00:00:00Z and are put together of panes, each of
 * which belongs to a window whole or not at all. All times are in milliseconds.
 *
 * @param size how long a window is, 1 or more
 * @param slide after what time the next one begins, 1 to {@code size}
 * @param lateness how long after its end a window still takes late records in, 0 or more
 * @param running whether there are running tables too
 */
public record TableWindows(long size, long slide, long lateness, boolean running)
    implements Serializable {
  /** Most panes of a window: each is merged for each of its windows. */
  static final int MAX_PANES = 10_000;

  /** Event times beyond this have no windows: about 285,000 years before and after 1970. */
  public static final long MAX_TIME = 1L << 53;

  /**
   * Checks the windows.
   *
   * @throws OperatorException if they make no sense
   */
  public TableWindows {
    if (size < 1 || slide < 1 || lateness < 0) {
      throw new OperatorException(
          "a window and its slide must be 1 ms or more and the lateness not negative; found "
              + size
              + ", "
              + slide
              + " and "
              + lateness
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
              + " ms would leave out what is between them; slide by the window's size or less");
    }
    if (size / gcd(size, slide) > MAX_PANES) {
      throw new OperatorException(
          "windows of "
              + size
              + " ms that slide by "
              + slide
              + " ms have "
              + size / gcd(size, slide)
              + " panes, but may have "
              + MAX_PANES
              + "; let the slide be a part of the window's size, such as a tenth");
    }
  }

  /** How long a pane is. */
  public long pane() {
    return gcd(size, slide);
  }

  /** When the pane of an event time begins. */
  public long paneOf(long time) {
    return Math.floorDiv(time, pane()) * pane();
  }

  /** Whether an event time has windows. */
  public boolean has(long time) {
    return Math.abs(time) <= MAX_TIME && time != Long.MIN_VALUE;
  }

  /** When the windows end that a pane belongs to, in rising order. */
  public List<Long> ends(long pane) {
    List<Long> ends = new ArrayList<>();
    for (long end = lastEnd(pane); end > pane; end -= slide) {
      ends.add(0, end);
    }
    return ends;
  }

  /** When the last window ends that a pane belongs to. */
  public long lastEnd(long pane) {
    return Math.floorDiv(pane, slide) * slide + size;
  }

  /** From which watermark on a window takes nothing in any more. */
  public long closing(long end) {
    return end - 1 + lateness;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
