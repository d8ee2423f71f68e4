package io.latimer.pipelines.feed;

import com.fasterxml.jackson.core.JsonPointer;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Server-sent events whose data are JSON objects, such as those of Wikimedia EventStreams.
 *
 * @param url of the stream
 * @param since where to start without a position, as an instant in the server's format; empty for
 *     now
 * @param text JSON pointer to the text; an event without a text there is skipped
 * @param where JSON pointers, and the values that an event must have there; others are skipped
 * @param userAgent how the reader identifies itself to the server
 */
public record WikimediaOrigin(
    String url, String since, String text, Map<String, String> where, String userAgent)
    implements FeedOrigin {
  private static final long serialVersionUID = 1L;

  public WikimediaOrigin {
    JsonPointer.compile(text);
    where.keySet().forEach(JsonPointer::compile);
    where = new LinkedHashMap<>(where); // serializable, and in the order of the job file
  }

  @Override
  public String kind() {
    return "wikimedia";
  }

  @Override
  public String location() {
    return url;
  }

  @Override
  public boolean hasEnd() {
    return false;
  }

  @Override
  public Feed open(FeedPosition position, FeedContext context, Backoff backoff) {
    return new EventStreamFeed(URI.create(url), this, position, context, backoff);
  }
}
