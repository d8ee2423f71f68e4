package io.latimer.pipelines.feed.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** Parses JSON of untrusted servers, with limited depth; callers limit its length. */
public final class Json {
  private static final int MAX_DEPTH = 64;

  public static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Json() {}

  /** Parses an object from UTF-8 bytes; null if they are not one. */
  public static JsonNode object(byte[] bytes) {
    try {
      JsonNode json = MAPPER.readTree(bytes);
      return json != null && json.isObject() ? json : null;
    } catch (IOException e) {
      return null;
    }
  }
}
