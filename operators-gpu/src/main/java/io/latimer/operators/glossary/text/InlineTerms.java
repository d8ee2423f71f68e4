package io.latimer.operators.glossary.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.latimer.operators.RecordException;
import io.latimer.operators.text.terms.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads the terms that a record or a request brings with it: a line {@code source=target} for each,
 * or a JSON object such as {@code {"front desk": "Rezeption", "lift": ["Aufzug", "Lift"]}}. In
 * both, {@code |} separates forms, and the target {@code -} is that of a term that is not
 * translated.
 */
public final class InlineTerms {
  /** Maximum number of terms. */
  public static final int MAX_TERMS = 1_000;

  /** Maximum length of the text in UTF-16 characters. */
  public static final int MAX_CHARS = 1 << 16;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private InlineTerms() {}

  /**
   * Reads terms.
   *
   * @param text may be blank, for none
   * @throws RecordException saying which term is wrong and why
   */
  public static List<Term> parse(String text) {
    if (text.length() > MAX_CHARS) {
      throw new RecordException(
          "the glossary has " + text.length() + " characters; a record's may have " + MAX_CHARS);
    }
    List<Term> terms = text.stripLeading().startsWith("{") ? json(text) : lines(text);
    if (terms.size() > MAX_TERMS) {
      throw new RecordException(
          "the glossary has " + terms.size() + " terms; a record's may have " + MAX_TERMS);
    }
    return terms;
  }

  private static List<Term> lines(String text) {
    List<Term> terms = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank()) {
        continue;
      }
      int equals = line.indexOf('=');
      String where = "line " + number + " of the glossary";
      if (equals < 0) {
        throw new RecordException(where + " has no =; write source=target");
      }
      terms.add(term(where, line.substring(0, equals), line.substring(equals + 1)));
    }
    return terms;
  }

  private static List<Term> json(String text) {
    JsonNode root;
    try {
      root = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new RecordException("the glossary is not JSON: " + e.getOriginalMessage(), e);
    }
    List<Term> terms = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : root.properties()) {
      String where = "\"" + field.getKey() + "\" of the glossary";
      terms.add(term(where, field.getKey(), target(where, field.getValue())));
    }
    return terms;
  }

  /** The target as lines have it. */
  private static String target(String where, JsonNode value) {
    if (value.isTextual()) {
      return value.textValue();
    }
    List<String> forms = new ArrayList<>();
    for (JsonNode form : value) {
      if (form.isTextual()) {
        forms.add(form.textValue());
      }
    }
    if (!value.isArray() || forms.isEmpty() || forms.size() < value.size()) {
      throw new RecordException(where + " must be a text or a list of texts");
    }
    return String.join("|", forms);
  }

  private static Term term(String where, String source, String target) {
    try {
      return TermCells.term(source, target);
    } catch (RecordException e) {
      throw new RecordException(where + ": " + e.getMessage(), e);
    }
  }
}
