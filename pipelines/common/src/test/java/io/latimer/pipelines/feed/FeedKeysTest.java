package io.latimer.pipelines.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.source.SourceConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FeedKeysTest {
  private static JobConfig job(String feed) {
    return JobConfigReader.read(
        "source: {feed: " + feed + "}\nstages: [identity]\n", "job.yaml", Path.of("/jobs"));
  }

  /** Read, and written and read again. */
  private static FeedConfig feed(String feed) {
    JobConfig job = job(feed);
    FeedConfig config = ((SourceConfig.Feed) job.source()).config();
    JobConfig again = JobConfigReader.read(job.toYaml(), "again", Path.of("/elsewhere"));
    assertThat(again.source()).isEqualTo(job.source());
    return config;
  }

  @Test
  void everyKindOfFeedIsRead() {
    assertThat(feed("{from: wikimedia}"))
        .isEqualTo(
            new FeedConfig(
                new WikimediaOrigin(
                    "https://stream.wikimedia.org/v2/stream/recentchange",
                    "",
                    "/comment",
                    Map.of(),
                    "latimer"),
                Duration.ofHours(1)));
    assertThat(
            feed(
                "{from: {wikimedia: {url: 'http://a/b', since: '2026-11-21T12:00:00Z', text: /t,"
                    + " where: {/wiki: enwiki, /bot: false}, user-agent: me}}, give-up: 0}"))
        .isEqualTo(
            new FeedConfig(
                new WikimediaOrigin(
                    "http://a/b",
                    "2026-11-21T12:00:00Z",
                    "/t",
                    Map.of("/wiki", "enwiki", "/bot", "false"),
                    "me"),
                Duration.ZERO));
    assertThat(feed("{from: {rss: {url: 'https://a/b.xml'}}}").from())
        .isEqualTo(
            new RssOrigin(
                "https://a/b.xml", Duration.ofMinutes(5), RssOrigin.Text.BOTH, "latimer"));
    assertThat(
            feed("{from: {rss: {url: 'http://a/', poll: 0, text: title, user-agent: me}}}").from())
        .isEqualTo(new RssOrigin("http://a/", Duration.ZERO, RssOrigin.Text.TITLE, "me"));
    assertThat(feed("{from: bluesky}").from())
        .isEqualTo(
            new BlueskyOrigin(
                "wss://jetstream2.us-east.bsky.network/subscribe", "", List.of(), "latimer"));
    assertThat(feed("{from: {bluesky: {languages: [en, de]}}}").from())
        .isEqualTo(
            new BlueskyOrigin(
                "wss://jetstream2.us-east.bsky.network/subscribe",
                "",
                List.of("en", "de"),
                "latimer"));
    assertThat(feed("{from: {captions: {path: a.vtt}}}").from())
        .isEqualTo(
            new CaptionsOrigin(
                "/jobs/a.vtt", false, "", Duration.ofSeconds(3), Duration.ofSeconds(10)));
    assertThat(
            feed("{from: {captions: {path: /a.srt, follow: true, start: '2026-11-21T12:00:00Z',"
                    + " max-gap: 1s, max-wait: 1min}}}")
                .from())
        .isEqualTo(
            new CaptionsOrigin(
                "/a.srt",
                true,
                "2026-11-21T12:00:00Z",
                Duration.ofSeconds(1),
                Duration.ofMinutes(1)));
    assertThat(feed("{from: {lines: {path: a.log, follow: false}}}").from())
        .isEqualTo(new LinesOrigin("/jobs/a.log", false));
    assertThat(feed("{from: stdin}").from()).isEqualTo(new StandardInputOrigin());
  }

  @Test
  void whatDoesNotFitIsRefusedWithItsLine() {
    refuses("{from: {wikimedia: {url: 'ftp://a/b'}}}", "begins with http://, or https://");
    refuses("{from: {wikimedia: {url: 'https:///b'}}}", "begins with http://, or https://");
    refuses("{from: {rss: {url: 'https://a:65536/b'}}}", "begins with http://, or https://");
    refuses("{from: {rss: {url: 'https://me:secret@a/b'}}}", "https://, without a user");
    refuses("{from: {wikimedia: {since: yesterday}}}", "an instant such as");
    refuses("{from: {wikimedia: {text: comment}}}", "a JSON pointer such as /comment");
    refuses("{from: {wikimedia: {user-agent: \"a\\r\\nb\"}}}", "printable ASCII");
    refuses(
        "{from: {wikimedia: {where: {wiki: enwiki}}}}",
        "line 1: source.feed.from.wikimedia.where: wiki is not a JSON pointer; write it as /wiki");
    refuses("{from: {lines: {path: 's3://a/b'}}}", "source.feed.from.lines.path: s3://a/b is not");
    refuses("{from: wikipedia}", "wikimedia");
  }

  private static void refuses(String feed, String message) {
    assertThatThrownBy(() -> job(feed)).hasMessageContaining(message);
  }
}
