package io.latimer.pipelines.feed;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/**
 * JSON of untrusted servers: strict, and of limited depth. Its length is limited by its readers.
 */
final class Json {
  private static final int MAX_DEPTH = 64;

  static final JsonMapper MAPPER =
      JsonMapper.builder(
              com.fasterxml.jackson.core.JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .build();

  private Json() {}

  /** The object in bytes of UTF-8; null if there is none. */
  static JsonNode object(byte[] bytes) {
    try {
      JsonNode json = MAPPER.readTree(bytes);
      return json != null && json.isObject() ? json : null;
    } catch (IOException e) {
      return null;
    }
  }
}
