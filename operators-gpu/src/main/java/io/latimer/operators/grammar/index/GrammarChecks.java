package io.latimer.operators.grammar.index;

import java.nio.ByteBuffer;
import java.util.Map;

/** Checks that the numbers in a grammar's sections are in range and in order. */
record GrammarChecks(GrammarSettings settings, Map<String, ByteBuffer> sections) {
  /**
   * Checks all sections but names and terminals.
   *
   * @throws GrammarIndexException naming the section and the number that is wrong
   */
  void check() {
    shortsBelow(GrammarSections.BINARY, settings.variables());
    shortsBelow(GrammarSections.UNARY, settings.variables());
    lexical();
    shortsBelow(GrammarSections.CLASS_OF, settings.classes());
    starts(GrammarSections.ANCESTOR_STARTS, settings.ancestors(), false);
    shortsBelow(GrammarSections.ANCESTORS, settings.classes());
    ancestors();
    rules(GrammarSections.BY_PARENT, 0, 1, 2);
    rules(GrammarSections.BY_LEFT, 1, 2, 0);
    rules(GrammarSections.BY_RIGHT, 2, 1, 0);
    starts(GrammarSections.SIDE_STARTS, settings.classRules(), true);
    sides();
    starts(GrammarSections.ENTRY_STARTS, settings.entries(), false);
    shortsBelow(GrammarSections.ENTRIES, settings.classes());
    ascending(GrammarSections.ENTRY_STARTS, GrammarSections.ENTRIES);
    if (sections.get(GrammarSections.ENTRY_STARTS).getInt(4) != 0) {
      throw wrong(GrammarSections.ENTRY_STARTS, 1);
    }
    if (settings.weighted()) {
      weights(GrammarSections.BINARY_WEIGHTS);
      weights(GrammarSections.UNARY_WEIGHTS);
      weights(GrammarSections.LEXICAL_WEIGHTS);
      starts(GrammarSections.PATH_STARTS, settings.paths(), false);
      shortsBelow(GrammarSections.PATH_PARENTS, settings.variables());
      ascending(GrammarSections.PATH_STARTS, GrammarSections.PATH_PARENTS);
      shortsBelow(GrammarSections.PATH_NEXT, settings.variables());
      weights(GrammarSections.PATH_WEIGHTS);
    }
  }

  private void shortsBelow(String name, int limit) {
    ByteBuffer section = sections.get(name);
    for (int i = 0; i < section.limit() / 2; i++) {
      if (number(section, i) >= limit) {
        throw wrong(name, i);
      }
    }
  }

  private void lexical() {
    ByteBuffer section = sections.get(GrammarSections.LEXICAL);
    for (int i = 0; i < 2 * settings.lexicalRules(); i++) {
      int value = section.getInt(4 * i);
      boolean isTerminal = i % 2 == 1;
      if (value < (isTerminal ? 1 : 0)
          || value >= (isTerminal ? settings.terminals() : settings.variables())) {
        throw wrong(GrammarSections.LEXICAL, i);
      }
    }
  }

  /** Checks that starts ascend, from 0 to the end. */
  private void starts(String name, int end, boolean strictly) {
    ByteBuffer section = sections.get(name);
    int size = section.limit() / 4;
    for (int i = 0; i < size; i++) {
      int start = section.getInt(4 * i);
      int least = i == 0 ? 0 : section.getInt(4 * i - 4) + (strictly ? 1 : 0);
      if (start < least
          || start > end
          || (i == 0 && start != 0)
          || (i == size - 1 && start != end)) {
        throw wrong(name, i);
      }
    }
  }

  private void ascending(String startsName, String name) {
    ByteBuffer starts = sections.get(startsName);
    ByteBuffer section = sections.get(name);
    for (int group = 0; group < starts.limit() / 4 - 1; group++) {
      for (int i = starts.getInt(4 * group) + 1; i < starts.getInt(4 * group + 4); i++) {
        if (number(section, i) <= number(section, i - 1)) {
          throw wrong(name, i);
        }
      }
    }
  }

  private void ancestors() {
    ascending(GrammarSections.ANCESTOR_STARTS, GrammarSections.ANCESTORS);
    ByteBuffer starts = sections.get(GrammarSections.ANCESTOR_STARTS);
    ByteBuffer section = sections.get(GrammarSections.ANCESTORS);
    for (int c = 0; c < settings.classes(); c++) {
      int first = starts.getInt(4 * c);
      if (first < starts.getInt(4 * c + 4) && number(section, first) <= c) {
        throw wrong(GrammarSections.ANCESTORS, first);
      }
    }
  }

  private void rules(String name, int first, int second, int third) {
    shortsBelow(name, settings.classes());
    ByteBuffer section = sections.get(name);
    long before = -1;
    for (int r = 0; r < settings.classRules(); r++) {
      long rule =
          (long) number(section, 3 * r + first) << 32
              | (long) number(section, 3 * r + second) << 16
              | number(section, 3 * r + third);
      if (rule <= before) {
        throw wrong(name, 3 * r);
      }
      before = rule;
    }
  }

  /** Checks that the rules of a right-hand side share it, and that the next side differs. */
  private void sides() {
    ByteBuffer starts = sections.get(GrammarSections.SIDE_STARTS);
    ByteBuffer rules = sections.get(GrammarSections.BY_LEFT);
    for (int s = 0; s < settings.sides(); s++) {
      for (int r = starts.getInt(4 * s); r < starts.getInt(4 * s + 4); r++) {
        boolean same =
            r > 0
                && number(rules, 3 * r + 1) == number(rules, 3 * r - 2)
                && number(rules, 3 * r + 2) == number(rules, 3 * r - 1);
        if (same == (r == starts.getInt(4 * s))) {
          throw wrong(GrammarSections.SIDE_STARTS, s);
        }
      }
    }
  }

  private void weights(String name) {
    ByteBuffer section = sections.get(name);
    for (int i = 0; i < section.limit() / 4; i++) {
      float weight = section.getFloat(4 * i);
      if (!(weight <= 0) || weight == Float.NEGATIVE_INFINITY) {
        throw wrong(name, i);
      }
    }
  }

  private static int number(ByteBuffer section, int i) {
    return section.getShort(2 * i) & 0xFFFF;
  }

  private static GrammarIndexException wrong(String name, int number) {
    return new GrammarIndexException("number " + number + " of section " + name + " is wrong");
  }
}
