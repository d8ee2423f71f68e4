package io.latimer.operators.nmt.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.latimer.operators.nmt.model.ModelFormatException;
import io.latimer.operators.util.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The settings in a JSON file of another program; keys that are null count as absent. */
public final class JsonSettings {
  private static final long MAX_BYTES = 1 << 20;

  private static final ObjectReader JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build()
          .reader();

  private final Path file;
  private final JsonNode root;

  private JsonSettings(Path file, JsonNode root) {
    this.file = file;
    this.root = root;
  }

  /**
   * Reads a file.
   *
   * @throws ModelFormatException if it cannot be read, has more than 1 MiB, or is not an object
   */
  public static JsonSettings read(Path file) {
    try {
      long size = Files.size(file);
      if (size > MAX_BYTES) {
        throw new ModelFormatException(
            file + ": expected at most " + MAX_BYTES + " bytes of settings, found " + size);
      }
      JsonNode root = JSON.readTree(Files.readString(file));
      if (!root.isObject()) {
        throw new ModelFormatException(file + ": expected a JSON object of settings");
      }
      return new JsonSettings(file, root);
    } catch (JsonProcessingException e) {
      throw new ModelFormatException(file + " is not JSON: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new ModelFormatException(file + " cannot be read: " + FileErrors.reason(e), e);
    }
  }

  /** Reads a file; empty if there is none. */
  public static Optional<JsonSettings> readIfThere(Path file) {
    return Files.exists(file) ? Optional.of(read(file)) : Optional.empty();
  }

  private Optional<JsonNode> value(String key) {
    return Optional.ofNullable(root.get(key)).filter(node -> !node.isNull());
  }

  /** Whether there is a value, of any type. */
  public boolean has(String key) {
    return value(key).isPresent();
  }

  /** Whether a value is true, where others are texts or numbers. */
  public boolean isTrue(String key) {
    return value(key).map(node -> node.isBoolean() && node.booleanValue()).orElse(false);
  }

  /** A whole number. */
  public Optional<Integer> integer(String key) {
    return value(key)
        .map(
            node -> {
              if (!node.isIntegralNumber() || !node.canConvertToInt()) {
                throw wrong(key, "a whole number", node);
              }
              return node.intValue();
            });
  }

  /**
   * A whole number that must be there.
   *
   * @param least the smallest that is allowed
   */
  public int integer(String key, int least) {
    int found = integer(key).orElseThrow(() -> missing(key, "a whole number"));
    if (found < least) {
      throw wrong(key, "a whole number from " + least, root.get(key));
    }
    return found;
  }

  /** A number. */
  public Optional<Double> number(String key) {
    return value(key)
        .map(
            node -> {
              if (!node.isNumber()) {
                throw wrong(key, "a number", node);
              }
              return node.doubleValue();
            });
  }

  /** True or false; false if absent. */
  public boolean flag(String key) {
    return flag(key, false);
  }

  /** True or false. */
  public boolean flag(String key, boolean ifAbsent) {
    return value(key)
        .map(
            node -> {
              if (!node.isBoolean()) {
                throw wrong(key, "true or false", node);
              }
              return node.booleanValue();
            })
        .orElse(ifAbsent);
  }

  /** A text. */
  public Optional<String> string(String key) {
    return value(key)
        .map(
            node -> {
              if (!node.isTextual()) {
                throw wrong(key, "a text", node);
              }
              return node.textValue();
            });
  }

  /** The only number of each inner list of a list of lists; lists of several are left out. */
  public List<Integer> singles(String key) {
    List<Integer> singles = new ArrayList<>();
    value(key)
        .ifPresent(
            lists -> {
              for (JsonNode list : lists) {
                if (list.size() == 1 && list.get(0).canConvertToInt()) {
                  singles.add(list.get(0).intValue());
                }
              }
            });
    return singles;
  }

  /** The texts of an object's members that are texts, in order. */
  public List<JsonMember> members(String key) {
    List<JsonMember> members = new ArrayList<>();
    value(key)
        .ifPresent(
            object ->
                object
                    .properties()
                    .forEach(
                        entry -> {
                          if (!entry.getValue().isTextual()) {
                            throw wrong(key, "texts", entry.getValue());
                          }
                          members.add(new JsonMember(entry.getKey(), entry.getValue().textValue()));
                        }));
    return members;
  }

  /** The texts of a list, whose entries are texts or objects with a text {@code content}. */
  public List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    value(key).ifPresent(list -> list.forEach(entry -> texts.add(content(key, entry))));
    return texts;
  }

  /** The texts {@code content} of an object's members, which are objects, in order. */
  public List<JsonMember> contents(String key) {
    List<JsonMember> members = new ArrayList<>();
    value(key)
        .ifPresent(
            object ->
                object
                    .properties()
                    .forEach(
                        entry ->
                            members.add(
                                new JsonMember(entry.getKey(), content(key, entry.getValue())))));
    return members;
  }

  private String content(String key, JsonNode entry) {
    JsonNode text = entry.isObject() ? entry.path("content") : entry;
    if (!text.isTextual()) {
      throw wrong(key, "texts, or objects with a text \"content\"", entry);
    }
    return text.textValue();
  }

  /** A member of an object whose value is a text. */
  public record JsonMember(String name, String value) {}

  /** The error for a setting that no network here has. */
  public ModelFormatException refuse(String what) {
    return new ModelFormatException(file + ": " + what + " can be read");
  }

  /** Makes a network's settings from these, and names the file in errors. */
  public <T> T within(Supplier<T> made) {
    return ModelFormatException.within(file.toString(), made);
  }

  private ModelFormatException missing(String key, String expected) {
    return new ModelFormatException(file + ": " + key + " is missing, expected " + expected);
  }

  private ModelFormatException wrong(String key, String expected, JsonNode found) {
    String text = found.toString();
    return new ModelFormatException(
        file
            + ": "
            + key
            + ": expected "
            + expected
            + ", found "
            + (text.length() > 80 ? text.substring(0, 80) + "..." : text));
  }
}
