package io.latimer.operators.grammar.index;

import java.util.LinkedHashMap;
import java.util.Map;

/** Names and lengths of the sections of a grammar's index, specified in {@code docs/formats.md}. */
public final class GrammarSections {
  /** The section version that this build writes, and the only one it reads. */
  public static final int VERSION = 1;

  static final String SETTINGS = "settings";
  static final String VARIABLES = "variables";
  static final String TERMINALS = "terminals";
  static final String TEXT = "/text";
  static final String OFFSETS = "/offsets";
  static final String TABLE = "/table";
  static final String BINARY = "grammar/binary";
  static final String UNARY = "grammar/unary";
  static final String LEXICAL = "grammar/lexical";
  static final String BINARY_WEIGHTS = "weights/binary";
  static final String UNARY_WEIGHTS = "weights/unary";
  static final String LEXICAL_WEIGHTS = "weights/lexical";
  static final String CLASS_OF = "classes/of";
  static final String ANCESTOR_STARTS = "classes/ancestor-starts";
  static final String ANCESTORS = "classes/ancestors";
  static final String BY_PARENT = "rules/by-parent";
  static final String BY_LEFT = "rules/by-left";
  static final String BY_RIGHT = "rules/by-right";
  static final String SIDE_STARTS = "rules/side-starts";
  static final String ENTRY_STARTS = "lexicon/starts";
  static final String ENTRIES = "lexicon/classes";
  static final String PATH_STARTS = "paths/starts";
  static final String PATH_PARENTS = "paths/parents";
  static final String PATH_NEXT = "paths/next";
  static final String PATH_WEIGHTS = "paths/weights";

  private GrammarSections() {}

  /** The sections whose length the settings give, in bytes. */
  static Map<String, Long> lengths(GrammarSettings settings) {
    Map<String, Long> lengths = new LinkedHashMap<>();
    lengths.put(VARIABLES + OFFSETS, 4L * settings.variables() + 4);
    lengths.put(TERMINALS + OFFSETS, 4L * settings.terminals() + 4);
    lengths.put(TERMINALS + TABLE, 8L * settings.slots());
    lengths.put(BINARY, 6L * settings.binaryRules());
    lengths.put(UNARY, 4L * settings.unaryRules());
    lengths.put(LEXICAL, 8L * settings.lexicalRules());
    lengths.put(CLASS_OF, 2L * settings.variables());
    lengths.put(ANCESTOR_STARTS, 4L * settings.classes() + 4);
    lengths.put(ANCESTORS, 2L * settings.ancestors());
    lengths.put(BY_PARENT, 6L * settings.classRules());
    lengths.put(BY_LEFT, 6L * settings.classRules());
    lengths.put(BY_RIGHT, 6L * settings.classRules());
    lengths.put(SIDE_STARTS, 4L * settings.sides() + 4);
    lengths.put(ENTRY_STARTS, 4L * settings.terminals() + 4);
    lengths.put(ENTRIES, 2L * settings.entries());
    if (settings.weighted()) {
      lengths.put(BINARY_WEIGHTS, 4L * settings.binaryRules());
      lengths.put(UNARY_WEIGHTS, 4L * settings.unaryRules());
      lengths.put(LEXICAL_WEIGHTS, 4L * settings.lexicalRules());
      lengths.put(PATH_STARTS, 4L * settings.variables() + 4);
      lengths.put(PATH_PARENTS, 2L * settings.paths());
      lengths.put(PATH_NEXT, 2L * settings.paths());
      lengths.put(PATH_WEIGHTS, 4L * settings.paths());
    }
    return lengths;
  }
}
