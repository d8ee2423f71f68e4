package io.latimer.operators.phrases.index;

import java.util.LinkedHashMap;
import java.util.Map;

/** Names and encodings of a phrase index's sections, specified in {@code docs/formats.md}. */
public final class PhraseSections {
  /** The version of files without texts of learned pairs. */
  public static final int UNTAUGHT = 1;

  /** The newest version, of files with them. */
  public static final int VERSION = 2;

  /** The id that ends every sentence, and of every word that the text does not have. */
  public static final int END = 0;

  /** Words of the longest sentence whose places fit into a byte, on either side. */
  public static final int NARROW_WORDS = 255;

  static final String SETTINGS = "settings";
  static final String SOURCE_VOCABULARY = "vocab/source";
  static final String TARGET_VOCABULARY = "vocab/target";
  static final String TEXT = "/text";
  static final String OFFSETS = "/offsets";
  static final String TABLE = "/table";
  static final String LEXICON_TABLE = "lexicon/table";
  static final String LEXICON_SOURCE = "lexicon/source";
  static final String LEXICON_TARGET = "lexicon/target";
  static final String TAUGHT = "taught";

  private PhraseSections() {}

  /** A section of a segment. */
  static String segment(int number, String part) {
    return "segment/" + number + "/" + part;
  }

  /** The sections whose length the settings give, in bytes. */
  static Map<String, Long> lengths(PhraseSettings settings) {
    Map<String, Long> lengths = new LinkedHashMap<>();
    lengths.put(SOURCE_VOCABULARY + OFFSETS, 4L * settings.sourceWords() + 4);
    lengths.put(SOURCE_VOCABULARY + TABLE, 8L * settings.sourceSlots());
    lengths.put(TARGET_VOCABULARY + OFFSETS, 4L * settings.targetWords() + 4);
    lengths.put(TARGET_VOCABULARY + TABLE, 8L * settings.targetSlots());
    lengths.put(LEXICON_TABLE, (long) Lexicon.SLOT_BYTES * settings.lexiconSlots());
    lengths.put(LEXICON_SOURCE, 4L * settings.sourceWords());
    lengths.put(LEXICON_TARGET, 4L * settings.targetWords());
    for (int i = 0; i < settings.segments().size(); i++) {
      for (String part : Segment.PARTS) {
        lengths.put(segment(i, part), Segment.bytes(part, settings.segments().get(i)));
      }
    }
    return lengths;
  }
}
