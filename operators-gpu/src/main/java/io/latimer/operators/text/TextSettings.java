package io.latimer.operators.text;

import io.latimer.operators.OperatorException;
import io.latimer.operators.index.SettingsJson;
import java.util.Objects;

/**
 * How a model's training text was prepared, and so how records must be prepared; stored in the
 * model file as JSON.
 *
 * @param sourceLanguage of the input, a BCP 47 tag; {@code "und"} if unknown
 * @param targetLanguage of the output, a BCP 47 tag; {@code "und"} if unknown
 * @param normalization Unicode normalization, the first step
 * @param normalizePunctuation whether to replace typographic quotes, dashes and spaces with plain
 *     ones, as Moses does
 * @param splitSentences whether a record may contain several sentences, to be translated
 *     separately. Line breaks always separate sentences
 * @param casing the case that the model was trained on
 * @param recasing the case of the output
 * @param tokenizer the tokenizer before segmentation
 * @param escapeEntities whether the model uses {@code & | < > ' " [ ]} as Moses' entities; only
 *     with the Moses tokenizer
 * @param segmentation how words are segmented into tokens of the vocabulary
 * @param protect whether addresses (URLs, e-mail), words of more than 100 letters (keys, checksums)
 *     and symbols that are not in the vocabulary (emoji) are hidden from the model and restored in
 *     the output
 * @param maxSourceTokens length above which a sentence is translated in parts; from {@value
 *     #MIN_SOURCE_TOKENS} to {@value #MAX_SOURCE_TOKENS}, without the tokens that the format adds
 * @param format what a network reads beside the tokens of a sentence
 */
