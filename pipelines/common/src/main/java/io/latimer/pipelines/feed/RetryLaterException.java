package io.latimer.pipelines.feed;

import java.io.IOException;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** Thrown if a server asks to retry later. */
final class RetryLaterException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Duration after;

  /**
   * Creates an exception.
   *
   * @param retryAfter the header Retry-After: seconds or a date (RFC 9110, 10.2.3); null or
   *     anything else asks for nothing
   */
  RetryLaterException(String message, String retryAfter, Instant now) {
    super(message);
    after = parse(retryAfter, now);
  }

  /**
   * Creates an exception from a response. A date is relative to the server's own clock, if the
   * response has it, because one of the clocks may be wrong.
   */
  static RetryLaterException of(String message, HttpHeaders answer) {
    Instant now = answer.firstValue("Date").map(RetryLaterException::date).orElse(null);
    return new RetryLaterException(
        message, answer.firstValue("Retry-After").orElse(null), now == null ? Instant.now() : now);
  }

  /** How long the server asks to wait; zero or more. */
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
    Instant date = date(text);
    return date == null || date.isBefore(now) ? Duration.ZERO : Duration.between(now, date);
  }

  /** Parses a date in RFC 9110's preferred format; null if it is invalid. */
  private static Instant date(String text) {
    try {
      return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    } catch (DateTimeException e) {
      return null;
    }
  }
}
