package io.latimer.pipelines.feed;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** JSON of untrusted servers, of limited depth; its length is limited by its readers. */
final class Json {
  private static final int MAX_DEPTH = 64;

  static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
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
