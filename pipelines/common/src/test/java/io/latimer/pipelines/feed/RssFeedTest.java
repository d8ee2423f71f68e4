package io.latimer.pipelines.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.latimer.schemas.Sentence;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RssFeedTest {
  @TempDir Path folder;

  private final Feeds feeds = new Feeds(1 << 20);
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private volatile byte[] document = new byte[0];
  private volatile String type = "application/xml";
  private volatile String tag = "\"1\"";
  private volatile boolean zipped;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  /** As RFC 9110 says of conditional requests. */
  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String known = exchange.getRequestHeaders().getFirst("If-None-Match");
      asked.add(String.valueOf(known));
      exchange.getResponseHeaders().set("ETag", tag);
      exchange.getResponseHeaders().set("Content-Type", type);
      if (tag.equals(known)) {
        exchange.sendResponseHeaders(304, -1);
        return;
      }
      byte[] body = document;
      if (zipped) {
        exchange.getResponseHeaders().set("Content-Encoding", "gzip");
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
          out.write(body);
        }
        body = packed.toByteArray();
      }
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private RssOrigin origin(RssOrigin.Text text, Duration poll) {
    return new RssOrigin(
        "http://127.0.0.1:" + server.getAddress().getPort() + "/feed", poll, text, "test");
  }

  private RssOrigin polled() {
    return origin(RssOrigin.Text.TITLE, Duration.ofMinutes(5));
  }

  private RssOrigin once() {
    return origin(RssOrigin.Text.BOTH, Duration.ZERO);
  }

  private void publish(String xml) {
    document = xml.getBytes(StandardCharsets.UTF_8);
    tag = "\"" + xml.hashCode() + "\"";
  }

  private static String rss(int... entries) {
    StringBuilder xml = new StringBuilder("<?xml version='1.0'?><rss version='2.0'><channel>");
    xml.append("<title>News</title><link>http://a/</link><language>en-us</language>");
    for (int entry : entries) {
      xml.append("<item><title>Title ").append(entry).append("</title><guid isPermaLink='false'>");
      xml.append("guid-").append(entry).append("</guid></item>");
    }
    return xml.append("</channel></rss>").toString();
  }

  @Test
  void anRssEntryBecomesASentence() throws Exception {
    publish(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
          <title>News</title><link>https://example.org/</link><description>d</description>
          <language>de</language>
          <item><title>Caf&#233; &amp;amp; Bar</title>
            <link>https://example.org/2</link>
            <description><![CDATA[<p>Es <b>regnet</b>.</p><p>Heute.</p>]]></description>
            <guid>tag:2</guid><pubDate>Mon, 23 Nov 2026 05:00:00 GMT</pubDate></item>
          <item><title></title><link>https://example.org/1</link>
            <content:encoded>&lt;p&gt;Nur Inhalt&lt;/p&gt;</content:encoded></item>
          <item><guid>empty</guid></item>
        </channel></rss>
        """);
    List<FeedItem> items = feeds.read(once(), Feeds.config(once()).start(), 9);
    assertThat(items.stream().map(Feeds::text))
        .containsExactly("Nur Inhalt", "Caf\u00e9 & Bar\nEs regnet.\nHeute.");
    Sentence sentence = ((FeedItem.Text) items.get(1).content()).sentence();
    assertThat(sentence.getId()).isEqualTo("tag:2");
    assertThat(sentence.getLanguage()).isEqualTo("de");
    assertThat(sentence.getFeed()).isEqualTo(once().url());
    assertThat(sentence.getEventTime()).isEqualTo(Instant.parse("2026-11-23T05:00:00Z"));
    assertThat(StandardCharsets.UTF_8.decode(sentence.getHeaders().get(0).getValue()).toString())
        .isEqualTo("https://example.org/2");
    assertThat(((FeedItem.Text) items.get(0).content()).sentence().getId())
        .isEqualTo("https://example.org/1");
  }

  @Test
  void anAtomEntryBecomesASentence() throws Exception {
    publish(
        """
        <feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>urn:f</id>
          <updated>2026-11-23T05:00:00Z</updated>
          <entry><title type="text">1 &lt; 2 &amp;amp; 3</title><id>urn:1</id>
            <updated>2026-11-23T05:00:00Z</updated>
            <summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>So <i>it</i> is</p>
            </div></summary></entry>
          <entry><title type="html">&lt;b&gt;Bold&lt;/b&gt;</title><id>urn:2</id>
            <updated>2026-11-23T04:00:00Z</updated><content>plain  text</content></entry>
        </feed>
        """);
    assertThat(feeds.texts(once(), Feeds.config(once()).start(), 9))
        .containsExactly("Bold\nplain text", "1 < 2 &amp; 3\nSo it is");
  }

  @Test
  void anEntryIsReadOnceAndADocumentOnlyIfItHasChanged() throws Exception {
    publish(rss(2, 1));
    feeds.onWait(
        () -> {
          if (feeds.waits.size() == 2) {
            publish(rss(4, 3, 3, 2, 1));
          }
        });
    FeedPosition position = Feeds.config(polled()).start();
    assertThat(feeds.texts(polled(), position, 4))
        .containsExactly("Title 1", "Title 2", "Title 3", "Title 4");
    assertThat(asked).hasSize(3);
    assertThat(asked.get(0)).isEqualTo("null");
    assertThat(asked.get(1)).isEqualTo("\"" + rss(2, 1).hashCode() + "\"");
    assertThat(feeds.waits).containsOnly(Duration.ofMinutes(5));
  }

  /** A document is asked for again until all its entries have been read. */
  /** As some feeds have it, whose entries all lead to the front page. */
  @Test
  void aLinkThatEntriesShareIdentifiesNone() throws Exception {
    String entry = "<item><title>%s</title><link>%s</link></item>";
    publish(
        "<rss version=\"2.0\"><channel><title>News</title><link>http://a/</link>"
            + "<description>d</description>"
            + entry.formatted("front 2", "http://a/")
            + entry.formatted("own", "http://a/own")
            + entry.formatted("both 2", "http://a/both")
            + entry.formatted("both 1", "http://a/both")
            + entry.formatted("front 1", "http://a/")
            + "</channel></rss>");
    FeedPosition position = Feeds.config(once()).start();
    List<FeedItem> items = feeds.read(once(), position, 9);
    assertThat(items.stream().map(Feeds::text))
        .containsExactly("front 1", "both 1", "both 2", "own", "front 2");
    assertThat(items.stream().map(FeedItem::key))
        .doesNotHaveDuplicates()
        .contains("http://a/own")
        .doesNotContain("http://a/", "http://a/both");
    publish(
        "<rss version=\"2.0\"><channel><title>News</title><link>http://a/</link>"
            + "<description>d</description>"
            + entry.formatted("front 3", "http://a/")
            + entry.formatted("own, changed", "http://a/own")
            + "</channel></rss>");
    assertThat(feeds.texts(once(), Feeds.stored(position), 9)).containsExactly("front 3");
  }

  @Test
  void whereverItStopsItResumesWithTheNextEntry() throws Exception {
    publish(rss(6, 5, 4, 3, 2, 1));
    RssOrigin origin = origin(RssOrigin.Text.TITLE, Duration.ZERO);
    FeedPosition position = Feeds.config(origin).start();
    List<String> read = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      read.addAll(feeds.texts(origin, position, 1));
      position = Feeds.stored(position);
    }
    assertThat(read)
        .containsExactly("Title 1", "Title 2", "Title 3", "Title 4", "Title 5", "Title 6");
    assertThat(feeds.texts(origin, position, 1)).isEmpty();
    assertThat(feeds.texts(origin, Feeds.stored(position), 1)).isEmpty();
    assertThat(asked.get(6)).isEqualTo("null");
    assertThat(asked.get(7)).isEqualTo(tag);
  }

  @Test
  void documentsOfAnyEncodingAreRead() throws Exception {
    RssOrigin origin = origin(RssOrigin.Text.TITLE, Duration.ZERO);
    for (String encoding : List.of("ISO-8859-1", "UTF-16", "windows-1252")) {
      document =
          rss(1)
              .replace("'1.0'", "'1.0' encoding='" + encoding + "'")
              .replace("Title", "\u00dcber")
              .getBytes(Charset.forName(encoding));
      zipped = !zipped;
      assertThat(feeds.texts(origin, Feeds.config(origin).start(), 1))
          .containsExactly("\u00dcber 1");
    }
  }

  @Test
  void entitiesOfADocumentAreNotRead() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "secret");
    String external =
        rss(1)
            .replace("<rss", "<!DOCTYPE rss [<!ENTITY x SYSTEM '" + secret.toUri() + "'>]><rss")
            .replace("Title", "&x;");
    String bomb =
        rss(1)
            .replace(
                "<rss",
                "<!DOCTYPE rss [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]><rss")
            .replace("Title", "&b;");
    for (String xml : List.of(external, bomb, rss(1).replace("<rss", "<!DOCTYPE rss><rss"))) {
      assertRefused(xml);
    }
  }

  @Test
  void whatIsNoFeedIsTriedAgainUntilItIsGivenUp() throws Exception {
    for (String xml :
        List.of(
            "",
            "<html><body>Be right back</body></html>",
            rss(1).substring(0, 150),
            "<rss version='2.0'>" + "<a>".repeat(200) + "</a>".repeat(200) + "</rss>",
            "<rss version='2.0'>" + "<a/>".repeat(100_001) + "</rss>",
            rss(1).replace("Title", "\u0001"))) {
      assertRefused(xml);
    }
  }

  @Test
  void aHugeDocumentIsNotUnpacked() throws Exception {
    zipped = true;
    assertRefused("<rss version='2.0'>" + " ".repeat(RssFeed.MAX_BYTES) + "</rss>");
  }

  private void assertRefused(String xml) {
    publish(xml);
    assertThatThrownBy(() -> feeds.texts(polled(), Feeds.config(polled()).start(), 1))
        .isInstanceOf(FeedException.class)
        .hasMessageContaining("could not be read for")
        .hasMessageContaining("the document ");
  }
}
