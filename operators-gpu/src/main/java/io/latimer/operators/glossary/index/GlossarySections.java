package io.latimer.operators.glossary.index;

import io.latimer.operators.text.terms.TargetRule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Names and lengths of the sections of a glossary's index, specified in {@code docs/formats.md}.
 */
final class GlossarySections {
  /** The section version that this build writes, and the only one it reads. */
  static final int VERSION = 1;

  static final String SETTINGS = "settings";
  static final String SOURCE_TEXT = "sources/text";
  static final String SOURCE_OFFSETS = "sources/offsets";
  static final String TARGET_TEXT = "targets/text";
  static final String TARGET_OFFSETS = "targets/offsets";
  static final String TERM_SOURCES = "terms/sources";
  static final String TERM_TARGETS = "terms/targets";
  static final String TERM_RULES = "terms/rules";
  static final String TABLE = "table";

  /** The sections whose length the settings do not give. */
  static final List<String> TEXTS = List.of(SOURCE_TEXT, TARGET_TEXT);

  /** Maximum length of a text section in bytes. */
  static final int MAX_TEXT = 1 << 28;

  /** A slot of the table: {u64 hash, u32 entry}. */
  static final int SLOT_BYTES = 12;

  static final int ENTRY_AT = 8;

  /** The entry of a free slot. */
  static final int FREE = 0;

  /** The entry of words that only begin a term; that of source form n is n + 2. */
  static final int BEGINNING = 1;

  static final int FIRST_SOURCE = 2;

  /** Maximum number of slots that a search looks at. */
  static final int MAX_PROBES = 256;

  /** The bit of a term's rule byte for case; those below are the number of the rule. */
  static final int CASE_SENSITIVE = 4;

  private static final TargetRule[] RULES = {
    TargetRule.AS_GIVEN, TargetRule.ANY_FORM, TargetRule.KEEP
  };

  private GlossarySections() {}

  /** The rule of a term's rule byte; null if it has none. */
  static TargetRule rule(byte bits) {
    int number = bits & ~CASE_SENSITIVE;
    return number >= 0 && number < RULES.length ? RULES[number] : null;
  }

  /** The rule byte of a term. */
  static byte bits(TargetRule rule, boolean caseSensitive) {
    return (byte) (List.of(RULES).indexOf(rule) | (caseSensitive ? CASE_SENSITIVE : 0));
  }

  /** The sections whose length the settings give, in bytes. */
  static Map<String, Long> lengths(GlossarySettings settings) {
    Map<String, Long> lengths = new LinkedHashMap<>();
    lengths.put(SOURCE_OFFSETS, 4L * settings.sources() + 4);
    lengths.put(TARGET_OFFSETS, 4L * settings.targets() + 4);
    lengths.put(TERM_SOURCES, 4L * settings.terms() + 4);
    lengths.put(TERM_TARGETS, 4L * settings.terms() + 4);
    lengths.put(TERM_RULES, (long) settings.terms());
    lengths.put(TABLE, (long) SLOT_BYTES * settings.slots());
    return lengths;
  }
}
