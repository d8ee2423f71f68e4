package io.latimer.operators.text;

/** Copies of text settings with other values. */
final class SettingsCopies {
  private SettingsCopies() {}

  /** A copy with another limit for a sentence. */
  static TextSettings limited(TextSettings s, int limit) {
    return copy(s, s.splitSentences(), s.protect(), limit);
  }

  /** A copy that splits no sentences. */
  static TextSettings unsplit(TextSettings s) {
    return copy(s, false, s.protect(), s.maxSourceTokens());
  }

  /** A copy that protects nothing. */
  static TextSettings unprotected(TextSettings s) {
    return copy(s, s.splitSentences(), false, s.maxSourceTokens());
  }

  private static TextSettings copy(TextSettings s, boolean split, boolean protect, int limit) {
    return new TextSettings(
        s.sourceLanguage(),
        s.targetLanguage(),
        s.normalization(),
        s.normalizePunctuation(),
        split,
        s.casing(),
        s.recasing(),
        s.tokenizer(),
        s.escapeEntities(),
        s.segmentation(),
        protect,
        limit,
        s.format());
  }
}
