package io.latimer.pipelines.feed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.config.Settings;
import io.latimer.schemas.Sentence;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against a server that sends what Wikimedia EventStreams documents. */
@Timeout(60)
class WikimediaFeedTest {
  private static final String HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n:ok\n\n";

  private final Feeds feeds = new Feeds(4_096);

  private static String cursor(int number) {
    return "[{\"topic\":\"eqiad.mediawiki.recentchange\",\"partition\":0,\"timestamp\":"
        + (1_700_000_000_000L + number)
        + "},{\"topic\":\"codfw.mediawiki.recentchange\",\"partition\":0,\"offset\":-1}]";
  }

  private static String event(int number) {
    return event(number, "en.wikipedia.org", "comment " + number);
  }

  private static String event(int number, String domain, String comment) {
    return "event: message\nid: "
        + cursor(number)
        + "\ndata: {\"$schema\":\"/mediawiki/recentchange/1.0.0\",\"meta\":{\"uri\":\"https://"
        + domain
        + "/wiki/P"
        + number
        + "\",\"id\":\"id-"
        + number
        + "\",\"dt\":\"2026-11-23T05:00:"
        + String.format("%02d", number % 60)
        + "Z\",\"domain\":\""
        + domain
        + "\",\"stream\":\"mediawiki.recentchange\"},\"type\":\"edit\",\"bot\":false,\"wiki\":\""
        + (domain.startsWith("de") ? "dewiki" : "enwiki")
        + "\",\"comment\":\""
        + comment
        + "\"}\n\n";
  }

  private static Settings origin(ScriptedServer server) {
    return origin(server, Map.of());
  }

  private static Settings origin(ScriptedServer server, Map<String, String> where) {
    return Feeds.wikimedia(
        server.url("/v2/stream/recentchange"), "", "/comment", where, "latimer test");
  }

