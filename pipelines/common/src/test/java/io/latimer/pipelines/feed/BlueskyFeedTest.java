package io.latimer.pipelines.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.pipelines.config.Settings;
import io.latimer.schemas.Sentence;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against a websocket server that sends what Jetstream documents. */
@Timeout(60)
class BlueskyFeedTest {
  private static final long BEGIN = 1_763_870_400_000_000L;
  private static final Pattern CURSOR = Pattern.compile("cursor=([0-9]+)");

  private final Feeds feeds = new Feeds(4_096);

  /** A post a second. */
  private static String post(int number) {
    return post(number, "create", "en", "post " + number);
  }

  private static String post(int number, String operation, String language, String text) {
    return "{\"did\":\"did:plc:eygmaihciaxprqvxpfvl6flk\",\"time_us\":"
        + (BEGIN + number * 1_000_000L)
        + ",\"kind\":\"commit\",\"commit\":{\"rev\":\"3l3qo2vutsw2b\",\"operation\":\""
        + operation
        + "\",\"collection\":\"app.bsky.feed.post\",\"rkey\":\"r"
        + number
        + "\",\"record\":{\"$type\":\"app.bsky.feed.post\",\"createdAt\":\"2026-11-23T04:00:00Z\","
        + "\"langs\":[\""
        + language
        + "\"],\"text\":\""
        + text
        + "\"},\"cid\":\"bafyreidc6sydkkbchcyg62v77wbhzvb2mvytlmsychqgwf2xojjtirmzj4\"}}";
  }

  private static final String OTHERS =
      "{\"did\":\"did:plc:ufbl4k27gp6kzas5glhz7fim\",\"time_us\":"
          + (BEGIN + 1)
          + ",\"kind\":\"identity\",\"identity\":{\"handle\":\"a.b\",\"seq\":1}}";

  private static Settings origin(ScriptedServer server, String... languages) {
    return Feeds.bluesky(
        server.url("/subscribe").replace("http://", "ws://"), "", List.of(languages), "test");
  }

  /** The first post at or behind the request's cursor. */
  private static int first(ScriptedServer.Request request) {
    Matcher matcher = CURSOR.matcher(request.path());
    if (!matcher.find()) {
      return 0;
    }
    long behind = Long.parseLong(matcher.group(1)) - BEGIN;
    return (int) Math.max(0L, (behind + 999_999L) / 1_000_000L);
  }

