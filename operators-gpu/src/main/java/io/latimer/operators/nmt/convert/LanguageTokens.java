package io.latimer.operators.nmt.convert;

import io.latimer.operators.text.SentenceFormat;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The tokens by which published models name languages, and where sentences have them.
 *
 * <p>Source: huggingface/transformers, tokenization_marian.py, tokenization_nllb.py,
 * tokenization_m2m_100.py, tokenization_mbart.py, tokenization_mbart50.py; MADLAD-400's model card.
 */
public final class LanguageTokens {
  private static final Pattern MARIAN = Pattern.compile(">>[^<> ]+<<");
  private static final Pattern T5 = Pattern.compile("<2[A-Za-z]{2,8}(_[A-Za-z]{2,8})*>");
  private static final Pattern NAMED =
      Pattern.compile("__[a-z]{2,8}__|[a-z]{2,3}_([A-Z]{2}|[A-Z][a-z]{3})");

  private static final List<String> END = List.of(SentenceFormat.END_OF_SENTENCE);
  private static final List<String> SOURCE = List.of(SentenceFormat.SOURCE);
  private static final List<String> TARGET = List.of(SentenceFormat.TARGET);

  private LanguageTokens() {}

  /** Those of OPUS-MT among some tokens: {@code >>deu<<}. */
  public static List<String> marian(Collection<String> tokens) {
    return matching(MARIAN, tokens);
  }

  /** Those of T5 models such as MADLAD-400: {@code <2de>}. */
  public static List<String> t5(Collection<String> tokens) {
    return matching(T5, tokens);
  }

  /** Those of NLLB, M2M100 and mBART: {@code deu_Latn}, {@code __de__}, {@code de_DE}. */
  public static List<String> named(Collection<String> tokens) {
    return matching(NAMED, tokens);
  }

  private static List<String> matching(Pattern pattern, Collection<String> tokens) {
    return tokens.stream().filter(token -> pattern.matcher(token).matches()).toList();
  }

  /**
   * The target language before the sentence: OPUS-MT, MADLAD-400.
   *
   * @param ends whether the end token follows the sentence
   */
  public static SentenceFormat before(List<String> languages, boolean ends) {
    return new SentenceFormat(TARGET, ends ? END : List.of(), List.of(), languages);
  }

  /**
   * The source language at the sentence, the target language at the start of the translation: NLLB,
   * M2M100, mBART.
   *
   * @param behind whether the source language follows the end token instead of starting the
   *     sentence: mBART of 25 languages, early NLLB
   * @param told whether translations begin with the target language, which is not the decoder's
   *     start itself
   */
  public static SentenceFormat around(List<String> languages, boolean behind, boolean told) {
    return new SentenceFormat(
        behind ? List.of() : SOURCE,
        behind ? List.of(SentenceFormat.END_OF_SENTENCE, SentenceFormat.SOURCE) : END,
        told ? TARGET : List.of(),
        languages);
  }
}
