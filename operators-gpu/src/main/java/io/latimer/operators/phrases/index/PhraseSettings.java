package io.latimer.operators.phrases.index;

import io.latimer.operators.index.SettingsJson;
import java.util.List;

/**
 * The section {@code settings} of a phrase index, specified in {@code docs/formats.md}.
 *
 * @param sourceWords ids of the source vocabulary, the end of a sentence included; 1 or more
 * @param targetWords ids of the target vocabulary
 * @param sourceSlots slots of the source vocabulary's table
 * @param targetSlots slots of the target vocabulary's table
 * @param lexiconSlots slots of the lexicon's table
 * @param segments the parts of the text that are searched on their own, 1 to 64
 */
record PhraseSettings(
    int sourceWords,
    int targetWords,
    int sourceSlots,
    int targetSlots,
    int lexiconSlots,
    List<Segment> segments) {
  /** Maximum number of segments. */
  static final int MAX_SEGMENTS = 64;

  /**
   * A part of the text.
   *
   * @param sentences sentence pairs
   * @param sourceLength source words and sentence ends
   * @param targetLength target words and sentence ends
   * @param sourceWords ids of the source vocabulary when the segment was made: higher ids do not
   *     occur in it
   * @param wide whether places in sentences take two bytes instead of one
   */
  record Segment(
      int sentences, int sourceLength, int targetLength, int sourceWords, boolean wide) {}

  PhraseSettings {
    segments = List.copyOf(segments);
  }

  /**
   * Parses settings; requires exactly the known keys, and every number in its range.
   *
   * @param origin names the file in messages
   */
  static PhraseSettings fromJson(String origin, byte[] json) {
    SettingsJson.Refusal refuse =
        (message, cause) -> new PhraseIndexException(origin + ": " + message, cause);
    PhraseSettings settings = SettingsJson.read(json, PhraseSettings.class, refuse);
    refuse.requireRange("sourceWords", settings.sourceWords, 1, Integer.MAX_VALUE);
    refuse.requireRange("targetWords", settings.targetWords, 1, Integer.MAX_VALUE);
    refuse.requireRange("sourceSlots", settings.sourceSlots, 1, Integer.MAX_VALUE);
    refuse.requireRange("targetSlots", settings.targetSlots, 1, Integer.MAX_VALUE);
    refuse.requireRange("lexiconSlots", settings.lexiconSlots, 1, Integer.MAX_VALUE);
    refuse.requireRange("the number of segments", settings.segments.size(), 1, MAX_SEGMENTS);
    for (Segment segment : settings.segments) {
      refuse.requireRange("sentences", segment.sentences, 0, Integer.MAX_VALUE);
      refuse.requireRange(
          "sourceLength", segment.sourceLength, segment.sentences, Integer.MAX_VALUE - 1);
      refuse.requireRange(
          "targetLength", segment.targetLength, segment.sentences, Integer.MAX_VALUE - 1);
      refuse.requireRange("sourceWords of a segment", segment.sourceWords, 1, settings.sourceWords);
    }
    return settings;
  }
}
