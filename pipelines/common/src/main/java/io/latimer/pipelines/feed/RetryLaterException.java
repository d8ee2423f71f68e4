package io.latimer.pipelines.feed;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** A server asks to come back later. */
final class RetryLaterException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Duration after;

  /**
   * Makes one.
   *
   * @param retryAfter the header Retry-After: seconds or a date (RFC 9110, 10.2.3); null or
   *     anything else asks for nothing
   */
  RetryLaterException(String message, String retryAfter, Instant now) {
    super(message);
    after = parse(retryAfter, now);
  }

  /** How long the server wants to be left alone; zero or more. */
  Duration after() {
    return after;
  }

  private static Duration parse(String text, Instant now) {
    if (text == null) {
      return Duration.ZERO;
    }
    if (text.matches("[0-9]{1,9}")) {
      return Duration.ofSeconds(Long.parseLong(text));
    }
    try {
      Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return date.isAfter(now) ? Duration.between(now, date) : Duration.ZERO;
    } catch (DateTimeException e) {
      return Duration.ZERO;
    }
  }
}
