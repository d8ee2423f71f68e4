package io.latimer.pipelines.flink;

import io.latimer.schemas.Envelope;

/** What event time a record has. */
final class EventTime {
  private EventTime() {}

  /**
   * The sentence's own time, or the source's timestamp where the record could not be read.
   *
   * @return milliseconds since 1970-01-01T00:00:00Z
   */
  static long of(Envelope envelope) {
    return envelope.getSentence() != null
        ? envelope.getSentence().getEventTime().toEpochMilli()
        : envelope.getOrigin().getTimestamp().toEpochMilli();
  }
}
