package io.latimer.operators.smt;

import io.latimer.operators.OperatorException;
import io.latimer.operators.memory.LearnedMemory;
import io.latimer.operators.phrases.index.LearnedPairs;
import io.latimer.operators.phrases.index.PhraseIndex;
import io.latimer.operators.phrases.index.PhraseSections;
import io.latimer.operators.phrases.index.PhraseVocabulary;
import io.latimer.operators.phrases.index.TaughtPair;
import io.latimer.operators.text.SentenceFormat;
import io.latimer.operators.text.TextPipeline;
import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Normalization;
import io.latimer.operators.text.TextSettings.Recasing;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.text.TextSettings.Tokenizer;
import java.io.Serializable;
import java.util.List;

/**
 * How the parallel text of a phrase index was prepared, which its file does not say; the text of
 * the language model is prepared in the same way.
 *
 * @param sourceLanguage a BCP 47 tag; {@code "und"} if unknown
 * @param targetLanguage a BCP 47 tag; {@code "und"} if unknown
 * @param tokenizer the tokenizer; those of Moses include its normalization of punctuation
 * @param casing lower, after which sentences get a capital again, or keep
 */
public record PhraseText(
    String sourceLanguage, String targetLanguage, Tokenizer tokenizer, Casing casing)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Tokenized by Moses, in lower case. */
  public static final PhraseText DEFAULT =
      new PhraseText("und", "und", Tokenizer.MOSES, Casing.LOWER);

  /** What Moses' tokenizer writes for some characters, alone or with a joined English suffix. */
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

  /** A copy for other languages. */
  public PhraseText in(String source, String target) {
    return new PhraseText(source, target, tokenizer, casing);
  }

  /** Texts in its languages, learned from pairs; see {@link LearnedMemory.Learned}. */
  LearnedMemory.Learned learned(List<TaughtPair> texts, LearnedPairs pairs, int similarity) {
    return new LearnedMemory.Learned(
        texts, pairs.digest(), sourceLanguage, targetLanguage, similarity);
  }

  /** A pipeline between raw text and the words of an index, see {@link IndexWords}. */
  TextPipeline pipeline(PhraseIndex index) {
    return pipeline(index, sourceLanguage, index.source(), targetLanguage, index.target());
  }

  /** The pipeline of the other direction: it prepares texts of the target language. */
  TextPipeline reverse(PhraseIndex index) {
    return pipeline(index, targetLanguage, index.target(), sourceLanguage, index.source());
  }

  private TextPipeline pipeline(
      PhraseIndex index,
      String fromLanguage,
      PhraseVocabulary from,
      String toLanguage,
      PhraseVocabulary to) {
    return TextPipeline.of(
        settings(index, fromLanguage, toLanguage),
        new IndexWords(from),
        new IndexWords(to),
        NOTHING,
        NOTHING);
  }

  private TextSettings settings(PhraseIndex index, String from, String to) {
    boolean tokenized = tokenizer != Tokenizer.NONE;
    PhraseVocabulary words =
        index.base().source(); // learned pairs must not change how texts are read
    boolean escaped = ENTITIES.stream().anyMatch(entity -> words.id(entity) != PhraseSections.END);
    return new TextSettings(
        from,
        to,
        Normalization.NFC,
        tokenized,
        true,
        casing,
        casing == Casing.KEEP ? Recasing.KEEP : Recasing.SENTENCE_START,
        tokenizer,
        tokenized && escaped,
        Segmentation.NONE,
        true,
        TextSettings.PREPARED_SOURCE_TOKENS,
        SentenceFormat.PLAIN);
  }
}
