package io.latimer.operators.phrases.index;

/**
 * What an index contains.
 *
 * @param sentences sentence pairs
 * @param sourceWords source words of the text
 * @param targetWords target words of the text
 * @param sourceVocabulary distinct source words
 * @param targetVocabulary distinct target words
 * @param segments number of segments
 * @param skipped bad lines that were skipped
 * @param fileBytes size of the file
 */
public record PhraseIndexReport(
    long sentences,
    long sourceWords,
    long targetWords,
    int sourceVocabulary,
    int targetVocabulary,
    int segments,
    long skipped,
    long fileBytes) {

  static PhraseIndexReport of(PhraseSettings settings, long skipped, long fileBytes) {
    long sentences = 0;
    long sourceWords = 0;
    long targetWords = 0;
    for (PhraseSettings.Segment segment : settings.segments()) {
      sentences += segment.sentences();
      sourceWords += segment.sourceLength() - segment.sentences();
      targetWords += segment.targetLength() - segment.sentences();
    }
    return new PhraseIndexReport(
        sentences,
        sourceWords,
        targetWords,
        settings.sourceWords() - 1,
        settings.targetWords() - 1,
        settings.segments().size(),
        skipped,
        fileBytes);
  }
}
