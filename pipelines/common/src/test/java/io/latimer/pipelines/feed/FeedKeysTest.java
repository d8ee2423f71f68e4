package io.latimer.pipelines.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.job.JobConfig;
import io.latimer.pipelines.job.JobConfigReader;
import io.latimer.pipelines.source.SourceConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
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

  /** Read, written and read again, and serialized. */
  private static FeedConfig feed(String feed) throws Exception {
    JobConfig job = job(feed);
    FeedConfig config = ((SourceConfig.Feed) job.source()).config();
    JobConfig again = JobConfigReader.read(job.toYaml(), "again", Path.of("/elsewhere"));
    assertThat(again.source()).isEqualTo(job.source());
    assertThat(serialized(config)).isEqualTo(config);
    return config;
  }

  private static Settings from(String feed) throws Exception {
    return feed(feed).settings().get(FeedKeys.FROM).settings();
  }

  private static Object serialized(FeedConfig config) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(config);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return in.readObject();
    }
  }

  @Test
  void everyKindOfFeedIsRead() throws Exception {
    assertThat(feed("{from: wikimedia}"))
        .isEqualTo(
            Feeds.config(
                Feeds.wikimedia(
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
            Feeds.config(
                Feeds.wikimedia(
                    "http://a/b",
                    "2026-11-21T12:00:00Z",
                    "/t",
                    Map.of("/wiki", "enwiki", "/bot", "false"),
                    "me"),
                Duration.ZERO));
    assertThat(from("{from: {rss: {url: 'https://a/b.xml'}}}"))
        .isEqualTo(
            Feeds.rss(
                "https://a/b.xml", Duration.ofMinutes(5), FeedKeys.EntryText.BOTH, "latimer"));
    assertThat(from("{from: {rss: {url: 'http://a/', poll: 0, text: title, user-agent: me}}}"))
        .isEqualTo(Feeds.rss("http://a/", Duration.ZERO, FeedKeys.EntryText.TITLE, "me"));
    assertThat(from("{from: bluesky}"))
        .isEqualTo(
            Feeds.bluesky(
                "wss://jetstream2.us-east.bsky.network/subscribe", "", List.of(), "latimer"));
    assertThat(from("{from: {bluesky: {languages: [en, de]}}}"))
        .isEqualTo(
            Feeds.bluesky(
                "wss://jetstream2.us-east.bsky.network/subscribe",
                "",
                List.of("en", "de"),
                "latimer"));
    assertThat(from("{from: {captions: {path: a.vtt}}}"))
        .isEqualTo(
            Feeds.captions(
                "/jobs/a.vtt", false, "", Duration.ofSeconds(3), Duration.ofSeconds(10)));
    assertThat(
            from(
                "{from: {captions: {path: /a.srt, follow: true, start: '2026-11-21T12:00:00Z',"
                    + " max-gap: 1s, max-wait: 1min}}}"))
        .isEqualTo(
            Feeds.captions(
                "/a.srt",
                true,
                "2026-11-21T12:00:00Z",
                Duration.ofSeconds(1),
                Duration.ofMinutes(1)));
    assertThat(from("{from: {lines: {path: a.log, follow: false}}}"))
        .isEqualTo(Feeds.lines("/jobs/a.log", false));
    assertThat(from("{from: stdin}")).isEqualTo(Feeds.stdin());
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
