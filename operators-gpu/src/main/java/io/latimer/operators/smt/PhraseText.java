package io.latimer.operators.smt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseSections;
import io.latimer.operators.phrases.index.Vocabulary;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Normalization;
import io.latimer.operators.text.TextSettings.Recasing;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.text.TextSettings.Tokenizer;
import java.util.List;

/**
 * How the parallel text of a phrase index was prepared, which its file does not say; the text of
 * the language model is prepared in the same way.
 *
 * @param sourceLanguage a BCP 47 tag; {@code "und"} if unknown
 * @param targetLanguage a BCP 47 tag; {@code "und"} if unknown
 * @param tokenizer the tokenizer; one of Moses' comes with its normalization of punctuation
 * @param casing lower, after which sentences get a capital again, or keep
 */
public record PhraseText(
    String sourceLanguage, String targetLanguage, Tokenizer tokenizer, Casing casing) {

  /** Tokenized by Moses, in lower case. */
  public static final PhraseText DEFAULT =
      new PhraseText("und", "und", Tokenizer.MOSES, Casing.LOWER);

  /** What Moses' tokenizer writes for some characters, alone or with what English joins to it. */
  private static final List<String> ENTITIES =
      List.of("&apos;", "&apos;s", "&quot;", "&amp;", "&lt;", "&gt;", "&#124;", "&#91;", "&#93;");

  private static final byte[] NOTHING = new byte[0];

  /**
   * Checks the casing.
   *
   * @throws OperatorException if it is another one
   */
  public PhraseText {
    if (casing == Casing.TRUECASE) {
      throw new OperatorException("the casing of a phrase index must be keep or lower");
    }
  }

  /** A pipeline between raw text and the words of an index, see {@link IndexWords}. */
  TextPipeline pipeline(PhraseIndex index) {
    return TextPipeline.of(
        settings(index),
        new IndexWords(index.source()),
        new IndexWords(index.target()),
        NOTHING,
        NOTHING);
  }

  private TextSettings settings(PhraseIndex index) {
    boolean tokenized = tokenizer != Tokenizer.NONE;
    Vocabulary words = index.base().source(); // learned pairs must not change how texts are read
    boolean escaped = ENTITIES.stream().anyMatch(entity -> words.id(entity) != PhraseSections.END);
    return new TextSettings(
        sourceLanguage,
        targetLanguage,
        Normalization.NFC,
        tokenized,
        true,
        casing,
        casing == Casing.KEEP ? Recasing.KEEP : Recasing.SENTENCE_START,
        tokenizer,
        tokenized && escaped,
        Segmentation.NONE,
        true,
        TextSettings.PREPARED_SOURCE_TOKENS);
  }
}
