package io.latimer.operators.glossary.index;

import io.latimer.operators.index.IndexFormatException;
import io.latimer.operators.text.terms.TargetRule;
import io.latimer.operators.text.terms.Term;
import java.nio.ByteBuffer;
import java.util.Map;

/** Checks every number in the sections of a glossary, so that no search leaves them. */
final class GlossaryChecks {
  private final GlossarySettings settings;
  private final Map<String, ByteBuffer> sections;

  GlossaryChecks(GlossarySettings settings, Map<String, ByteBuffer> sections) {
    this.settings = settings;
    this.sections = sections;
  }

  /**
   * Checks all sections.
   *
   * @throws IndexFormatException naming the section and the number
   */
  void check() {
    // no UTF-16 character takes more than three bytes
    int longest = 3 * Term.MAX_CHARS;
    int sourceEnd = sections.get(GlossarySections.SOURCE_TEXT).limit();
    int targetEnd = sections.get(GlossarySections.TARGET_TEXT).limit();
    ascending(GlossarySections.SOURCE_OFFSETS, settings.sources(), sourceEnd, 1, longest);
    ascending(GlossarySections.TARGET_OFFSETS, settings.targets(), targetEnd, 1, longest);
    int most = Term.MAX_FORMS;
    ascending(GlossarySections.TERM_SOURCES, settings.terms(), settings.sources(), 1, most);
    ascending(GlossarySections.TERM_TARGETS, settings.terms(), settings.targets(), 0, most);
    checkRules();
    checkTable();
  }

  /** Checks starts, the first of which is 0 and the last of which is the end. */
  private void ascending(String section, int size, int end, int least, int most) {
    ByteBuffer starts = sections.get(section);
    int before = starts.getInt(0);
    for (int i = 1; i <= size && before >= 0; i++) {
      int next = starts.getInt(4 * i);
      long length = (long) next - before;
      if (length < least || length > most) {
        throw new GlossaryIndexException(
            section
                + " number "
                + i
                + ": expected "
                + least
                + " to "
                + most
                + " more than "
                + before
                + ", found "
                + Integer.toUnsignedString(next));
      }
      before = next;
    }
    if (starts.getInt(0) != 0 || before != end) {
      throw new GlossaryIndexException(
          section
              + " must begin with 0 and end with "
              + end
              + ", found "
              + Integer.toUnsignedString(starts.getInt(0))
              + " and "
              + Integer.toUnsignedString(before));
    }
  }

  private void checkRules() {
    ByteBuffer rules = sections.get(GlossarySections.TERM_RULES);
    ByteBuffer targets = sections.get(GlossarySections.TERM_TARGETS);
    int sensitive = 0;
    for (int term = 0; term < settings.terms(); term++) {
      byte bits = rules.get(term);
      TargetRule rule = GlossarySections.rule(bits);
      int forms = targets.getInt(4 * term + 4) - targets.getInt(4 * term);
      boolean sound =
          rule != null
              && switch (rule) {
                case AS_GIVEN -> forms == 1;
                case ANY_FORM -> forms >= 1;
                case KEEP -> forms == 0;
              };
      if (!sound) {
        throw new GlossaryIndexException(
            "term " + term + " has the rule " + bits + " and " + forms + " target forms");
      }
      sensitive += (bits & GlossarySections.CASE_SENSITIVE) != 0 ? 1 : 0;
    }
    if (sensitive != settings.caseSensitiveTerms()) {
      throw new GlossaryIndexException(
          "expected "
              + settings.caseSensitiveTerms()
              + " case-sensitive terms, found "
              + sensitive);
    }
  }

  private void checkTable() {
    ByteBuffer table = sections.get(GlossarySections.TABLE);
    int end = settings.sources() + GlossarySections.FIRST_SOURCE;
    for (int slot = 0; slot < settings.slots(); slot++) {
      int entry = table.getInt(GlossarySections.SLOT_BYTES * slot + GlossarySections.ENTRY_AT);
      if (entry < 0 || entry >= end) {
        throw new GlossaryIndexException(
            "slot "
                + slot
                + " of the table: expected an entry below "
                + end
                + ", found "
                + Integer.toUnsignedString(entry));
      }
    }
  }
}
