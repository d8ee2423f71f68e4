package io.latimer.pipelines.source;

import io.latimer.pipelines.config.Settings;
import java.io.Serializable;

/**
 * How the bytes of a source become sentences.
 *
 * @param encoding encoding of the bytes
 * @param feed feed of plain text; if empty, the name of its topic or file
 * @param language BCP 47 tag of plain text; may be empty
 * @param maxRecordBytes maximum size of a record; a longer one becomes a dead letter
 */
public record InputConfig(Encoding encoding, String feed, String language, int maxRecordBytes)
    implements Serializable {
  /** Detects the encoding, without feed and language; records of at most 1 MiB. */
  public static final InputConfig DEFAULTS = new InputConfig(Encoding.AUTO, "", "", 1 << 20);

  /** Reads the section {@code input}. */
  public static InputConfig of(Settings input) {
    return new InputConfig(
        input.get(SourceKeys.Input.ENCODING),
        input.get(SourceKeys.Input.FEED),
        input.get(SourceKeys.Input.LANGUAGE),
        input.get(SourceKeys.Input.MAX_RECORD_BYTES));
  }

  /** How a record's bytes are encoded. */
  public enum Encoding {
    /** Avro if the bytes start like such a record, text otherwise. */
    AUTO,
    /** {@code Sentence} or {@code Translation} in Avro's single-object encoding. */
    AVRO,
    /** UTF-8, one sentence per record. */
    TEXT
  }
}
