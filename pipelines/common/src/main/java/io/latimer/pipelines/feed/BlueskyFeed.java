package io.latimer.pipelines.feed;

import com.fasterxml.jackson.databind.JsonNode;
import io.latimer.schemas.Sentence;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * New posts from a Jetstream server. The cursor is the server's time of the last event; the server
 * plays back from there, and a few seconds before, because servers may differ in order.
 */
final class BlueskyFeed implements Feed {
  private static final String COLLECTION = "app.bsky.feed.post";
  private static final Duration SILENCE = Duration.ofSeconds(60);
  private static final Duration BEFORE_RECONNECT = Duration.ofSeconds(1);
  private static final long REWIND_MICROS = TimeUnit.SECONDS.toMicros(5);
  private static final int SKIPPED_PER_PROGRESS = 1_000;

  private final URI uri;
  private final BlueskyOrigin origin;
  private final FeedPosition position;
  private final FeedContext context;
  private final Backoff backoff;
  private final HttpClient client = HttpGet.newClient();
  private volatile WebSocketMessages connection;
  private volatile boolean closed;
  private boolean progressed;
  private int skipped;

  BlueskyFeed(
      URI uri, BlueskyOrigin origin, FeedPosition position, FeedContext context, Backoff backoff) {
    this.uri = uri;
    this.origin = origin;
    this.position = position;
    this.context = context;
    this.backoff = backoff;
  }

  @Override
  public FeedItem next() throws IOException, InterruptedException {
    while (!closed) {
      try {
        if (connection == null) {
          connect();
        }
        WebSocketMessages.Message message = connection.next();
        FeedItem item = item(message);
        if (!item.cursor().isEmpty()) {
          progressed = true;
          backoff.succeeded();
        }
        position.advance(item);
        if (!(item.content() instanceof FeedItem.Nothing) || ++skipped >= SKIPPED_PER_PROGRESS) {
          skipped = 0;
          return item;
        }
      } catch (FeedException e) {
        disconnect();
        throw e;
      } catch (IOException e) {
        reconnect(e);
      }
    }
    return null;
  }

  private void connect() throws IOException, InterruptedException {
    WebSocketMessages opened = new WebSocketMessages(context.maxRecordBytes(), SILENCE);
    connection = opened;
    if (closed) {
      opened.close();
    }
    progressed = false;
    opened.connect(client, address(), origin.userAgent());
  }

  private URI address() throws FeedException {
    String query = "wantedCollections=" + COLLECTION;
    if (!position.cursor().isEmpty()) {
      query += "&cursor=" + Math.max(1, micros() - REWIND_MICROS);
    } else if (!origin.since().isEmpty()) {
      Instant since = OffsetDateTime.parse(origin.since()).toInstant();
      query += "&cursor=" + TimeUnit.MILLISECONDS.toMicros(since.toEpochMilli());
    }
    return URI.create(uri + (uri.getRawQuery() == null ? "?" : "&") + query);
  }

  private long micros() throws FeedException {
    if (!position.cursor().matches("[0-9]{1,18}")) {
      throw new FeedException(
          "the position of " + position.feed() + " is damaged; remove it to start anew");
    }
    return Long.parseLong(position.cursor());
  }

  /**
   * A server may end a connection at any time: that is no error if it has sent something new. If it
   * has only played back what was read before, it may break off at the same message again.
   */
  private void reconnect(IOException error) throws IOException, InterruptedException {
    disconnect();
    if (closed) {
      return;
    }
    if (progressed) {
      progressed = false;
      backoff.pause(BEFORE_RECONNECT);
    } else {
      backoff.failed(error);
    }
  }

  private void disconnect() {
    WebSocketMessages open = connection;
    if (open != null) {
      open.close();
      connection = null;
    }
  }

  private FeedItem item(WebSocketMessages.Message message) throws FeedException {
    byte[] bytes = message.text().getBytes(StandardCharsets.UTF_8);
    if (!message.whole() || bytes.length > context.maxRecordBytes()) {
      return FeedItem.refused(
          bytes,
          "the message has more than "
              + context.maxRecordBytes()
              + " bytes, the maximum, and this letter contains its beginning; raise"
              + " input.max-record-bytes",
          uri.toString(),
          "");
    }
    JsonNode event = Json.object(bytes);
    if (event == null) {
      return FeedItem.refused(bytes, "the message is not a JSON object", uri.toString(), "");
    }
    long time = event.path("time_us").asLong(0);
    // never back, while the server plays back
    boolean isLater = position.cursor().isEmpty() || time > micros();
    String cursor = isPlausible(time) && isLater ? Long.toString(time) : "";
    Optional<Sentence> sentence = sentence(event, time);
    if (sentence.isEmpty() || position.remembers(sentence.get().getId())) {
      return FeedItem.progress(cursor);
    }
    Instant at = sentence.get().getEventTime();
    return FeedItem.text(sentence.get(), uri.toString(), at, cursor);
  }

  /** A cursor in the far future would make the server send nothing. */
  private static boolean isPlausible(long micros) {
    long tomorrow = System.currentTimeMillis() + TimeUnit.DAYS.toMillis(1);
    return micros > 0 && micros < TimeUnit.MILLISECONDS.toMicros(tomorrow);
  }

  private Optional<Sentence> sentence(JsonNode event, long time) {
    JsonNode commit = event.path("commit");
    JsonNode post = commit.path("record");
    String text = post.path("text").asText();
    boolean wanted =
        event.path("kind").asText().equals("commit")
            && commit.path("operation").asText().equals("create")
            && commit.path("collection").asText().equals(COLLECTION)
            && !text.isBlank()
            && language(post.path("langs")).isPresent();
    if (!wanted) {
      return Optional.empty();
    }
    String id =
        "at://"
            + event.path("did").asText()
            + "/"
            + COLLECTION
            + "/"
            + commit.path("rkey").asText();
    return Optional.of(
        FeedSentence.of(
            id,
            context.nameOr("bluesky"),
            language(post.path("langs")).get(),
            text,
            isPlausible(time) ? Instant.ofEpochMilli(time / 1_000) : Instant.now()));
  }

  /** The post's first language that is asked for; empty if it has none of them. */
  private Optional<String> language(JsonNode languages) {
    if (origin.languages().isEmpty()) {
      return Optional.of(languages.path(0).asText());
    }
    for (JsonNode language : languages) {
      if (origin.languages().contains(language.asText())) {
        return Optional.of(language.asText());
      }
    }
    return Optional.empty();
  }

  @Override
  public void close() {
    closed = true;
    WebSocketMessages open = connection;
    if (open != null) {
      open.close();
    }
  }
}
