package io.latimer.pipelines.feed;

import com.fasterxml.jackson.databind.JsonNode;
import io.latimer.schemas.Sentence;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Events of a server, which resumes after the last event id. */
final class EventStreamFeed extends ServerFeed {
  private final URI uri;
  private final WikimediaOrigin origin;
  private final WikimediaEvents events;
  private final HttpClient client = HttpGet.newClient();

  EventStreamFeed(
      URI uri,
      WikimediaOrigin origin,
      FeedPosition position,
      FeedContext context,
      Backoff backoff) {
    super(position, context, backoff);
    this.uri = uri;
    this.origin = origin;
    this.events = new WikimediaEvents(origin, context.name());
  }

  @Override
  ServerConnection newConnection() {
    return new Connection();
  }

  /** One answer of the server. */
  private final class Connection implements ServerConnection {
    private final HttpGet get = HttpGet.of(client, SILENCE, Duration.ZERO, context.meter());
    private EventStream stream;

    @Override
    public boolean open() throws IOException, InterruptedException {
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put("Accept", "text/event-stream");
      headers.put("Accept-Encoding", "identity");
      headers.put("Cache-Control", "no-cache");
      headers.put("User-Agent", origin.userAgent());
      URI address = uri;
      if (!position.cursor().isEmpty()) {
        headers.put("Last-Event-ID", position.cursor());
      } else if (!origin.since().isEmpty()) {
        String since = URLEncoder.encode(origin.since(), StandardCharsets.UTF_8);
        address = URI.create(uri + (uri.getRawQuery() == null ? "?" : "&") + "since=" + since);
      }
      if (get.send(address, headers, SILENCE) == 204) {
        return false;
      }
      String type = get.header("Content-Type").toLowerCase(Locale.ROOT);
      if (!type.startsWith("text/event-stream")) {
        throw new FeedException(
            uri
                + " is no stream of server-sent events: its type is "
                + (type.isEmpty() ? "unknown" : type)
                + "; check the address");
      }
      stream = new EventStream(get.body(), context.maxRecordBytes(), context.clock().nanos());
      return true;
    }

    @Override
    public FeedItem next() throws IOException {
      EventStream.Event event = stream.next();
      if (event == null) {
        throw new EOFException("the server ended the stream");
      }
      return item(event);
    }

    @Override
    public Duration retry() {
      return stream.retry();
    }

    @Override
    public void close() {
      get.close();
    }
  }

  private FeedItem item(EventStream.Event event) {
    if (!event.whole()) {
      return FeedItem.refused(
          event.data(),
          "the event has more than "
              + context.maxRecordBytes()
              + " bytes, the maximum, and this letter contains its beginning; raise"
              + " input.max-record-bytes",
          uri.toString(),
          event.id());
    }
    JsonNode json = Json.object(event.data());
    if (json == null) {
      return FeedItem.refused(
          event.data(), "the event is not a JSON object", uri.toString(), event.id());
    }
    events.time(json).ifPresent(context.meter()::time);
    Optional<Sentence> sentence = events.sentence(json, event.data());
    if (sentence.isEmpty() || position.remembers(sentence.get().getId())) {
      return FeedItem.progress(event.id());
    }
    Instant time = sentence.get().getEventTime();
    return FeedItem.text(sentence.get(), uri.toString(), time, event.id());
  }
}
