package io.latimer.pipelines.sink;

import io.latimer.pipelines.client.ClientProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Checks how long the transactions of Kafka sinks stay open. */
public final class Transactions {
  /** The producer's property for the time-out. */
  public static final String TIMEOUT_KEY = "transaction.timeout.ms";

  /**
   * The sinks' default time-out in milliseconds: a job that is down for longer loses what it had
   * not committed. Kafka's brokers allow no more by default.
   */
  public static final long DEFAULT_TIMEOUT = 900_000;

  private Transactions() {}

  /**
   * The time after which brokers abort a sink's transactions.
   *
   * @throws IllegalArgumentException if it is not a whole number, or refers to an environment
   *     variable that is not set
   */
  static Duration timeout(SinkConfig.Kafka sink) {
    String set = sink.properties().unresolved().get(TIMEOUT_KEY);
    if (set == null) {
      return Duration.ofMillis(DEFAULT_TIMEOUT);
    }
    try {
      // other properties may refer to secrets that are not set where a job file is only checked
      String value = ClientProperties.of(Map.of(TIMEOUT_KEY, set)).resolve().get(TIMEOUT_KEY);
      return Duration.ofMillis(Integer.parseInt(value.strip()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "sinks: "
              + TIMEOUT_KEY
              + " of sink "
              + sink.name()
              + " must be a whole number of milliseconds, found \""
              + set
              + "\"",
          e);
    }
  }

  /**
   * Refuses checkpoint settings that are too slow for a sink. A transaction is open from one
   * checkpoint to the completion of the next, which takes up to the interval plus the timeout.
   *
   * @param sinks of records, tables and dead letters
   * @param intervalKey the key that sets the interval; starts the message
   * @param interval effective time between checkpoints; zero for no checkpoints
   * @param timeoutKey the key that sets the checkpoints' timeout
   * @param timeout effective time after which a checkpoint is aborted
   * @throws IllegalArgumentException if a transaction may time out before it is committed
   */
  public static void check(
      List<SinkConfig> sinks,
      String intervalKey,
      Duration interval,
      String timeoutKey,
      Duration timeout) {
    if (interval.isZero()) {
      return;
    }
    for (SinkConfig sink : sinks) {
      if (sink instanceof SinkConfig.Kafka kafka && kafka.exactlyOnce()) {
        Duration open = interval.plus(timeout);
        Duration most = timeout(kafka);
        if (open.compareTo(most) > 0) {
          throw new IllegalArgumentException(
              String.format(
                  "%s: %d ms and %s (%d ms) together exceed %s of sink %s (%d ms), so that"
                      + " transactions may be aborted before they are committed, and their records"
                      + " lost; shorten one of the former, or raise %s and the brokers'"
                      + " transaction.max.timeout.ms",
                  intervalKey,
                  interval.toMillis(),
                  timeoutKey,
                  timeout.toMillis(),
                  TIMEOUT_KEY,
                  kafka.name(),
                  most.toMillis(),
                  TIMEOUT_KEY));
        }
      }
    }
  }
}
