package io.latimer.pipelines.source;

/** What becomes of Kafka records without a value, which delete their key in compacted topics. */
public enum Tombstones {
  /** A dead letter, as any other record that has no text. */
  DEAD_LETTER,
  /** Nothing. */
  DROP,
  /** A record with the same key and no value in the topics of the sinks. */
  FORWARD
}