  @Test
  void aPostBecomesASentence() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              WebSocketServer.accept(request, to);
              WebSocketServer.frame(to, true, WebSocketServer.PING, new byte[] {1});
              WebSocketServer.text(to, OTHERS);
              WebSocketServer.text(to, post(1, "delete", "en", ""));
              WebSocketServer.text(to, post(2, "update", "en", "changed"));
              WebSocketServer.text(to, post(3, "create", "de", "Gr\u00fc\u00dfe \\ud83d"));
              to.in().readNBytes(1_000); // a pong comes first
            })) {
      FeedPosition position = Feeds.config(origin(server)).start();
      FeedItem item = feeds.read(origin(server), position, 1).get(0);
      Sentence sentence = ((FeedItem.Text) item.content()).sentence();
      assertThat(sentence.getId())
          .isEqualTo("at://did:plc:eygmaihciaxprqvxpfvl6flk/app.bsky.feed.post/r3");
      assertThat(sentence.getFeed()).isEqualTo("bluesky");
      assertThat(sentence.getLanguage()).isEqualTo("de");
      assertThat(sentence.getText()).isEqualTo("Gr\u00fc\u00dfe \ufffd");
      assertThat(sentence.getEventTime()).isEqualTo(Instant.ofEpochMilli(BEGIN / 1_000 + 3_000));
      assertThat(position.cursor()).isEqualTo(Long.toString(BEGIN + 3_000_000));
      assertThat(feeds.items).hasValue(4);
      assertThat(feeds.time).isEqualTo(sentence.getEventTime());
      assertThat(feeds.bytes).hasPositiveValue();
      ScriptedServer.Request request = server.requests.get(0);
      assertThat(request.path())
          .isEqualTo("/subscribe?requireHello=true&wantedCollections=app.bsky.feed.post");
      assertThat(request.header("User-Agent")).isEqualTo("test");
    }
  }

  /** The server plays back five seconds; connections break off within a frame. */
  @Test
  void afterADisconnectInTheMiddleOfAMessageNothingIsLostOrDoubled() throws Exception {
    try (ScriptedServer server = new ScriptedServer(BlueskyFeedTest::breakingOff)) {
      FeedPosition position = Feeds.config(origin(server)).start();
      assertThat(feeds.texts(origin(server), position, 30)).isEqualTo(posts(30));
      assertThat(server.requests).hasSizeGreaterThan(3);
    }
  }

  @Test
  void whereverItStopsItResumesWithTheNextPost() throws Exception {
    try (ScriptedServer server = new ScriptedServer(BlueskyFeedTest::breakingOff)) {
      FeedPosition position = Feeds.config(origin(server)).start();
      List<String> read = new ArrayList<>();
      for (int count = 1; count < 6; count++) {
        read.addAll(feeds.texts(origin(server), position, count));
        position = Feeds.stored(position);
      }
      assertThat(read).isEqualTo(posts(15));
    }
  }

  private static void breakingOff(ScriptedServer.Request request, ScriptedServer.Connection to)
      throws Exception {
    WebSocketServer.accept(request, to);
    int first = first(request);
    for (int i = first; i < first + 13; i++) {
      WebSocketServer.text(to, post(i));
    }
    byte[] frame =
        WebSocketServer.bytes(
            true, WebSocketServer.TEXT, post(first + 13).getBytes(StandardCharsets.UTF_8));
    to.out().write(frame, 0, frame.length / 2);
    to.out().flush();
  }

  private static List<String> posts(int count) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add("post " + i);
    }
    return texts;
  }

  @Test
  void garbageAndHugeMessagesAreRefusedAndTheirNeighboursGoOn() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              WebSocketServer.accept(request, to);
              WebSocketServer.text(to, post(0));
              WebSocketServer.text(to, "no JSON");
              WebSocketServer.text(to, "[1]");
              WebSocketServer.frame(to, true, 2, new byte[100]);
              byte[] part = "x".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
              WebSocketServer.frame(to, false, WebSocketServer.TEXT, part);
              for (int i = 0; i < 20; i++) {
                WebSocketServer.frame(to, false, WebSocketServer.CONTINUATION, part);
              }
              WebSocketServer.frame(to, true, WebSocketServer.CONTINUATION, part);
              WebSocketServer.text(to, "{\"time_us\":9223372036854775807,\"kind\":7}");
              WebSocketServer.text(to, "{\"kind\":7}");
              WebSocketServer.text(to, post(1));
              to.in().readNBytes(1);
            })) {
      FeedPosition position = Feeds.config(origin(server)).start();
      List<String> texts = feeds.texts(origin(server), position, 5);
      assertThat(texts.get(0)).isEqualTo("post 0");
      assertThat(texts.subList(1, 3)).containsOnly("refused: the message is not a JSON object");
      assertThat(texts.get(3)).contains("more than 4096 bytes, the maximum");
      assertThat(texts.get(4)).isEqualTo("post 1");
      assertThat(position.cursor()).isEqualTo(Long.toString(BEGIN + 1_000_000));
      assertThat(feeds.warnings).hasSize(1).allMatch(text -> text.contains("check the clock"));
    }
  }

  @Test
  void onlyPostsOfTheLanguagesAreReadAndTheOthersMoveThePosition() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              WebSocketServer.accept(request, to);
              for (int i = 0; i < 1_200; i++) {
                WebSocketServer.text(to, post(i));
              }
              WebSocketServer.text(to, post(1_200, "create", "de", "Hallo"));
              to.in().readNBytes(1);
            })) {
      Settings german = origin(server, "fr", "de");
      FeedPosition position = Feeds.config(german).start();
      try (Feed feed = Feeds.config(german).open(position, feeds.context())) {
        for (int skipped : new int[] {0, 1_000}) { // the first, and then after a thousand
          FeedItem progress = feed.next();
          assertThat(progress.content()).isInstanceOf(FeedItem.Nothing.class);
          assertThat(progress.cursor()).isEqualTo(Long.toString(BEGIN + skipped * 1_000_000L));
        }
        assertThat(Feeds.text(feed.next())).isEqualTo("Hallo");
      }
    }
  }

  @Test
  void aServerThatFailsIsTriedAgainAndARefusalIsAnError() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              switch (request.number()) {
                case 0 ->
                    to.send("HTTP/1.1 503 Busy\r\nRetry-After: 90\r\nContent-Length: 0\r\n\r\n");
                case 1 -> {} // closed without an answer
                case 2 -> to.send("no HTTP\r\n\r\n");
                case 3 -> {
                  WebSocketServer.accept(request, to);
                  byte[] status = {0x03, (byte) 0xf0, 'b', 'y', 'e'}; // 1008
                  WebSocketServer.frame(to, true, WebSocketServer.CLOSE, status);
                  to.in().readNBytes(1);
                }
                case 4 -> {
                  WebSocketServer.accept(request, to);
                  to.out().write(new byte[] {(byte) 0xff, 0x7f}); // reserved bits: no such frame
                  to.out().flush();
                  to.in().readNBytes(1);
                }
                case 5 -> {
                  WebSocketServer.accept(request, to);
                  WebSocketServer.text(to, post(1));
                  to.in().readNBytes(1);
                }
                default -> to.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
              }
            })) {
      FeedPosition position = Feeds.config(origin(server)).start();
      assertThat(feeds.texts(origin(server), position, 1)).containsExactly("post 1");
      assertThat(feeds.waits).hasSizeBetween(4, 5); // the client may try a closed one again
      assertThat(feeds.waits.get(0).toSeconds()).isEqualTo(90);
      assertThat(feeds.warnings).anyMatch(text -> text.contains("status 1008, bye"));
      assertThatThrownBy(() -> feeds.texts(origin(server), position, 1))
          .isInstanceOf(FeedException.class)
          .hasMessageContaining("HTTP 404 instead of opening a websocket");
    }
  }

  /** Such as one that is not UTF-8: it comes again and again. */
  @Test
  void aMessageThatEndsEveryConnectionIsAnErrorAfterAll() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              WebSocketServer.accept(request, to);
              for (int i = 0; i < 3; i++) {
                WebSocketServer.text(to, post(i));
              }
              WebSocketServer.frame(to, true, WebSocketServer.TEXT, new byte[] {(byte) 0xff});
              to.in().readNBytes(1);
            })) {
      FeedPosition position = Feeds.config(origin(server)).start();
      try (Feed feed = Feeds.config(origin(server)).open(position, feeds.context())) {
        for (int i = 0; i < 3; i++) {
          FeedItem item = feed.next();
          assertThat(Feeds.text(item)).isEqualTo("post " + i);
          position.advance(item);
        }
        assertThatThrownBy(feed::next)
            .isInstanceOf(FeedException.class)
            .hasMessageContaining("could not be read for");
      }
      assertThat(position.cursor()).isEqualTo(Long.toString(BEGIN + 2_000_000));
    }
  }

  @Test
  void aServerThatOnlyPingsIsNotSilent() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              WebSocketServer.accept(request, to);
              for (int i = 0; i < 10; i++) {
                WebSocketServer.frame(to, true, WebSocketServer.PING, new byte[0]);
                Thread.sleep(100);
              }
              WebSocketServer.text(to, "at last");
              to.in().readNBytes(1_000);
            })) {
      URI uri = URI.create(Feeds.config(origin(server)).location());
      try (WebSocketMessages messages = new WebSocketMessages(100, Duration.ofMillis(500))) {
        messages.connect(HttpGet.newClient(), uri, "test", "hello");
        assertThat(messages.next().text()).isEqualTo("at last");
        assertThatThrownBy(messages::next).hasMessageContaining("sent nothing");
      }
    }
  }

  @Test
  void aFirstStartMayBeInThePast() throws Exception {
    List<String> hellos = new CopyOnWriteArrayList<>();
    try (ScriptedServer server =
        new ScriptedServer(
            (request, to) -> {
              hellos.add(WebSocketServer.accept(request, to));
              WebSocketServer.text(to, post(1));
              to.in().readNBytes(1);
            })) {
      Settings past =
          Feeds.bluesky(
              Feeds.config(origin(server)).location()
                  + "?maxMessageSizeBytes=100000&wantedDids=did%3Aplc%3Aa",
              "2026-11-23T05:00:00+01:00",
              List.of(),
              "a");
      feeds.texts(past, Feeds.config(past).start(), 1);
      assertThat(server.requests.get(0).path())
          .isEqualTo(
              "/subscribe?maxMessageSizeBytes=100000&wantedDids=did%3Aplc%3Aa"
                  + "&requireHello=true&wantedCollections=app.bsky.feed.post&cursor="
                  + Instant.parse("2026-11-23T04:00:00Z").toEpochMilli()
                  + "000");
      // what the message leaves out would be no option any more
      assertThat(hellos)
          .containsExactly(
              "{\"type\":\"options_update\",\"payload\":{\"wantedCollections\":"
                  + "[\"app.bsky.feed.post\"],\"wantedDids\":[\"did:plc:a\"],"
                  + "\"maxMessageSizeBytes\":100000}}");
    }
  }

  @Test
  void closingEndsAWaitForASilentServer() throws Exception {
    for (boolean accepted : new boolean[] {true, false}) {
      CountDownLatch connected = new CountDownLatch(1);
      try (ScriptedServer server =
          new ScriptedServer(
              (request, to) -> {
                if (accepted) {
                  WebSocketServer.accept(request, to);
                }
                connected.countDown();
                to.in().readNBytes(1);
              })) {
        Feed feed =
            Feeds.config(origin(server))
                .open(Feeds.config(origin(server)).start(), feeds.context());
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
}
