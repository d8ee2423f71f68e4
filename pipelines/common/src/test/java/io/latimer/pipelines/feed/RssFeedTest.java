package io.latimer.pipelines.feed;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.latimer.pipelines.config.Settings;
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

  private Settings origin(FeedKeys.EntryText text, Duration poll) {
    return Feeds.rss(
        "http://127.0.0.1:" + server.getAddress().getPort() + "/feed", poll, text, "test");
  }

  private Settings polled() {
    return origin(FeedKeys.EntryText.TITLE, Duration.ofMinutes(5));
  }

  private Settings once() {
    return origin(FeedKeys.EntryText.BOTH, Duration.ZERO);
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
    assertThat(sentence.getFeed()).isEqualTo(Feeds.config(once()).location());
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
  void whatHasNoTypeIsTextInAtom() throws Exception {
    publish(
        """
        <feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>urn:f</id>
          <updated>2026-11-23T05:00:00Z</updated>
          <entry><title>The &lt;b> tag &amp;eacute;</title><id>urn:1</id>
            <updated>2026-11-23T05:00:00Z</updated><content>&lt;i></content></entry>
        </feed>
        """);
    assertThat(feeds.texts(once(), Feeds.config(once()).start(), 9))
        .containsExactly("The <b> tag &eacute;\n<i>");
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
    Settings origin = origin(FeedKeys.EntryText.TITLE, Duration.ZERO);
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
    Settings origin = origin(FeedKeys.EntryText.TITLE, Duration.ZERO);
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

  /**
   * XML 1.0, 4.3.3, and RFC 7303: the byte order mark counts, then the server, then the document.
   */
  @Test
  void theEncodingIsThatOfTheByteOrderMarkTheServerOrTheDocument() throws Exception {
    String declared = rss(1).replace("Title", "\u00dcber").replace("'1.0'", "'1.0' encoding='%s'");
    Charset latin1 = StandardCharsets.ISO_8859_1;
    assertEncoding(("\ufeff" + declared.formatted("utf-16")).getBytes(UTF_16LE), "text/xml");
    assertEncoding(("\ufeff" + declared.formatted("UTF-16")).getBytes(UTF_16BE), "text/xml");
    assertEncoding(declared.formatted("utf-16").getBytes(UTF_16LE), "application/rss+xml");
    assertEncoding(declared.formatted("utf-16").getBytes(UTF_16BE), "application/rss+xml");
    assertEncoding(("\ufeff" + declared.formatted("UTF-32")).getBytes("UTF-32LE"), "text/xml");
    assertEncoding(("\ufeff" + declared.formatted("iso-8859-1")).getBytes(UTF_8), "text/xml");
    assertEncoding(declared.formatted("ISO-8859-1").getBytes(latin1), "text/xml");
    assertEncoding(declared.formatted("utf-16").getBytes(UTF_8), "text/xml"); // as some convert it
    assertEncoding(declared.formatted("UTF-8").getBytes(latin1), "text/xml; charset=ISO-8859-1");
    assertEncoding(declared.formatted("latin1").getBytes(latin1), "text/xml;charset=\"utf-8\"");
    assertEncoding(declared.formatted("none").getBytes(UTF_8), "text/xml; charset=none");
    assertEncoding(rss(1).replace("Title", "\u00dcber").getBytes(UTF_8), "text/xml");
    assertEncoding(rss(1).replace("Title", "\u00dcber").getBytes(UTF_8), "text/html");
  }

  private void assertEncoding(byte[] bytes, String contentType) throws Exception {
    document = bytes;
    type = contentType;
    Settings origin = origin(FeedKeys.EntryText.TITLE, Duration.ZERO);
    assertThat(feeds.texts(origin, Feeds.config(origin).start(), 1)).containsExactly("\u00dcber 1");
  }

  @Test
  void blanksBeforeADocumentAndNamesOfHtmlAreRead() throws Exception {
    publish(
        "\r\n\t "
            + rss(1)
                .replace("<?xml", "<?xml ")
                .replace(
                    "Title",
                    "caf&eacute;&NotEqualTilde;&LT;i&GT;<![CDATA[<b>&rarr;</b> &amp;lrm;]]>"
                        + "<!-- &eacute; -->&amp;rarr;&#233;"));
    Settings origin = origin(FeedKeys.EntryText.TITLE, Duration.ZERO);
    assertThat(feeds.texts(origin, Feeds.config(origin).start(), 1))
        .containsExactly("caf\u00e9\u2242\u0338\u2192 &lrm;\u2192\u00e9 1");
    publish("\ufeff\n" + rss(1).replace("Title", "&eacute;"));
    assertThat(feeds.texts(origin, Feeds.config(origin).start(), 1)).containsExactly("\u00e9 1");
    publish(
        "\n<feed xmlns='http://www.w3.org/2005/Atom'><title>&nbsp;</title><entry>"
            + "<title type='text'>&uuml;ber &amp;uuml; &LT;b></title><id>1</id></entry></feed>");
    assertThat(feeds.texts(origin, Feeds.config(origin).start(), 1))
        .containsExactly("\u00fcber &uuml; <b>");
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
  void whatIsNoFeedEndsOneThatIsReadOnceAndSaysWhatItIs() {
    assertFails("", "the document is empty");
    String page = "the document is an HTML page, not a feed; give the address of the feed itself";
    assertFails("<html><body>Be right back<br></body></html>", page);
    assertFails("\n<!-- a --><!DOCTYPE html>\n<html lang='en'><p>Welcome", page);
    assertFails(
        "<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'><html/>",
        page);
    assertFails("<html xmlns='http://www.w3.org/1999/xhtml'><head/></html>", page);
    assertFails(
        rss(1).substring(0, 150), "the document is cut off: it ends before its elements do");
    assertFails(rss(1).replace("</title>", "</titel>"), "the document is not XML: ");
    assertFails(
        rss(1).replace("Title", "a\n & b"), "the document is not XML: line 2: The entity name");
    assertFails("{\"version\":\"https://jsonfeed.org/version/1\"}", "the document is not XML: ");
    assertFails("<urlset><url/></urlset>", "the document is not RSS or Atom: ");
    assertFails("<!DOCTYPE rss>" + rss(1), "the document has a DOCTYPE");
    assertThat(feeds.waits).isEmpty();
  }

  private void assertFails(String xml, String reason) {
    publish(xml);
    assertThatThrownBy(() -> feeds.texts(once(), Feeds.config(once()).start(), 1))
        .isInstanceOf(FeedException.class)
        .hasMessageStartingWith(Feeds.config(once()).location() + " cannot be read: " + reason);
  }

  @Test
  void whatIsNoFeedIsReadAtTheNextPoll() throws Exception {
    publish("<html></html>");
    feeds.onWait(() -> publish(rss(1)));
    assertThat(feeds.texts(polled(), Feeds.config(polled()).start(), 1)).containsExactly("Title 1");
    assertThat(feeds.waits).containsExactly(Duration.ofMinutes(5));
    assertThat(feeds.warnings)
        .containsExactly(
            Feeds.config(polled()).location()
                + ": the document is an HTML page, not a feed; give the address of the feed itself;"
                + " trying again in 300 s");
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
