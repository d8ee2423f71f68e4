package io.latimer.operators.glossary.index;

import io.latimer.operators.RecordException;
import io.latimer.operators.text.terms.Term;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The terms in the sections of a glossary, by their numbers. Immutable and thread-safe. */
final class TermList {
  private final ByteBuffer sourceText;
  private final ByteBuffer sourceOffsets;
  private final ByteBuffer targetText;
  private final ByteBuffer targetOffsets;
  private final ByteBuffer sources;
  private final ByteBuffer targets;
  private final ByteBuffer rules;

  /** The terms of sections that were checked, or built. */
  TermList(Map<String, ByteBuffer> sections) {
    this.sourceText = sections.get(GlossarySections.SOURCE_TEXT);
    this.sourceOffsets = sections.get(GlossarySections.SOURCE_OFFSETS);
    this.targetText = sections.get(GlossarySections.TARGET_TEXT);
    this.targetOffsets = sections.get(GlossarySections.TARGET_OFFSETS);
    this.sources = sections.get(GlossarySections.TERM_SOURCES);
    this.targets = sections.get(GlossarySections.TERM_TARGETS);
    this.rules = sections.get(GlossarySections.TERM_RULES);
  }

  /** The number of terms. */
  int size() {
    return rules.limit();
  }

  /** The number of source forms of all terms. */
  int sources() {
    return sources.getInt(4 * size());
  }

  /** A source form by its number. */
  String source(int number) {
    return text(sourceText, sourceOffsets, number);
  }

  /** The term of a source form. */
  int termOf(int source) {
    int low = 0;
    int high = size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (sources.getInt(4 * middle) <= source) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Whether the case of a term's source forms counts. */
  boolean isSensitive(int term) {
    return (rules.get(term) & GlossarySections.CASE_SENSITIVE) != 0;
  }

  /**
   * A term.
   *
   * @throws GlossaryIndexException if its forms are not sound
   */
  Term term(int number) {
    try {
      return new Term(
          forms(sourceText, sourceOffsets, sources, number),
          forms(targetText, targetOffsets, targets, number),
          isSensitive(number),
          GlossarySections.rule(rules.get(number)));
    } catch (RecordException e) {
      throw new GlossaryIndexException("term " + number + " is not sound: " + e.getMessage(), e);
    }
  }

  private static List<String> forms(
      ByteBuffer text, ByteBuffer offsets, ByteBuffer starts, int term) {
    List<String> forms = new ArrayList<>();
    for (int n = starts.getInt(4 * term); n < starts.getInt(4 * term + 4); n++) {
      forms.add(text(text, offsets, n));
    }
    return forms;
  }

  /** A form; what is not UTF-8 becomes U+FFFD. */
  private static String text(ByteBuffer text, ByteBuffer offsets, int number) {
    int start = offsets.getInt(4 * number);
    byte[] bytes = new byte[offsets.getInt(4 * number + 4) - start];
    text.get(start, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
