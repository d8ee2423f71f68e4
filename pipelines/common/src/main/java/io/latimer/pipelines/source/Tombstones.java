package io.latimer.pipelines.source;

/** How to handle Kafka records without a value, which delete their key in compacted topics. */
public enum Tombstones {
  /** They become dead letters, like any other record without a text. */
  DEAD_LETTER,
  /** They are dropped. */
  DROP,
  /** They are forwarded to the topics of the sinks, with the same key and no value. */
  FORWARD
}
