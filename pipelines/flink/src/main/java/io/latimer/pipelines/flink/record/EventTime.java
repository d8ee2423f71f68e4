package io.latimer.pipelines.flink.record;

import io.latimer.schemas.Envelope;

/** The event time of records. */
public final class EventTime {
  private EventTime() {}

  /**
   * Returns the sentence's own time, or the source's timestamp if the record could not be read.
   * Such a timestamp is unchecked, so watermarks ignore it.
   *
   * @return milliseconds since 1970-01-01T00:00:00Z
   */
  public static long of(Envelope envelope) {
    return envelope.getSentence() != null
        ? envelope.getSentence().getEventTime().toEpochMilli()
        : envelope.getOrigin().getTimestamp().toEpochMilli();
  }
}
