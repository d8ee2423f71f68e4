package io.latimer.pipelines.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private final IOException error = new IOException("the server answered HTTP 500");

  private final Feeds feeds = new Feeds();

  @Test
  void waitsGrowToAMinuteAndBeginAnewAfterASuccess() throws Exception {
    Backoff backoff = new Backoff("feed", Duration.ZERO, feeds.context());
    for (int i = 0; i < 9; i++) {
      backoff.failed(error);
    }
    backoff.succeeded();
    backoff.failed(error);
    assertThat(feeds.waits.stream().map(Duration::toSeconds))
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L, 1L);
    assertThat(feeds.warnings.get(1))
        .isEqualTo("feed: the server answered HTTP 500; trying again in 2 s");
  }

  @Test
  void waitsAreShortenedAtRandomByUpToAHalf() throws Exception {
    List<Duration> waits = feeds.waits;
    FeedContext context =
        new FeedContext(
            "",
            "",
            1,
            InputStream.nullInputStream(),
            text -> {},
            FeedMeter.NONE,
            new FeedContext.Clock(() -> 0, () -> 0.999, waits::add));
    new Backoff("feed", Duration.ZERO, context).failed(error);
    assertThat(waits.get(0)).isBetween(Duration.ofMillis(500), Duration.ofMillis(501));
  }

  @Test
  void aServerMayAskForUpToAnHour() throws Exception {
    Backoff backoff = new Backoff("feed", Duration.ZERO, feeds.context());
    Instant now = Instant.parse("2026-11-23T12:00:00Z");
    backoff.failed(new RetryLaterException("busy", "120", now));
    backoff.failed(new RetryLaterException("busy", "Mon, 23 Nov 2026 12:05:00 GMT", now));
    backoff.failed(new RetryLaterException("busy", "86400", now));
    backoff.failed(new RetryLaterException("busy", "-1", now));
    backoff.failed(new RetryLaterException("busy", "Mon, 23 Nov 2020 12:05:00 GMT", now));
    assertThat(feeds.waits.stream().map(Duration::toSeconds))
        .containsExactly(120L, 300L, 3600L, 8L, 16L);
  }

  /** The clock of this machine is years ahead of 2020, and may be as wrong the other way. */
  @Test
  void aDateCountsFromTheServersClock() {
    HttpHeaders headers =
        HttpHeaders.of(
            Map.of(
                "Date", List.of("Mon, 23 Nov 2020 12:00:00 GMT"),
                "Retry-After", List.of("Mon, 23 Nov 2020 12:05:00 GMT")),
            (name, value) -> true);
    assertThat(RetryLaterException.of("busy", headers).after()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void itGivesUpAfterALongTimeOfErrorsOnly() throws Exception {
    Backoff backoff = new Backoff("feed", Duration.ofSeconds(10), feeds.context());
    for (int i = 0; i < 4; i++) {
      backoff.failed(error);
    }
    backoff.succeeded();
    for (int i = 0; i < 4; i++) {
      backoff.failed(error);
    }
    assertThatThrownBy(() -> backoff.failed(error))
        .isInstanceOf(FeedException.class)
        .hasMessageContaining("feed could not be read for 15 s: the server answered HTTP 500");
  }
}
