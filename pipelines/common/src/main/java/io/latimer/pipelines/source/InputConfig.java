package io.latimer.pipelines.source;

import java.io.Serializable;

/**
 * How the bytes of a source become sentences.
 *
 * @param encoding what the bytes are
 * @param feed the feed of plain text; empty for the name of its topic or file
 * @param language BCP 47 tag of plain text; may be empty
 * @param maxRecordBytes a longer record is a dead letter
 */
public record InputConfig(Encoding encoding, String feed, String language, int maxRecordBytes)
    implements Serializable {
  /** Both encodings, feed and language unknown, records of at most 1 MiB. */
  public static final InputConfig DEFAULTS = new InputConfig(Encoding.AUTO, "", "", 1 << 20);

  /** How a record's bytes are encoded. */
  public enum Encoding {
    /** Avro where the bytes begin as such a record does, and text otherwise. */
    AUTO,
    /** {@code Sentence} or {@code Translation} in Avro's single-object encoding. */
    AVRO,
    /** UTF-8, one sentence a record. */
    TEXT
  }
}
