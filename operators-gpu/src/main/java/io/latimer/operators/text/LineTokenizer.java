package io.latimer.operators.text;

import io.latimer.operators.text.TextSettings.Casing;
import io.latimer.operators.text.TextSettings.Tokenizer;
import java.text.Normalizer;
import java.util.Locale;

/**
 * Prepares the lines of a text as {@link TextPipeline} prepares the sentences of a record, for
 * phrase indexes and language models. Thread-safe.
 */
public final class LineTokenizer {
  private final Tokenizer tokenizer;
  private final Casing casing;
  private final MosesPunctuation punctuation;
  private final MosesTokenizer moses;
  private final Locale locale;

  /**
   * Makes one.
   *
   * @param language a BCP 47 tag
   * @param tokenizer those of Moses include its normalization of punctuation
   * @param casing lower or keep
   * @param escape whether some characters become entities, as in Moses
   */
  public LineTokenizer(String language, Tokenizer tokenizer, Casing casing, boolean escape) {
    if (casing == Casing.TRUECASE) {
      throw new IllegalArgumentException("truecasing needs a model");
    }
    this.tokenizer = tokenizer;
    this.casing = casing;
    this.punctuation = new MosesPunctuation(language);
    this.moses = new MosesTokenizer(language, escape);
    this.locale = Locale.forLanguageTag(language);
  }

  /**
   * The words of a line, separated by single spaces; empty if there are none. Control characters
   * separate words, and a byte order mark at the start is left out.
   */
  public String tokenize(String line) {
    String text = Normalizer.normalize(withoutControls(line), Normalizer.Form.NFC);
    if (tokenizer != Tokenizer.NONE) {
      text = punctuation.normalize(text);
      text = moses.tokenize(text, tokenizer == Tokenizer.MOSES_AGGRESSIVE);
    }
    text = casing == Casing.LOWER ? text.toLowerCase(locale) : text;
    return String.join(" ", WhitespaceSegmenter.words(text));
  }

  private static String withoutControls(String line) {
    StringBuilder text = new StringBuilder(line);
    if (line.startsWith("\uFEFF")) {
      text.setCharAt(0, ' ');
    }
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        text.setCharAt(i, ' ');
      }
    }
    return text.toString();
  }
}
