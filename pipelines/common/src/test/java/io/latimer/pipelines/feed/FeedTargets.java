package io.latimer.pipelines.feed;

import io.latimer.operators.fuzz.FuzzTarget;
import io.latimer.operators.fuzz.Mutations;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.feed.text.EventStream;
import io.latimer.pipelines.feed.text.HtmlText;
import io.latimer.pipelines.feed.text.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Readers of what the servers and files of feeds contain. */
public final class FeedTargets {
  private static final int MAX_BYTES = 1 << 12;

  private FeedTargets() {}

  /** The targets; they may write to a folder. */
  public static List<FuzzTarget> in(Path folder) {
    Path captions = folder.resolve("fuzz.vtt");
    return List.of(
        target("feed-events", EVENTS, FeedTargets::events, List.of()),
        target(
            "feed-rss",
            List.of(RSS, ATOM),
            input -> RssDocument.sentences(input, "", "feed", FeedKeys.EntryText.BOTH),
            List.of(IOException.class)),
        target("feed-html", List.of(HTML), input -> HtmlText.of(text(input)), List.of()),
        target(
            "feed-captions",
            List.of(CAPTIONS),
            input -> captions(Files.write(captions, input)),
            List.of()),
        target(
            "feed-position",
            List.of(text(new FeedPosition("lines /a").toBytes())),
            input -> {
              FeedPosition position = FeedPosition.of(input);
              FeedPosition.of(position.toBytes());
              FileCursor.of(position);
            },
            List.of(FeedException.class)));
  }

  private static final List<String> EVENTS =
      List.of(
          """
          :ok

          event: message
          id: [{"topic":"a","partition":0,"timestamp":1700000000000}]
          data: {"meta":{"id":"1","dt":"2026-11-23T05:00:00Z","domain":"en.wikipedia.org"},
          data: "comment":"a \\ud83d comment"}

          retry: 100
          data: {"comment":"b"}

          """);

  private static final String RSS =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
      <title>News</title><link>http://a/</link><description>d</description><language>de</language>
      <item><title>Caf&#233; &amp;amp; Bar</title><link>http://a/1</link><guid>tag:1</guid>
      <description><![CDATA[<p>Es <b>regnet</b>.</p>]]></description>
      <pubDate>Mon, 23 Nov 2026 05:00:00 GMT</pubDate></item></channel></rss>
      """;

  private static final String ATOM =
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>urn:f</id>
      <updated>2026-11-23T05:00:00Z</updated>
      <entry><title type="html">&lt;b&gt;Bold&lt;/b&gt;</title><id>urn:1</id>
      <updated>2026-11-23T05:00:00Z</updated><summary type="xhtml">
      <div xmlns="http://www.w3.org/1999/xhtml"><p>So <i>it</i> is</p></div></summary></entry></feed>
      """;

  private static final String HTML =
      "<p class=\"a>b\">Fish &amp; <!-- c --> chips&nbsp;&#8211;<script>x</script><br/>5&euro;</p>";

  private static final String CAPTIONS =
      """
      WEBVTT

      NOTE a

      1
      00:00:01.000 --> 00:00:02.500 align:start
      <v Ann>Good morning. I

      00:02.500 --> 00:00:04.500
      {\\an8}am <00:00:03.000><i>here</i>.
      """;

  /** Reads an input, or fails. */
  private interface Reader {
    void read(byte[] input) throws Exception;
  }

  private static FuzzTarget target(
      String name, List<String> seeds, Reader reader, List<Class<? extends Exception>> documented) {
    List<byte[]> bytes = seeds.stream().map(seed -> seed.getBytes(StandardCharsets.UTF_8)).toList();
    return new FuzzTarget(
        name, 100, random -> Mutations.of(bytes, random), reader::read, documented);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static void events(byte[] input) throws IOException {
    EventStream stream = new EventStream(new ByteArrayInputStream(input), MAX_BYTES, () -> 0);
    WikimediaEvents events =
        new WikimediaEvents(Feeds.wikimedia("http://a/", "", "/comment", Map.of(), "a"), "");
    for (EventStream.Event event = stream.next(); event != null; event = stream.next()) {
      if (Json.object(event.data()) != null) {
        events.sentence(Json.object(event.data()), event.data());
      }
    }
  }

  private static void captions(Path file) throws Exception {
    Settings origin =
        Feeds.captions(file.toString(), false, "", Duration.ofSeconds(3), Duration.ofSeconds(1));
    FeedConfig config = Feeds.config(origin);
    FeedPosition position = config.start();
    try (Feed feed = config.open(position, new Feeds(MAX_BYTES).context())) {
      for (FeedItem item = feed.next(); item != null; item = feed.next()) {
        position.advance(item);
        FeedPosition.of(position.toBytes());
      }
    }
  }
}
