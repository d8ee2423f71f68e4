package io.latimer.operators.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the device time of the work that a thread queues on GPU streams: transfers between host
 * and device, and everything else as kernels. Each piece of work lies between two events, which
 * costs some microseconds, so callers measure a few batches only.
 *
 * <p>It never fails: if events cannot be made, it reports no times. Work in a {@link Graph} is
 * measured when it is launched. It does not measure work that other threads queue meanwhile, nor
 * work that is unfinished at the end, which may have been queued for other threads.
 */
public final class DeviceClock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceClock.class);

  private static final ThreadLocal<DeviceClock> CURRENT = new ThreadLocal<>();

  /** More pieces of work than this are too many to measure. */
  static final int MAX_PIECES = 4096;

  private static final double NANOS_PER_MILLISECOND = 1e6;

  private final List<Piece> pieces = new ArrayList<>();
  private boolean failed;

  /** The kinds of work. */
  enum Kind {
    TRANSFER,
    KERNEL
  }

  /** A piece of work; it has no end where the measurement failed. */
  private record Piece(Kind kind, Event start, Event end) {}

  /**
   * Time on devices, in nanoseconds, 0 or more each. Work on several streams counts twice while it
   * overlaps.
   *
   * @param transfer of copies from and to the host
   * @param kernel of the rest
   */
  public record Times(long transfer, long kernel) {}

  /**
   * What was done, and how long it kept devices busy.
   *
   * @param queued whether work was queued
   * @param times empty if no work was queued, or it could not be measured
   */
  public record Measured<T>(T value, boolean queued, Optional<Times> times) {}

  private DeviceClock() {}

  /**
   * Runs and measures work that waits for what it queues on devices, except for what it queues for
   * others. Calls must not be nested.
   *
   * @param work done in the calling thread
   */
  public static <T> Measured<T> measure(Supplier<T> work) {
    try (DeviceClock clock = new DeviceClock()) {
      CURRENT.set(clock);
      T value;
      try {
        value = work.get();
      } finally {
        CURRENT.remove();
      }
      return new Measured<>(value, clock.failed || !clock.pieces.isEmpty(), clock.times());
    }
  }

  /** Queues a piece of work, and measures it if the thread measures. */
  static void queue(Stream stream, Kind kind, Runnable work) {
    DeviceClock clock = CURRENT.get();
    if (clock == null || stream.gpu().isCapturing()) {
      work.run();
      return;
    }
    Event start = clock.mark(stream);
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      clock.failed = true;
      close(start);
      throw e;
    }
    if (start != null) {
      clock.pieces.add(new Piece(kind, start, clock.mark(stream)));
    }
  }

  private Event mark(Stream stream) {
    if (failed || pieces.size() >= MAX_PIECES) {
      failed = true;
      return null;
    }
    Event event = null;
    try {
      event = Event.timed(stream.gpu(), "clock");
      stream.record(event);
      return event;
    } catch (RuntimeException e) {
      failed = true; // if the device is lost, the work itself says so
      close(event);
      return null;
    }
  }

  private Optional<Times> times() {
    if (failed) {
      return Optional.empty();
    }
    boolean any = false;
    double transfer = 0;
    double kernel = 0;
    try {
      for (Piece piece : pieces) {
        if (!piece.end().isReached()) {
          continue;
        }
        any = true;
        double milliseconds = piece.end().millisecondsSince(piece.start());
        if (piece.kind() == Kind.TRANSFER) {
          transfer += milliseconds;
        } else {
          kernel += milliseconds;
        }
      }
    } catch (RuntimeException e) {
      return Optional.empty();
    }
    return any ? Optional.of(new Times(nanos(transfer), nanos(kernel))) : Optional.empty();
  }

  private static long nanos(double milliseconds) {
    return Math.round(milliseconds * NANOS_PER_MILLISECOND);
  }

  private static void close(Event event) {
    if (event == null) {
      return;
    }
    try {
      event.close();
    } catch (RuntimeException e) {
      LOG.warn("an event that measured work could not be released", e);
    }
  }

  /** Releases the events. */
  @Override
  public void close() {
    for (Piece piece : pieces) {
      close(piece.start());
      close(piece.end());
    }
    pieces.clear();
  }
}
