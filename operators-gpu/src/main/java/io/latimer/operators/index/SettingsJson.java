package io.latimer.operators.index;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * The settings that index files hold as JSON, read strictly: every key of a record must be there
 * once and no other, with a value of exactly its type. Nothing is guessed, rounded or left out.
 */
public final class SettingsJson {
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
          .defaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.FAIL, Nulls.FAIL)) // in maps, too
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private static final ObjectReader PART =
      JSON.reader().without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private SettingsJson() {}

  /**
   * Makes an exception of a message that says which key is wrong and why, such as "settings are
   * wrong at network.heads: ...", and of its cause, which may be null.
   */
  @FunctionalInterface
  public interface Refusal extends BiFunction<String, Exception, OperatorException> {

    /** Refuses a number outside its range. */
    default void requireRange(String key, long found, long least, long most) {
      if (found < least || found > most) {
        String expected = least == most ? "" + least : least + " to " + most;
        throw apply(
            "settings are wrong at " + key + ": expected " + expected + ", found " + found, null);
      }
    }
  }

  /** Writes a record of settings: UTF-8, indented, its keys in the order of its components. */
  public static byte[] write(Record settings) {
    try {
      return JSON.writeValueAsBytes(settings);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(settings.getClass() + " cannot be written as JSON", e);
    }
  }

  /**
   * Writes a record of settings without one of its keys, as a version did that had no such key yet.
   *
   * @param parent the object that has it, as a JSON pointer
   */
  public static byte[] writeOlder(Record settings, String parent, String key) {
    JsonNode root = JSON.valueToTree(settings);
    if (root.at(parent) instanceof ObjectNode object) {
      object.remove(key);
    }
    try {
      return JSON.writeValueAsBytes(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(settings.getClass() + " cannot be written as JSON", e);
    }
  }

  /** Reads a record of settings. */
  public static <T extends Record> T read(byte[] json, Class<T> type, Refusal refuse) {
    return read(() -> JSON.readValue(json, type), refuse);
  }

  /** Reads a record of settings that has parameters of its type. */
  public static <T extends Record> T read(byte[] json, TypeReference<T> type, Refusal refuse) {
    return read(() -> JSON.readValue(json, type), refuse);
  }

  /**
   * Reads a record of settings from a file whose version did not have one of its keys yet.
   *
   * @param parent the object that lacks it, as a JSON pointer: empty for the record itself
   * @param key what it lacks
   * @param value what all files of that version mean
   */
  public static <T extends Record> T readOlder(
      byte[] json, Class<T> type, String parent, String key, Object value, Refusal refuse) {
    JsonNode root = read(() -> JSON.readValue(json, JsonNode.class), refuse);
    if (root.at(parent) instanceof ObjectNode object) {
      if (object.has(key)) {
        throw refuse.apply(
            "settings are wrong at "
                + (parent + "/" + key).substring(1).replace('/', '.')
                + ": files of this version have no such key",
            null);
      }
      object.set(key, JSON.valueToTree(value));
    }
    return read(() -> JSON.readValue(root.toString(), type), refuse);
  }

  /** The same for a record with some of the keys; the others are ignored. */
  public static <T extends Record> T readPart(byte[] json, Class<T> type, Refusal refuse) {
    return read(() -> PART.readValue(json, type), refuse);
  }

  /** Parses JSON. */
  @FunctionalInterface
  private interface Parse<T> {
    T read() throws IOException;
  }

  private static <T> T read(Parse<T> parse, Refusal refuse) {
    T settings;
    try {
      settings = parse.read();
    } catch (JsonProcessingException e) {
      throw refuse.apply("settings are wrong" + at(e) + ": " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw refuse.apply("settings cannot be read: " + e, e);
    }
    if (settings == null) {
      throw refuse.apply("settings are wrong: expected an object, found null", null);
    }
    return settings;
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
