package io.latimer.pipelines.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.latimer.operators.testing.SharedData;
import io.latimer.pipelines.config.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Captions and feeds that users of other programs have reported. */
@Timeout(60)
class BugFilesGoldenTest {
  @TempDir Path folder;

  private final Feeds feeds = new Feeds();
  private HttpServer server;
  private byte[] document;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, document.length);
            exchange.getResponseBody().write(document);
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private List<String> captions(String name) throws Exception {
    Path file = SharedData.require("data/bugs/" + name);
    Settings origin =
        Feeds.captions(file.toString(), false, "", Duration.ofMillis(500), Duration.ofSeconds(10));
    return feeds.texts(origin, Feeds.config(origin).start(), 9);
  }

  private List<String> rss(String name) throws Exception {
    return rss(Files.readAllBytes(SharedData.require("data/bugs/" + name)));
  }

  private List<String> rss(byte[] bytes) throws Exception {
    document = bytes;
    Settings origin =
        Feeds.rss(
            "http://127.0.0.1:" + server.getAddress().getPort() + "/",
            Duration.ZERO,
            FeedKeys.EntryText.TITLE,
            "test");
    return feeds.texts(origin, Feeds.config(origin).start(), 9);
  }

  @Test
  void captionsAreRead() throws Exception {
    assertThat(captions("vtt-lrm.vtt"))
        .containsExactly(
            "\u200ea \u200fb \u200dc \u200cd \u2002e \u2192f \u03b1g \u00bdh \u2260i 'j \u00adk l");
    assertThat(captions("vtt-cr-only.vtt")).containsExactly("Carriage returns.", "Second cue.");
    assertThat(captions("vtt-glued-settings.vtt"))
        .containsExactly("No space arrow.", "Glued setting.");
    assertThat(captions("srt-no-blank-line.srt")).containsExactly("First line.", "Second line.");
  }

  @Test
  void feedsAreRead() throws Exception {
    assertThat(rss("rss-utf16le-bom.xml")).containsExactly("Gr\u00f6\u00dfe z\u00e4hlt");
    assertThat(rss("rss-html-entity.xml")).containsExactly("caf\u00e9 x");
    assertThat(rss("rss-leading-blank.xml")).containsExactly("leading blank");
  }

  @Test
  void aTruncatedFeedFailsAtOnce() throws Exception {
    byte[] whole = Files.readAllBytes(SharedData.require("data/bugs/rss-leading-blank.xml"));
    for (int length = 60; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> rss(part))
          .isInstanceOf(FeedException.class)
          .hasMessageContaining("cannot be read: the document is cut off");
    }
    assertThat(feeds.waits).isEmpty();
  }
}
