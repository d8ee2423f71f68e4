package io.latimer.pipelines.feed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.latimer.pipelines.config.Settings;
import io.latimer.pipelines.feed.text.Json;
import io.latimer.schemas.Sentence;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.zip.GZIPInputStream;

/**
 * The new entries of a document that is polled, with conditional requests. The validators of a
 * document are stored once all its entries have been read.
 */
final class RssFeed implements Feed {
  /** Maximum length of a document after decompression. */
  static final int MAX_BYTES = 8 << 20;

  private static final Duration READ = Duration.ofSeconds(30);
  private static final Duration WHOLE = Duration.ofMinutes(5);
  private static final int MAX_TAG_CHARS = 1_024;

  private final URI uri;
  private final Duration poll;
  private final Settings settings;
  private final FeedPosition position;
  private final FeedContext context;
  private final Backoff backoff;
  private final HttpClient client = HttpGet.newClient();
  private final Queue<FeedItem> pending = new ArrayDeque<>();
  private boolean fetched;
  private volatile HttpGet connection;
  private volatile boolean closed;

  RssFeed(Settings settings, FeedPosition position, FeedContext context, Backoff backoff) {
    uri = URI.create(settings.get(FeedKeys.Rss.URL));
    poll = settings.get(FeedKeys.Rss.POLL);
    this.settings = settings;
    this.position = position;
    this.context = context;
    this.backoff = backoff;
  }

  @Override
  public void probe() throws IOException, InterruptedException {
    fetch();
  }

  @Override
  public FeedItem next() throws IOException, InterruptedException {
    while (!closed) {
      if (Thread.interrupted()) {
        throw new InterruptedException(); // the interrupted read does not say why it ended
      }
      FeedItem item = pending.poll();
      if (item != null) {
        position.advance(item);
        measure(item);
        return item;
      }
      if (fetched && poll.isZero()) {
        return null;
      }
      if (fetched) {
        backoff.pause(poll);
      }
      try {
        fetch();
        fetched = true;
        backoff.succeeded();
      } catch (FeedException e) {
        throw e;
      } catch (InvalidDocumentException e) {
        if (poll.isZero()) {
          throw new FeedException(uri + " cannot be read: " + e.getMessage(), e);
        }
        fetched = false;
        backoff.failed(e, poll); // the server may have a new one by then
      } catch (IOException e) {
        if (!closed && !Thread.currentThread().isInterrupted()) {
          fetched = false; // the wait is part of the error
          backoff.failed(e);
        }
      }
    }
    return null;
  }

  private void measure(FeedItem item) {
    if (item.content() instanceof FeedItem.Text text) {
      context.meter().item();
      context.meter().time(text.sentence().getEventTime());
    }
  }

  private void fetch() throws IOException, InterruptedException {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(
        "Accept",
        "application/atom+xml, application/rss+xml, application/rdf+xml, application/xml;q=0.9,"
            + " text/xml;q=0.8, */*;q=0.1");
    headers.put("Accept-Encoding", "gzip");
    headers.put("User-Agent", settings.get(FeedKeys.USER_AGENT));
    JsonNode tags = Json.object(position.cursor().getBytes(StandardCharsets.UTF_8));
    if (tags != null && tags.hasNonNull("etag")) {
      headers.put("If-None-Match", tags.get("etag").asText());
    }
    if (tags != null && tags.hasNonNull("modified")) {
      headers.put("If-Modified-Since", tags.get("modified").asText());
    }
    try (HttpGet get = HttpGet.of(client, READ, WHOLE, context.meter())) {
      connection = get;
      if (!closed && get.send(uri, headers, READ) == 200) {
        read(get);
      }
    } finally {
      connection = null;
    }
  }

  private void read(HttpGet get) throws IOException {
    byte[] bytes = content(get);
    String name = context.nameOr(uri.toString());
    for (Sentence sentence :
        RssDocument.sentences(
            bytes, get.header("Content-Type"), name, settings.get(FeedKeys.Rss.TEXT))) {
      boolean isNew =
          !position.remembers(sentence.getId())
              && pending.stream().noneMatch(one -> one.key().equals(sentence.getId()));
      if (isNew) {
        pending.add(FeedItem.text(sentence, uri.toString(), sentence.getEventTime(), ""));
      }
    }
    String cursor = cursor(get);
    if (!cursor.equals(position.cursor())) {
      pending.add(FeedItem.progress(cursor));
    }
  }

  private static byte[] content(HttpGet get) throws IOException {
    String encoding = get.header("Content-Encoding").toLowerCase(Locale.ROOT);
    InputStream in =
        switch (encoding) {
          case "", "identity" -> get.body();
          case "gzip", "x-gzip" -> new GZIPInputStream(get.body());
          default -> throw new InvalidDocumentException("the server packs with " + encoding);
        };
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) {
      throw new InvalidDocumentException(
          "the document has more than " + MAX_BYTES + " bytes, the maximum");
    }
    return bytes;
  }

  /** The validators of a response, such as its ETag, as a cursor. */
  private static String cursor(HttpGet get) {
    ObjectNode tags = Json.MAPPER.createObjectNode();
    put(tags, "etag", get.header("ETag"));
    put(tags, "modified", get.header("Last-Modified"));
    return tags.toString();
  }

  private static void put(ObjectNode tags, String name, String value) {
    if (value.matches("[ -~]{1," + MAX_TAG_CHARS + "}")) {
      tags.put(name, value);
    }
  }

  @Override
  public void close() {
    closed = true;
    HttpGet open = connection;
    if (open != null) {
      open.close();
    }
  }
}
