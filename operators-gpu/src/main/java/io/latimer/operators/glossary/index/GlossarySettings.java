package io.latimer.operators.glossary.index;

import io.latimer.operators.index.SettingsJson;

/**
 * The section {@code settings} of a glossary's index, specified in {@code docs/formats.md}.
 *
 * @param sourceLanguage BCP 47 tag of the source forms
 * @param targetLanguage BCP 47 tag of the target forms
 * @param terms terms
 * @param caseSensitiveTerms those among them where the source's case counts
 * @param sources source forms of all terms
 * @param targets target forms of all terms
 * @param slots slots of the table
 * @param seed of the table's hashes
 */
record GlossarySettings(
    String sourceLanguage,
    String targetLanguage,
    int terms,
    int caseSensitiveTerms,
    int sources,
    int targets,
    int slots,
    int seed) {
  /** Maximum number of terms. */
  static final int MAX_TERMS = 1_000_000;

  /** Maximum number of all source words, and so of source forms; and of target forms. */
  static final int MAX_WORDS = 1 << 23;

  /** Maximum number of slots: two per source word. */
  static final int MAX_SLOTS = 2 * MAX_WORDS + 1;

  /** Seeds that are tried. */
  static final int SEEDS = 8;

  /** Maximum length of a language tag; the longest sensible ones have 35 characters. */
  static final int MAX_TAG = 64;

  /**
   * Parses settings; requires exactly the known keys, and every value in its range.
   *
   * @param origin names the file in messages
   */
  static GlossarySettings fromJson(String origin, byte[] json) {
    SettingsJson.Refusal refuse =
        (message, cause) -> new GlossaryIndexException(origin + ": " + message, cause);
    GlossarySettings settings = SettingsJson.read(json, GlossarySettings.class, refuse);
    settings.check(refuse);
    return settings;
  }

  private void check(SettingsJson.Refusal refuse) {
    refuse.requireRange("the length of sourceLanguage", sourceLanguage.length(), 1, MAX_TAG);
    refuse.requireRange("the length of targetLanguage", targetLanguage.length(), 1, MAX_TAG);
    refuse.requireRange("terms", terms, 0, MAX_TERMS);
    refuse.requireRange("caseSensitiveTerms", caseSensitiveTerms, 0, terms);
    refuse.requireRange("sources", sources, terms, MAX_WORDS);
    refuse.requireRange("targets", targets, 0, MAX_WORDS);
    refuse.requireRange("slots", slots, 1, MAX_SLOTS);
    refuse.requireRange("seed", seed, 0, SEEDS - 1);
  }
}
