package io.latimer.pipelines.beam;

import io.latimer.schemas.Envelope;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.joda.time.Instant;

/** The event time of records. */
final class EventTimes {
  private EventTimes() {}

  /**
   * The sentence's own time, or the source's timestamp if the record could not be read; limited to
   * the range of Beam's timestamps.
   */
  static Instant of(Envelope record) {
    java.time.Instant time =
        record.getSentence() != null
            ? record.getSentence().getEventTime()
            : record.getOrigin().getTimestamp();
    long millis = time.toEpochMilli();
    return Instant.ofEpochMilli(
        Math.max(
            BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis(),
            Math.min(BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis() - 1, millis)));
  }
}
