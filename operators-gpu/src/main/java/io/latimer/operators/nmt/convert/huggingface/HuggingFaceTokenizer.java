package io.latimer.operators.nmt.convert.huggingface;

import io.latimer.operators.text.SentenceFormat;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.Vocabulary;

/**
 * How a folder's model reads and writes text.
 *
 * @param vocabulary the model's own ids
 * @param source bytes of the SentencePiece model of source texts
 * @param target the same of translations
 * @param format what the network reads beside a sentence's tokens
 * @param sourceLanguage of texts that do not name theirs, a BCP 47 tag; {@code und} if unknown
 * @param targetLanguage the same of translations
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HuggingFaceTokenizer(
    Vocabulary vocabulary,
    byte[] source,
    byte[] target,
    SentenceFormat format,
    String sourceLanguage,
    String targetLanguage) {

  /** How text is prepared for the model. */
  TextSettings text() {
    return TextSettings.raw(sourceLanguage, targetLanguage).withFormat(format);
  }
}
