package io.latimer.pipelines.feed;

import com.fasterxml.jackson.databind.JsonNode;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.feed.text.EventStream;
import io.latimer.pipelines.feed.text.Json;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Server-sent events of a server that resumes after the last event id. */
final class EventStreamFeed extends ServerFeed {
  private final Settings settings;
  private final WikimediaEvents events;
  private final HttpClient client = HttpGet.newClient();

  EventStreamFeed(Settings settings, FeedPosition position, FeedContext context, Backoff backoff) {
    super(URI.create(settings.get(FeedKeys.Wikimedia.URL)), position, context, backoff);
    this.settings = settings;
    events = new WikimediaEvents(settings, context.name());
  }

  @Override
  ServerConnection newConnection() {
    return new Connection();
  }

  /** One response of the server. */
  private final class Connection implements ServerConnection {
    private final HttpGet get = HttpGet.of(client, SILENCE, Duration.ZERO, context.meter());
    private EventStream stream;

    @Override
    public boolean open() throws IOException, InterruptedException {
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put("Accept", "text/event-stream");
      headers.put("Accept-Encoding", "identity");
      headers.put("Cache-Control", "no-cache");
      headers.put("User-Agent", settings.get(FeedKeys.USER_AGENT));
      URI address = uri;
      if (!position.cursor().isEmpty()) {
        headers.put("Last-Event-ID", position.cursor());
      } else if (!settings.get(FeedKeys.Wikimedia.SINCE).isEmpty()) {
        String since =
            URLEncoder.encode(settings.get(FeedKeys.Wikimedia.SINCE), StandardCharsets.UTF_8);
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
      return tooLong("the event", event.data(), event.id());
    }
    // decoded as in the standard: invalid UTF-8 becomes U+FFFD
    String data = new String(event.data(), StandardCharsets.UTF_8);
    JsonNode json = Json.object(data.getBytes(StandardCharsets.UTF_8));
    if (json == null) {
      return notAnObject("the event", event.data(), event.id());
    }
    events.time(json).ifPresent(context.meter()::time);
    return item(events.sentence(json, event.data()), event.id());
  }
}
