package io.latimer.pipelines.feed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.latimer.pipelines.feed.text.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * How far a feed has been processed: the cursor of its protocol, and its latest records, so that
 * repeated ones are skipped. Used by one thread at a time.
 */
public final class FeedPosition {
  /** Number of records that are remembered, each by 64 bits of its SHA-256. */
  public static final int REMEMBERED = 8_192;

  private static final int VERSION = 1;

  private final String feed;
  private final Set<Long> seen = new LinkedHashSet<>();
  private String cursor = "";

  /**
   * The start of a feed.
   *
   * @param feed identifies the feed: its kind and location
   */
  public FeedPosition(String feed) {
    this.feed = feed;
  }

  /** An independent copy. */
  FeedPosition copy() {
    FeedPosition copy = new FeedPosition(feed);
    copy.cursor = cursor;
    copy.seen.addAll(seen);
    return copy;
  }

  /** The feed that it belongs to. */
  public String feed() {
    return feed;
  }

  /** The cursor of the protocol; empty at the start. */
  public String cursor() {
    return cursor;
  }

  /** Advances past an item that has been processed. */
  public void advance(FeedItem item) {
    if (!item.key().isEmpty()) {
      add(item.key());
    }
    if (!item.cursor().isEmpty()) {
      cursor = item.cursor();
    }
  }

  /** Whether a record is among the latest ones. */
  boolean remembers(String key) {
    return seen.contains(hash(key));
  }

  private void add(String key) {
    seen.add(hash(key));
    if (seen.size() > REMEMBERED) {
      Iterator<Long> oldest = seen.iterator();
      oldest.next();
      oldest.remove();
    }
  }

  private static long hash(String key) {
    return ByteBuffer.wrap(sha256(key.getBytes(StandardCharsets.UTF_8))).getLong();
  }

  static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Serializes the position as one line of JSON in ASCII. */
  public byte[] toBytes() {
    ByteBuffer hashes = ByteBuffer.allocate(Long.BYTES * seen.size());
    seen.forEach(hashes::putLong);
    ObjectNode json = Json.MAPPER.createObjectNode();
    json.put("version", VERSION);
    json.put("feed", feed);
    json.put("cursor", cursor);
    json.put("seen", Base64.getEncoder().encodeToString(hashes.array()));
    try {
      return Json.MAPPER.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree can be written", e);
    }
  }

  /**
   * Reads what {@link #toBytes} wrote.
   *
   * @throws FeedException if it is damaged, or from a newer version
   */
  public static FeedPosition of(byte[] bytes) throws FeedException {
    JsonNode json = Json.object(bytes);
    if (json == null || !json.path("version").isInt()) {
      throw new FeedException("the position of the feed is damaged; remove it to start anew");
    }
    if (json.path("version").intValue() != VERSION) {
      throw new FeedException(
          "the position of the feed has version "
              + json.path("version").intValue()
              + ", but this program knows version "
              + VERSION
              + "; use the program that wrote it, or remove it to start anew");
    }
    FeedPosition position = new FeedPosition(json.path("feed").asText());
    position.cursor = json.path("cursor").asText();
    try {
      ByteBuffer hashes = ByteBuffer.wrap(Base64.getDecoder().decode(json.path("seen").asText()));
      if (hashes.remaining() % Long.BYTES != 0 || hashes.remaining() / Long.BYTES > REMEMBERED) {
        throw new IllegalArgumentException("length");
      }
      while (hashes.hasRemaining()) {
        position.seen.add(hashes.getLong());
      }
    } catch (IllegalArgumentException e) {
      throw new FeedException("the position of the feed is damaged; remove it to start anew", e);
    }
    return position;
  }
}
