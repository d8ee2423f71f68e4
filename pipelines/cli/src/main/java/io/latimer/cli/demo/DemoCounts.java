package io.latimer.cli.demo;

import io.latimer.cli.web.LatencyHistogram;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** The demo's counters, updated by its feeder and its reader and shown in its status line. */
final class DemoCounts {
  final AtomicLong in = new AtomicLong();
  final AtomicLong translated = new AtomicLong();
  final AtomicLong refused = new AtomicLong();
  final AtomicLong sourceTokens = new AtomicLong();
  final AtomicLong targetTokens = new AtomicLong();

  /** From a sentence's creation to its translation's arrival. */
  final LatencyHistogram latency = new LatencyHistogram();

  private long batched;

  /** Each record counts as its share of a batch, so that the records of a batch add up to one. */
  private double batches;

  /** Records the size of a record's batch; 0 if unknown. */
  synchronized void batchOf(int records) {
    if (records > 0) {
      batched++;
      batches += 1.0 / records;
    }
  }

  /** Number of records that came out, translated or refused. */
  long out() {
    return translated.get() + refused.get();
  }

  /** Number of records that went in but did not come out yet. */
  long lag() {
    return in.get() - out();
  }

  /** The status line: counts, lag, batch fill and latency. */
  String status(int maxBatch) {
    return String.format(
        Locale.ROOT,
        "in %,d  out %,d  lag %,d  batch %.1f of %d  latency p50 %s p99 %s",
        in.get(),
        out(),
        lag(),
        batch(),
        maxBatch,
        millis(latency.quantile(0.5)),
        millis(latency.quantile(0.99)));
  }

  /** The summary: totals, speed and latency. */
  String summary(Duration time) {
    double seconds = Math.max(1e-3, time.toNanos() / 1e9);
    return String.format(
        Locale.ROOT,
        "%,d sentences in, %,d translated, %,d refused in %.1f s: %.1f sentences/s.%n%,d source"
            + " and %,d target tokens; batches of %.1f on average; latency p50 %s, p99 %s.",
        in.get(),
        translated.get(),
        refused.get(),
        seconds,
        out() / seconds,
        sourceTokens.get(),
        targetTokens.get(),
        batch(),
        millis(latency.quantile(0.5)),
        millis(latency.quantile(0.99)));
  }

  /** The mean size of the batches. */
  private synchronized double batch() {
    return batched == 0 ? 0 : batched / batches;
  }

  private static String millis(long millis) {
    return millis < 10_000 ? millis + " ms" : millis / 1000 + " s";
  }
}
