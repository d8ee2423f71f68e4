package io.latimer.pipelines.sink;

/** How a sink writes a record. */
public enum Format {
  /** Avro: single-object encoding in Kafka, object container files in folders. */
  AVRO,
  /** One object a line, as {@link io.latimer.schemas.RecordJson} writes it. */
  JSON,
  /** The text alone, on one line. */
  TEXT
}
