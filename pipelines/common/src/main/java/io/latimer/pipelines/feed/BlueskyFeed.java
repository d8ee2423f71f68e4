package io.latimer.pipelines.feed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.feed.text.Json;
import io.latimer.schemas.Sentence;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * New posts from a Jetstream server. The cursor is the server's time of the last event. The server
 * replays from a few seconds before it, because the order may differ between servers.
 */
final class BlueskyFeed extends ServerFeed {
  private static final String COLLECTION = "app.bsky.feed.post";
  private static final long REWIND_MICROS = TimeUnit.SECONDS.toMicros(5);

  private final Settings settings;
  private final HttpClient client = HttpGet.newClient();
  private boolean warned;

  BlueskyFeed(Settings settings, FeedPosition position, FeedContext context, Backoff backoff) {
    super(URI.create(settings.get(FeedKeys.Bluesky.URL)), position, context, backoff);
    this.settings = settings;
  }

  @Override
  ServerConnection newConnection() throws FeedException {
    return new Connection(address());
  }

  /** One websocket connection. */
  private final class Connection implements ServerConnection {
    private final URI address;
    private final WebSocketMessages messages =
        new WebSocketMessages(context.maxRecordBytes(), SILENCE);

    Connection(URI address) {
      this.address = address;
    }

    @Override
    public boolean open() throws IOException, InterruptedException {
      messages.connect(client, address, settings.get(FeedKeys.USER_AGENT), hello());
      return true;
    }

    @Override
    public FeedItem next() throws IOException, InterruptedException {
      return item(messages.next());
    }

    @Override
    public Duration retry() {
      return Duration.ZERO;
    }

    @Override
    public void close() {
      messages.close();
    }
  }

  private URI address() throws FeedException {
    String query = "requireHello=true&wantedCollections=" + COLLECTION;
    if (!position.cursor().isEmpty()) {
      query += "&cursor=" + Math.max(1, micros() - REWIND_MICROS);
    } else if (!settings.get(FeedKeys.Bluesky.SINCE).isEmpty()) {
      Instant since = OffsetDateTime.parse(settings.get(FeedKeys.Bluesky.SINCE)).toInstant();
      query += "&cursor=" + TimeUnit.MILLISECONDS.toMicros(since.toEpochMilli());
    }
    return URI.create(uri + (uri.getRawQuery() == null ? "?" : "&") + query);
  }

  /**
   * The message that the server waits for before it sends: the options again, because those of a
   * message replace those of the URL.
   */
  private String hello() {
    ObjectNode payload = Json.MAPPER.createObjectNode();
    ArrayNode collections = payload.putArray("wantedCollections").add(COLLECTION);
    ArrayNode dids = payload.putArray("wantedDids");
    String query = uri.getRawQuery() == null ? "" : uri.getRawQuery();
    for (String option : query.split("&", -1)) {
      String value =
          URLDecoder.decode(option.substring(option.indexOf('=') + 1), StandardCharsets.UTF_8);
      if (option.startsWith("wantedCollections=")) {
        collections.add(value);
      } else if (option.startsWith("wantedDids=")) {
        dids.add(value);
      } else if (option.startsWith("maxMessageSizeBytes=") && value.matches("[0-9]{1,9}")) {
        payload.put("maxMessageSizeBytes", Integer.parseInt(value));
      }
    }
    ObjectNode hello = Json.MAPPER.createObjectNode();
    hello.put("type", "options_update").set("payload", payload);
    return hello.toString();
  }

  private long micros() throws FeedException {
    if (!position.cursor().matches("[0-9]{1,18}")) {
      throw new FeedException(
          "the position of " + position.feed() + " is damaged; remove it to start anew");
    }
    return Long.parseLong(position.cursor());
  }

  private FeedItem item(WebSocketMessages.Message message) throws FeedException {
    byte[] bytes = message.text().getBytes(StandardCharsets.UTF_8);
    context.meter().bytes(bytes.length);
    if (!message.whole() || bytes.length > context.maxRecordBytes()) {
      return tooLong("the message", bytes, "");
    }
    JsonNode event = Json.object(bytes);
    if (event == null) {
      return notAnObject("the message", bytes, "");
    }
    long time = event.path("time_us").asLong(0);
    if (isPlausible(time)) {
      context.meter().time(Instant.ofEpochMilli(time / 1_000));
    } else if (!warned) {
      warned = true;
      context
          .warnings()
          .accept(
              uri
                  + " sends times that are no times, or more than a day ahead of the clock of this"
                  + " machine; the feed cannot resume after them: check the clock");
    }
    // never moves back while the server replays
    boolean isLater = position.cursor().isEmpty() || time > micros();
    String cursor = isPlausible(time) && isLater ? Long.toString(time) : "";
    return item(sentence(event, time), cursor);
  }

  /** Whether a cursor is plausible; one in the far future would make the server send nothing. */
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

  /** The post's first requested language; empty if it has none of them. */
  private Optional<String> language(JsonNode languages) {
    if (settings.get(FeedKeys.Bluesky.LANGUAGES).isEmpty()) {
      return Optional.of(languages.path(0).asText());
    }
    for (JsonNode language : languages) {
      if (settings.get(FeedKeys.Bluesky.LANGUAGES).contains(language.asText())) {
        return Optional.of(language.asText());
      }
    }
    return Optional.empty();
  }
}
