package io.latimer.operators.nmt.model;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The section {@code settings} of a model file: what the network is and how each of its tensors is
 * stored. {@code docs/formats.md} is the specification.
 *
 * @param architecture {@value #RECURRENT} or {@value #TRANSFORMER}, as the network is
 * @param network shape and kind
 * @param tensors by name, in the order of their sections
 */
public record ModelSettings(
    String architecture, NetworkSettings network, Map<String, Stored> tensors) {
  static final String RECURRENT = "recurrent";
  static final String TRANSFORMER = "transformer";

  /** What must be known before the rest can be read. */
  private record Kind(String architecture) {}

  private record Recurrent(String architecture, RnnSettings network, Map<String, Stored> tensors) {}

  private record Transformer(
      String architecture, TransformerSettings network, Map<String, Stored> tensors) {}

  /** How numbers are stored. */
  public enum NumberType {
    @JsonProperty("float16")
    FLOAT16(2),
    @JsonProperty("float32")
    FLOAT32(4);

    private final int width;

    NumberType(int width) {
      this.width = width;
    }

    /** Bytes of a number. */
    public int width() {
      return width;
    }
  }

  /** One tensor in its section. */
  public record Stored(NumberType type, int rows, int cols) {
    long bytes() {
      return (long) rows * cols * type.width();
    }
  }

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private static final ObjectReader ANY =
      JSON.reader().without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  public static ModelSettings of(NetworkSettings network, Map<String, Stored> tensors) {
    return new ModelSettings(
        network instanceof RnnSettings ? RECURRENT : TRANSFORMER, network, tensors);
  }

  public byte[] toJson() {
    try {
      return JSON.writeValueAsBytes(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("model settings cannot be written as JSON", e);
    }
  }

  /**
   * Parses; every key must be there and no other.
   *
   * @param origin names the file in messages
   */
  static ModelSettings fromJson(String origin, byte[] json) {
    try {
      String architecture = ANY.readValue(json, Kind.class).architecture;
      switch (architecture) {
        case RECURRENT -> {
          Recurrent r = JSON.readValue(json, Recurrent.class);
          return new ModelSettings(architecture, r.network, r.tensors);
        }
        case TRANSFORMER -> {
          Transformer t = JSON.readValue(json, Transformer.class);
          return new ModelSettings(architecture, t.network, t.tensors);
        }
        default ->
            throw new ModelFormatException(
                origin
                    + ": expected architecture \"recurrent\" or \"transformer\", found \""
                    + architecture
                    + "\"");
      }
    } catch (JsonProcessingException e) {
      throw new ModelFormatException(
          origin + ": the model's settings are wrong" + at(e) + ": " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new ModelFormatException(origin + ": the model's settings cannot be read: " + e, e);
    }
  }

  /** Says which key is wrong, if the parser got as far as that. */
  private static String at(JsonProcessingException e) {
    if (e instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
      return mapping.getPath().stream()
          .map(JsonMappingException.Reference::getFieldName)
          .filter(Objects::nonNull)
          .collect(Collectors.joining(".", " at ", ""));
    }
    return "";
  }
}