public record TextSettings(
    String sourceLanguage,
    String targetLanguage,
    Normalization normalization,
    boolean normalizePunctuation,
    boolean splitSentences,
    Casing casing,
    Recasing recasing,
    Tokenizer tokenizer,
    boolean escapeEntities,
    Segmentation segmentation,
    boolean protect,
    int maxSourceTokens,
    SentenceFormat format) {

  /** The smallest limit: the longest possible word must fit. */
  public static final int MIN_SOURCE_TOKENS = 16;

  /** The largest limit: the decoder's maximum without the end token. */
  public static final int MAX_SOURCE_TOKENS = 4095;

  /**
   * The limit of the presets: few models were trained on longer sentences, and beyond their
   * training lengths they repeat themselves.
   */
  public static final int DEFAULT_SOURCE_TOKENS = 100;

  /** The limit for prepared input: where Amun truncates; here a longer sentence is split. */
  public static final int PREPARED_SOURCE_TOKENS = 200;

  private static final String FORMAT = "format";

  /** Unicode normalization. */
  public enum Normalization {
    NONE,
    NFC,
    NFKC
  }

  /** The case of the model's input. */
  public enum Casing {
    /** Unchanged. */
    KEEP,
    /** All lower case. */
    LOWER,
    /** The first word in its usual case, by a Moses truecase model. */
    TRUECASE
  }

  /** The case of the output. */
  public enum Recasing {
    /** As in the model's output. */
    KEEP,
    /** A capital at the start of each sentence. */
    SENTENCE_START
  }

  /** The tokenizer. */
  public enum Tokenizer {
    NONE,
    MOSES,
    /** Moses with hyphens between letters as separate tokens, {@code @-@}. */
    MOSES_AGGRESSIVE
  }

  /** The segmentation of words into tokens. */
  public enum Segmentation {
    /** At whitespace only. */
    NONE,
    /** Byte pair encoding by a subword-nmt codes file. */
    BPE,
    /** A SentencePiece model. */
    SPM
  }

  public TextSettings {
    Objects.requireNonNull(sourceLanguage, "sourceLanguage");
    Objects.requireNonNull(targetLanguage, "targetLanguage");
    Objects.requireNonNull(normalization, "normalization");
    Objects.requireNonNull(casing, "casing");
    Objects.requireNonNull(recasing, "recasing");
    Objects.requireNonNull(tokenizer, "tokenizer");
    Objects.requireNonNull(segmentation, "segmentation");
    Objects.requireNonNull(format, "format");
    if (escapeEntities && tokenizer == Tokenizer.NONE) {
      throw new IllegalArgumentException(
          "text settings: escapeEntities needs a Moses tokenizer, found " + tokenizer);
    }
    if (maxSourceTokens < MIN_SOURCE_TOKENS || maxSourceTokens > MAX_SOURCE_TOKENS) {
      throw new IllegalArgumentException(
          "text settings: maxSourceTokens must be from "
              + MIN_SOURCE_TOKENS
              + " to "
              + MAX_SOURCE_TOKENS
              + ", found "
              + maxSourceTokens);
    }
    if (maxSourceTokens + format.sourceTokens() > MAX_SOURCE_TOKENS + 1) {
      throw new IllegalArgumentException(
          "text settings: maxSourceTokens and the "
              + format.sourceTokens()
              + " tokens that the format adds must be at most "
              + (MAX_SOURCE_TOKENS + 1)
              + ", found "
              + (maxSourceTokens + format.sourceTokens()));
    }
  }

  /**
   * For a model trained on raw text (SentencePiece): sentences are split, addresses and emoji
   * protected, nothing else is changed.
   */
  public static TextSettings raw(String sourceLanguage, String targetLanguage) {
    return new TextSettings(
        sourceLanguage,
        targetLanguage,
        Normalization.NFC,
        false,
        true,
        Casing.KEEP,
        Recasing.KEEP,
        Tokenizer.NONE,
        false,
        Segmentation.SPM,
        true,
        DEFAULT_SOURCE_TOKENS,
        SentenceFormat.PLAIN);
  }

  /**
   * For a model trained on text prepared by Moses (normalized punctuation, tokenized, escaped) and
   * segmented by BPE: raw text to raw text.
   */
  public static TextSettings moses(String sourceLanguage, String targetLanguage, Casing casing) {
    return new TextSettings(
        sourceLanguage,
        targetLanguage,
        Normalization.NFC,
        true,
        true,
        casing,
        casing == Casing.KEEP ? Recasing.KEEP : Recasing.SENTENCE_START,
        Tokenizer.MOSES,
        true,
        Segmentation.BPE,
        true,
        DEFAULT_SOURCE_TOKENS,
        SentenceFormat.PLAIN);
  }

  /**
   * For prepared input: one tokenized sentence per record, only segmented here; the output is
   * joined and otherwise unchanged.
   */
  public static TextSettings prepared(
      String sourceLanguage, String targetLanguage, Segmentation segmentation) {
    return new TextSettings(
        sourceLanguage,
        targetLanguage,
        Normalization.NONE,
        false,
        false,
        Casing.KEEP,
        Recasing.KEEP,
        Tokenizer.NONE,
        false,
        segmentation,
        false,
        PREPARED_SOURCE_TOKENS,
        SentenceFormat.PLAIN);
  }

  /** A copy for a network that reads sentences in another format. */
  public TextSettings withFormat(SentenceFormat other) {
    return new TextSettings(
        sourceLanguage,
        targetLanguage,
        normalization,
        normalizePunctuation,
        splitSentences,
        casing,
        recasing,
        tokenizer,
        escapeEntities,
        segmentation,
        protect,
        maxSourceTokens,
        other);
  }

  /** A copy for a model that writes symbols as Moses' entities, or does not. */
  public TextSettings withEntities(boolean escape) {
    return new TextSettings(
        sourceLanguage,
        targetLanguage,
        normalization,
        normalizePunctuation,
        splitSentences,
        casing,
        recasing,
        tokenizer,
        escape,
        segmentation,
        protect,
        maxSourceTokens,
        format);
  }

  /**
   * The JSON form.
   *
   * @param hasFormat whether files of the version have a format; without, it must be {@link
   *     SentenceFormat#PLAIN}
   */
  public byte[] toJson(boolean hasFormat) {
    return hasFormat ? SettingsJson.write(this) : SettingsJson.writeOlder(this, "", FORMAT);
  }

  /**
   * Reads the JSON form, which must have exactly these keys.
   *
   * @param hasFormat whether files of the version have a format
   * @throws OperatorException naming the invalid key
   */
  public static TextSettings fromJson(byte[] json, boolean hasFormat) {
    SettingsJson.Refusal refuse =
        (what, cause) -> new OperatorException("the model's text " + what, cause);
    return hasFormat
        ? SettingsJson.read(json, TextSettings.class, refuse)
        : SettingsJson.readOlder(
            json, TextSettings.class, "", FORMAT, SentenceFormat.PLAIN, refuse);
  }
}
