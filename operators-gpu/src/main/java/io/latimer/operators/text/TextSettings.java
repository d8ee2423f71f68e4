package io.latimer.operators.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.latimer.operators.OperatorException;
import java.io.IOException;
import java.util.Objects;

/**
 * How the text of a model was prepared when it was trained, and so how a record must be prepared:
 * it travels in the model file as JSON.
 *
 * @param sourceLanguage of the input, a BCP 47 tag; {@code "und"} when not known
 * @param targetLanguage of the output, a BCP 47 tag; {@code "und"} when not known
 * @param normalization Unicode normalization, the first step
 * @param normalizePunctuation whether typographic quotes, dashes and spaces become plain ones, as
 *     Moses does it
 * @param splitSentences whether a record may hold several sentences, to be translated one by one.
 *     Line breaks always part sentences
 * @param casing the case that the model was trained on
 * @param recasing what becomes of the case of the output
 * @param tokenizer what parts words and punctuation before segmentation
 * @param escapeEntities whether the model knows {@code & | < > ' " [ ]} as Moses' entities. Only
 *     with the Moses tokenizer
 * @param segmentation what parts words into the tokens of the vocabulary
 * @param protect whether addresses (URLs, e-mail), words of more than 100 letters (keys, checksums)
 *     and symbols that the vocabulary does not hold (emoji) are kept out of the model's hands and
 *     set into the output again
 * @param maxSourceTokens a longer sentence is translated in parts; from {@value #MIN_SOURCE_TOKENS}
 *     to {@value #MAX_SOURCE_TOKENS}, without the end token
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
    int maxSourceTokens) {

  /** The smallest limit: one word of the longest kind must fit. */
  public static final int MIN_SOURCE_TOKENS = 16;

  /** The largest limit: what the decoder takes, less the end token. */
  public static final int MAX_SOURCE_TOKENS = 4095;

  /**
   * The limit of the ready settings: few models saw longer sentences in training, and beyond what
   * they saw they repeat themselves.
   */
  public static final int DEFAULT_SOURCE_TOKENS = 100;

  /** The limit for prepared input: where Amun cuts; here a longer sentence is parted. */
  public static final int PREPARED_SOURCE_TOKENS = 200;

  /** Unicode normalization. */
  public enum Normalization {
    NONE,
    NFC,
    NFKC
  }

  /** The case of the model's input. */
  public enum Casing {
    /** As it comes. */
    KEEP,
    /** All lower case. */
    LOWER,
    /** The first word as it stands elsewhere, by a Moses truecase model. */
    TRUECASE
  }

  /** The case of the output. */
  public enum Recasing {
    /** As the model gives it. */
    KEEP,
    /** A capital at the start of each sentence. */
    SENTENCE_START
  }

  /** What parts words and punctuation. */
  public enum Tokenizer {
    NONE,
    MOSES,
    /** Moses with hyphens between letters as tokens of their own, {@code @-@}. */
    MOSES_AGGRESSIVE
  }

  /** What parts words into tokens. */
  public enum Segmentation {
    /** Whitespace alone. */
    NONE,
    /** Byte pair encoding by a subword-nmt codes file. */
    BPE,
    /** A SentencePiece model. */
    SPM
  }

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  public TextSettings {
    Objects.requireNonNull(sourceLanguage, "sourceLanguage");
    Objects.requireNonNull(targetLanguage, "targetLanguage");
    Objects.requireNonNull(normalization, "normalization");
    Objects.requireNonNull(casing, "casing");
    Objects.requireNonNull(recasing, "recasing");
    Objects.requireNonNull(tokenizer, "tokenizer");
    Objects.requireNonNull(segmentation, "segmentation");
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
  }

  /**
   * For a model trained on raw text (SentencePiece): sentences are split, addresses and emoji
   * protected, nothing else is touched.
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
        DEFAULT_SOURCE_TOKENS);
  }

  /**
   * For a model trained on text that Moses prepared (normalized punctuation, tokenized, escaped)
   * and BPE segmented: raw text in and out.
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
        DEFAULT_SOURCE_TOKENS);
  }

  /**
   * For input that is prepared already: one sentence a record, tokenized, only segmented here; the
   * output is joined and otherwise as the model gives it.
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
        PREPARED_SOURCE_TOKENS);
  }

  /** The same settings, with sentence splitting on or off. */
  public TextSettings withSplitSentences(boolean split) {
    return new TextSettings(
        sourceLanguage,
        targetLanguage,
        normalization,
        normalizePunctuation,
        split,
        casing,
        recasing,
        tokenizer,
        escapeEntities,
        segmentation,
        protect,
        maxSourceTokens);
  }

  /** The same settings, with another limit for a sentence. */
  public TextSettings withMaxSourceTokens(int limit) {
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
        limit);
  }

  /** JSON as UTF-8; one key per component. */
  public byte[] toJson() {
    try {
      return JSON.writeValueAsBytes(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("text settings cannot be written as JSON", e);
    }
  }

  /**
   * Reads the JSON form. Every key must be there and no other.
   *
   * @throws OperatorException saying which key is wrong
   */
  public static TextSettings fromJson(byte[] json) {
    try {
      return JSON.readValue(json, TextSettings.class);
    } catch (IOException e) {
      String reason =
          e instanceof JsonProcessingException j ? j.getOriginalMessage() : e.toString();
      throw new OperatorException("the text settings of the model cannot be read: " + reason, e);
    }
  }
}
