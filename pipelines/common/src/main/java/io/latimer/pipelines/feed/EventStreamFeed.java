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
final class EventStreamFeed implements Feed {
  /** Without an event or a comment for so long, the connection is taken for dead. */
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private static final Duration BEFORE_RECONNECT = Duration.ofSeconds(1);
  private static final int SKIPPED_PER_PROGRESS = 1_000;

  private final URI uri;
  private final WikimediaOrigin origin;
  private final WikimediaEvents events;
  private final FeedPosition position;
  private final FeedContext context;
  private final Backoff backoff;
  private final HttpClient client = HttpGet.newClient();
  private volatile HttpGet connection;
  private volatile boolean closed;
  private EventStream stream;
  private boolean progressed;
  private int skipped;

  EventStreamFeed(
      URI uri,
      WikimediaOrigin origin,
      FeedPosition position,
      FeedContext context,
      Backoff backoff) {
    this.uri = uri;
    this.origin = origin;
    this.events = new WikimediaEvents(origin, context.name());
    this.position = position;
    this.context = context;
    this.backoff = backoff;
  }

  @Override
  public FeedItem next() throws IOException, InterruptedException {
    while (!closed) {
      if (Thread.interrupted()) {
        throw new InterruptedException(); // the interrupted read said only that it ended
      }
      try {
        if (stream == null && !connect()) {
          return null;
        }
        EventStream.Event event = stream.next();
        if (event == null) {
          throw new EOFException("the server ended the stream");
        }
        if (event.id().isEmpty() || !event.id().equals(position.cursor())) {
          progressed = true;
          backoff.succeeded();
        }
        FeedItem item = item(event);
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

  /** Connects; false if the server has no more events for ever. */
  private boolean connect() throws IOException, InterruptedException {
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
    HttpGet opened = HttpGet.of(client, SILENCE);
    connection = opened;
    if (closed) {
      return false;
    }
    if (opened.send(address, headers, SILENCE) == 204) {
      return false;
    }
    String type = opened.header("Content-Type").toLowerCase(Locale.ROOT);
    if (!type.startsWith("text/event-stream")) {
      throw new FeedException(
          uri + " is no stream of server-sent events: its type is " + type + "; check the address");
    }
    stream = new EventStream(opened.body(), context.maxRecordBytes());
    progressed = false;
    return true;
  }

  /** A server may end a stream at any time: that is no error if it has sent something new. */
  private void reconnect(IOException error) throws IOException, InterruptedException {
    Duration retry = stream == null ? Duration.ZERO : stream.retry();
    boolean ended = stream != null && progressed;
    stream = null;
    disconnect();
    if (closed || Thread.currentThread().isInterrupted()) {
      return;
    }
    if (ended) {
      backoff.pause(retry.isZero() ? BEFORE_RECONNECT : retry);
    } else {
      backoff.failed(error);
    }
  }

  private void disconnect() {
    HttpGet open = connection;
    if (open != null) {
      open.close();
      connection = null;
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
    Optional<Sentence> sentence = events.sentence(json, event.data());
    if (sentence.isEmpty() || position.remembers(sentence.get().getId())) {
      return FeedItem.progress(event.id());
    }
    Instant time = sentence.get().getEventTime();
    return FeedItem.text(sentence.get(), uri.toString(), time, event.id());
  }

  @Override
  public void close() {
    closed = true;
    HttpGet open = connection;
    if (open != null) {
      open.close(); // ends a blocked read
    }
  }
}
