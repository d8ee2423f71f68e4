package io.latimer.schemas;

import java.time.Instant;
import java.util.List;

/** Sentences as plain UTF-8 text, one per record. */
public final class PlainText {
  private PlainText() {}

  /**
   * Makes a sentence from a record's bytes. One trailing line end ({@code \n} or {@code \r\n}) is
   * not part of the text; everything else is kept.
   *
   * @param bytes the text in UTF-8; may be empty
   * @param id the sentence's id
   * @param feed the feed it belongs to; may be empty
   * @param language BCP 47 tag, or empty
   * @param eventTime when it was said
   * @param headers the record's headers
   * @throws RecordFormatException if the bytes are not well-formed UTF-8
   */
  public static Sentence sentence(
      byte[] bytes,
      String id,
      String feed,
      String language,
      Instant eventTime,
      List<Header> headers)
      throws RecordFormatException {
    int length = bytes.length;
    if (length > 0 && bytes[length - 1] == '\n') {
      length--;
      if (length > 0 && bytes[length - 1] == '\r') {
        length--;
      }
    }
    return Sentence.newBuilder()
        .setId(id)
        .setFeed(feed)
        .setLanguage(language)
        .setText(Utf8Text.decode(bytes, 0, length))
        .setEventTime(eventTime)
        .setHeaders(headers)
        .build();
  }
}