  @Test
  void anEventBecomesASentence() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> to.send(HEAD + event(7, "de.wikipedia.org", "Gr\u00fc\u00dfe")))) {
      FeedPosition position = Feeds.config(origin(server)).start();
      FeedItem item = feeds.read(origin(server), position, 1).get(0);
      Sentence sentence = ((FeedItem.Text) item.content()).sentence();
      assertThat(sentence.getId()).isEqualTo("id-7");
      assertThat(sentence.getFeed()).isEqualTo("de.wikipedia.org");
      assertThat(sentence.getLanguage()).isEqualTo("de");
      assertThat(sentence.getText()).isEqualTo("Gr\u00fc\u00dfe");
      assertThat(sentence.getEventTime()).isEqualTo(Instant.parse("2026-11-23T05:00:07Z"));
      assertThat(sentence.getHeaders().get(0).getKey()).isEqualTo("link");
      assertThat(item.origin().getSource()).isEqualTo(Feeds.config(origin(server)).location());
      assertThat(position.cursor()).isEqualTo(cursor(7));
      assertThat(server.requests.get(0).header("User-Agent")).isEqualTo("latimer test");
      assertThat(server.requests.get(0).header("Last-Event-ID")).isEmpty();
      byte[] sent = (":ok\n\n" + event(7, "de.wikipedia.org", "Gr\u00fc\u00dfe")).getBytes(UTF_8);
      assertThat(feeds.bytes).hasValue(sent.length);
    }
  }

  /** As the standard says of a stream that is not UTF-8. */
  @Test
  void aByteThatIsNotUtf8BecomesAReplacementCharacter() throws Exception {
    String event = event(7, "de.wikipedia.org", "Gr\u00fc\u00dfe");
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              to.send(HEAD);
              to.out().write(event.getBytes(StandardCharsets.ISO_8859_1));
              to.out().flush();
            })) {
      assertThat(feeds.texts(origin(server), Feeds.config(origin(server)).start(), 1))
          .containsExactly("Gr\ufffd\ufffde");
    }
  }

  /** Each connection ends in the middle of an event; the next begins with the last one again. */
  @Test
  void afterADisconnectInTheMiddleOfAnEventNothingIsLostOrDoubled() throws Exception {
    try (ScriptedServer server = new ScriptedServer(WikimediaFeedTest::threeAndAHalf)) {
      FeedPosition position = Feeds.config(origin(server)).start();
      assertThat(feeds.texts(origin(server), position, 10)).isEqualTo(comments(0, 10));
      assertThat(server.requests.get(1).header("Last-Event-ID")).isEqualTo(cursor(2));
    }
  }

  @Test
  void whereverItStopsItResumesWithTheNextEvent() throws Exception {
    try (ScriptedServer server = new ScriptedServer(WikimediaFeedTest::threeAndAHalf)) {
      FeedPosition position = Feeds.config(origin(server)).start();
      List<String> read = new ArrayList<>();
      for (int count = 1; count < 6; count++) {
        read.addAll(feeds.texts(origin(server), position, count));
        position = Feeds.stored(position);
      }
      assertThat(read).isEqualTo(comments(0, 15));
    }
  }

  private static void threeAndAHalf(ScriptedServer.Request request, ScriptedServer.Connection to)
      throws Exception {
    String after = request.header("Last-Event-ID");
    int first = 0;
    while (!after.isEmpty() && !after.equals(cursor(first))) {
      first++;
    }
    to.send(HEAD);
    for (int i = first; i < first + 3; i++) {
      to.send(event(i));
    }
    String half = event(first + 3);
    to.send(half.substring(0, half.length() / 2));
  }

  private static List<String> comments(int from, int to) {
    List<String> texts = new ArrayList<>();
    for (int i = from; i < to; i++) {
      texts.add("comment " + i);
    }
    return texts;
  }

  @Test
  void garbageAndHugeEventsAreRefusedAndTheirNeighboursGoOn() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) ->
                to.send(
                    HEAD
                        + event(0)
                        + "data: {\"comment\": \n\n"
                        + "data: [1]\n\n"
                        + "data: "
                        + "[".repeat(3_000)
                        + "\n\n"
                        + "id: 5\ndata: "
                        + "x".repeat(1 << 20)
                        + "\n\n"
                        + event(6)
                        + "garbage\u0000\n\nevent: canary\n\n"
                        + event(7, "canary", "not for readers")
                        + "data: {\"comment\":\"\\ud83d and no more\"}\n\n"))) {
      List<String> texts = feeds.texts(origin(server), Feeds.config(origin(server)).start(), 7);
      assertThat(texts.get(0)).isEqualTo("comment 0");
      assertThat(texts.subList(1, 4)).containsOnly("refused: the event is not a JSON object");
      assertThat(texts.get(4)).contains("more than 4096 bytes, the maximum");
      assertThat(texts.get(5)).isEqualTo("comment 6");
      assertThat(texts.get(6)).isEqualTo("\ufffd and no more");
    }
  }

  @Test
  void eventsThatAreNotAskedForMoveThePosition() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              StringBuilder many = new StringBuilder(HEAD);
              for (int i = 0; i < 1_500; i++) {
                many.append(event(i));
              }
              to.send(many + event(1_500, "de.wikipedia.org", "Hallo"));
            })) {
      Settings german = origin(server, Map.of("/wiki", "dewiki", "/bot", "false"));
      FeedPosition position = Feeds.config(german).start();
      try (Feed feed = Feeds.config(german).open(position, feeds.context())) {
        for (int skipped : new int[] {0, 1_000}) { // the first, and then after a thousand
          FeedItem progress = feed.next();
          assertThat(progress.content()).isInstanceOf(FeedItem.Nothing.class);
          assertThat(progress.cursor()).isEqualTo(cursor(skipped));
        }
        assertThat(Feeds.text(feed.next())).isEqualTo("Hallo");
      }
    }
  }

  /** Else a restart would begin with the present, or where the server remembers nothing. */
  @Test
  void whatIsSkippedSlowlyMovesThePosition() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              to.send(HEAD);
              for (int i = 0; i < 5; i++) {
                to.send(event(i));
              }
              Thread.sleep(60_000);
            })) {
      Settings german = origin(server, Map.of("/wiki", "dewiki"));
      try (Feed feed = Feeds.config(german).open(Feeds.config(german).start(), feeds.context())) {
        for (int i = 0; i < 5; i++) {
          assertThat(feed.next().cursor()).isEqualTo(cursor(i));
          feeds.pass(Duration.ofSeconds(1));
        }
      }
      assertThat(feeds.items).hasValue(5);
      assertThat(feeds.time).isEqualTo(Instant.parse("2026-11-23T05:00:04Z"));
    }
  }

  /** Proxies end connections after some minutes, though there is nothing new. */
  @Test
  void connectionsOnWhichNothingHappensForLongAreNoErrors() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              to.send(HEAD);
              while (feeds.bytes.get() < (request.number() + 1L) * ":ok\n\n".length()) {
                Thread.sleep(1);
              }
              feeds.pass(Duration.ofMinutes(4));
              if (request.number() == 9) {
                to.send(event(1));
              }
            })) {
      assertThat(feeds.texts(origin(server), Feeds.config(origin(server)).start(), 1))
          .containsExactly("comment 1");
      assertThat(feeds.warnings).isEmpty();
      assertThat(feeds.retries).hasValue(0);
      assertThat(feeds.waits).hasSize(9).containsOnly(Duration.ofSeconds(1));
    }
  }

  @Test
  void aServerThatFailsIsLeftAloneForAsLongAsItAsks() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              switch (request.number()) {
                case 0 -> to.send("HTTP/1.1 429 Slow down\r\nRetry-After: 120\r\n\r\n");
                case 1 -> to.send("HTTP/1.1 503 Busy\r\n\r\n");
                case 2 -> to.send("no HTTP at all\r\n\r\n");
                case 3 -> {} // closed without an answer
                default -> to.send(HEAD + event(1));
              }
            })) {
      assertThat(feeds.texts(origin(server), Feeds.config(origin(server)).start(), 1))
          .containsExactly("comment 1");
      assertThat(feeds.waits.get(0).toSeconds()).isEqualTo(120);
      assertThat(feeds.waits.get(1).toSeconds()).isEqualTo(2);
      assertThat(feeds.retries).hasValue(feeds.warnings.size());
      assertThat(feeds.warnings.get(0)).contains("HTTP 429; trying again in 120 s");
    }
  }

  @Test
  void whatWillNotChangeIsAnErrorAtOnce() throws Exception {
    assertFails("HTTP/1.1 404 Not found\r\n\r\n", "HTTP 404; check the address");
    assertFails("HTTP/1.1 403 Forbidden\r\n\r\n", "HTTP 403; give an address that needs no login");
    assertFails("HTTP/1.1 404 Not found\r\nContent-Length: 100000\r\n\r\n<p>", "HTTP 404");
    assertFails("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>", "check the address");
    assertFails("HTTP/1.1 301 Moved\r\nLocation: https://127.0.0.1/\r\n\r\n", "another protocol");
    assertFails("HTTP/1.1 301 Moved\r\nLocation: file:///etc/passwd\r\n\r\n", "another protocol");
    assertFails("HTTP/1.1 302 Moved\r\n\r\n", "invalid address");
    assertFails("HTTP/1.1 302 Moved\r\nLocation: /again\r\n\r\n", "more than 5 times");
    assertThat(feeds.waits).isEmpty();
  }

  private void assertFails(String answer, String message) throws Exception {
    try (ScriptedServer server = new ScriptedServer((request, to) -> to.send(answer))) {
      assertThatThrownBy(() -> feeds.texts(origin(server), Feeds.config(origin(server)).start(), 1))
          .isInstanceOf(FeedException.class)
          .hasMessageContaining(message);
    }
  }

  @Test
  void aRedirectIsFollowedAndAServerMayEndTheFeed() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              if (!request.path().startsWith("/new")) {
                to.send("HTTP/1.1 308 Moved\r\nLocation: /new?a=b\r\n\r\n");
              } else if (request.header("Last-Event-ID").isEmpty()) {
                to.send(HEAD + event(1));
              } else {
                to.send("HTTP/1.1 204 No Content\r\n\r\n");
              }
            })) {
      assertThat(feeds.texts(origin(server), Feeds.config(origin(server)).start(), 9))
          .containsExactly("comment 1");
    }
  }

  @Test
  void aServerThatOnlyRepeatsItselfIsAnErrorAfterAll() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer((request, to) -> to.send(HEAD + event(1) + event(1)))) {
      assertThatThrownBy(() -> feeds.texts(origin(server), Feeds.config(origin(server)).start(), 2))
          .isInstanceOf(FeedException.class)
          .hasMessageContaining("could not be read for")
          .hasMessageContaining("the server ended the stream");
    }
  }

  @Test
  void aFirstStartMayBeInThePast() throws Exception {
    try (ScriptedServer server = new ScriptedServer((request, to) -> to.send(HEAD + event(1)))) {
      Settings past =
          Feeds.wikimedia(
              server.url("/stream?a=b"), "2026-11-23T05:00:00+01:00", "/comment", Map.of(), "a");
      feeds.texts(past, Feeds.config(past).start(), 1);
      assertThat(server.requests.get(0).path())
          .isEqualTo("/stream?a=b&since=2026-11-23T05%3A00%3A00%2B01%3A00");
    }
  }

  @Test
  void closingEndsAWaitForASilentServer() throws Exception {
    closesWhileTheServerIsSilent(HEAD + event(1).substring(0, 40));
    closesWhileTheServerIsSilent(
        HEAD.replace(":ok\n\n", "")
            .replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n:ok\n\r\n"));
    closesWhileTheServerIsSilent("HTTP/1.1 200 OK\r\n");
  }

  private void closesWhileTheServerIsSilent(String begun) throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              to.send(begun);
              connected.countDown();
              Thread.sleep(600_000);
            })) {
      Feed feed =
          Feeds.config(origin(server)).open(Feeds.config(origin(server)).start(), feeds.context());
      Thread closer =
          new Thread(
              () -> {
                try {
                  connected.await();
                  Thread.sleep(50);
                  feed.close();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      closer.start();
      assertThat(feed.next()).isNull();
      closer.join();
    }
  }
}
