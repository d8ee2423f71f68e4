package io.latimer.pipelines.feed;

import io.latimer.schemas.Header;
import io.latimer.schemas.Sentence;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/** Creates sentences from servers' data, with well-formed Unicode and valid language tags. */
final class FeedSentence {
  private static final Pattern TAG = Pattern.compile("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*");

  private FeedSentence() {}

  /**
   * Creates a sentence.
   *
   * @param language as the server gives it; dropped if it is not a BCP 47 tag
   * @param headers alternating names and values; empty values are left out
   */
  static Sentence of(
      String id, String feed, String language, String text, Instant time, String... headers) {
    List<Header> all = new ArrayList<>();
    for (int i = 0; i < headers.length; i += 2) {
      if (!headers[i + 1].isEmpty()) {
        byte[] value = wellFormed(headers[i + 1]).getBytes(StandardCharsets.UTF_8);
        all.add(new Header(headers[i], ByteBuffer.wrap(value)));
      }
    }
    return Sentence.newBuilder()
        .setId(wellFormed(id))
        .setFeed(wellFormed(feed))
        .setLanguage(TAG.matcher(language).matches() ? language : "")
        .setText(wellFormed(text))
        .setEventTime(time)
        .setHeaders(all)
        .build();
  }

  /** An id for a record without one, derived from its bytes. */
  static String idOf(byte[] bytes) {
    return HexFormat.of().formatHex(FeedPosition.sha256(bytes), 0, 16);
  }

  /** The text with U+FFFD for each unpaired surrogate, which JSON can contain. */
  static String wellFormed(String text) {
    StringBuilder fixed = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        fixed = fixed == null ? new StringBuilder(text) : fixed;
        fixed.setCharAt(i, '\ufffd');
      }
    }
    return fixed == null ? text : fixed.toString();
  }
}
