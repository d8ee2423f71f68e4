package io.latimer.operators.glossary.index;

/**
 * What a glossary's index contains.
 *
 * @param sourceLanguage BCP 47 tag
 * @param targetLanguage BCP 47 tag
 * @param terms terms
 * @param caseSensitiveTerms those among them where the source's case counts
 * @param sources source forms of all terms
 * @param targets target forms of all terms
 * @param fileBytes size of the file
 */
public record GlossaryReport(
    String sourceLanguage,
    String targetLanguage,
    int terms,
    int caseSensitiveTerms,
    int sources,
    int targets,
    long fileBytes) {

  static GlossaryReport of(GlossarySettings settings, long fileBytes) {
    return new GlossaryReport(
        settings.sourceLanguage(),
        settings.targetLanguage(),
        settings.terms(),
        settings.caseSensitiveTerms(),
        settings.sources(),
        settings.targets(),
        fileBytes);
  }
}
