package io.latimer.cli.model;

import io.latimer.operators.text.TextSettings;
import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Normalization;
import io.latimer.operators.text.TextSettings.Recasing;
import io.latimer.operators.text.TextSettings.Segmentation;
import io.latimer.operators.text.TextSettings.Tokenizer;
import picocli.CommandLine.Option;

/**
 * The options for how a model's training text was prepared: a preset, and settings that override
 * it. The fields are null if an option is not given.
 */
final class TextOptions {
  /** The segmentation implied by the files of an import. */
  enum Given {
    SPM,
    BPE,
    UNKNOWN
  }

  enum Preset {
    RAW,
    MOSES,
    PREPARED
  }

  @Option(
      names = "--text",
      paramLabel = "PRESET",
      description = {
        "raw: trained on raw text (the default with a SentencePiece model).",
        "moses: trained on text that the Moses scripts normalized, tokenized and escaped.",
        "prepared: records are tokenized, one sentence each (the default otherwise).",
      })
  private Preset preset;

  @Option(
      names = "--normalization",
      paramLabel = "FORM",
      description = "Unicode normalization: none, nfc, nfkc.")
  private Normalization normalization;

  @Option(
      names = "--normalize-punctuation",
      paramLabel = "true|false",
      arity = "1",
      description = "Replace typographic quotes, dashes and spaces with plain ones, as Moses does.")
  private Boolean normalizePunctuation;

  @Option(
      names = "--split-sentences",
      paramLabel = "true|false",
      arity = "1",
      description = "Whether a record may contain several sentences.")
  private Boolean splitSentences;

  @Option(
      names = "--casing",
      paramLabel = "CASE",
      description = "Case of the training text: keep, lower, truecase.")
  private Casing casing;

  @Option(
      names = "--recasing",
      paramLabel = "CASE",
      description = "Case of the output: keep, sentence-start (a capital first).")
  private Recasing recasing;

  @Option(
      names = "--tokenizer",
      paramLabel = "NAME",
      description = "none, moses, moses-aggressive (hyphens as @-@).")
  private Tokenizer tokenizer;

  @Option(
      names = "--escape-entities",
      paramLabel = "true|false",
      arity = "1",
      description = "Whether the model writes & | < > ' \" [ ] as Moses' entities.")
  private Boolean escapeEntities;

  @Option(
      names = "--protect",
      paramLabel = "true|false",
      arity = "1",
      description =
          "Pass addresses, words of more than 100 letters and unknown symbols (emoji) through"
              + " unchanged.")
  private Boolean protect;

  @Option(
      names = "--max-source-tokens",
      paramLabel = "N",
      description = "Longest sentence in tokens; a longer one is translated in parts.")
  private Integer maxSourceTokens;

  /** The settings, or null if no option was given; the importer then chooses defaults. */
  TextSettings settings(String sourceLanguage, String targetLanguage, Given given) {
    if (preset == null
        && normalization == null
        && normalizePunctuation == null
        && splitSentences == null
        && casing == null
        && recasing == null
        && tokenizer == null
        && escapeEntities == null
        && protect == null
        && maxSourceTokens == null) {
      return null;
    }
    Casing trainedCase = casing == null ? Casing.KEEP : casing;
    Preset used = preset;
    if (used == null) {
      used = given == Given.SPM ? Preset.RAW : Preset.PREPARED;
    }
    Segmentation segmentation =
        switch (given) {
          case SPM -> Segmentation.SPM;
          case BPE -> Segmentation.BPE;
          case UNKNOWN -> used == Preset.MOSES ? Segmentation.BPE : Segmentation.NONE;
        };
    TextSettings base =
        switch (used) {
          case RAW -> TextSettings.raw(sourceLanguage, targetLanguage);
          case MOSES -> TextSettings.moses(sourceLanguage, targetLanguage, trainedCase);
          case PREPARED -> TextSettings.prepared(sourceLanguage, targetLanguage, segmentation);
        };
    return new TextSettings(
        sourceLanguage,
        targetLanguage,
        or(normalization, base.normalization()),
        or(normalizePunctuation, base.normalizePunctuation()),
        or(splitSentences, base.splitSentences()),
        or(casing, base.casing()),
        or(recasing, base.recasing()),
        or(tokenizer, base.tokenizer()),
        or(escapeEntities, base.escapeEntities()),
        segmentation,
        or(protect, base.protect()),
        or(maxSourceTokens, base.maxSourceTokens()),
        base.format());
  }

  private static <T> T or(T given, T otherwise) {
    return given == null ? otherwise : given;
  }
}
