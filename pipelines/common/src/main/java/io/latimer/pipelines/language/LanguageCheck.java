package io.latimer.pipelines.language;

import io.latimer.operators.RecordException;
import io.latimer.operators.Result;
import io.latimer.operators.nmt.TextTranslator;
import io.latimer.operators.nmt.Translated;
import io.latimer.operators.nmt.TranslatedParts;
import io.latimer.operators.nmt.TranslationFlag;
import io.latimer.operators.text.LanguagePair;
import io.latimer.operators.text.TextInput;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks which languages texts and their translations are in. What is certainly in the target
 * language, or in a third one, is not translated. What is too short, or doubtful, is translated as
 * if there were no check; so is what may be in the source language, because it looks like a near
 * twin of it, or is in another script of it. Immutable and thread-safe.
 */
public final class LanguageCheck implements Serializable {
  private static final long serialVersionUID = 1L;

  private final OtherLanguages others;
  private final ArrayList<String> languages;

  /**
   * A check.
   *
   * @param others what becomes of texts in other languages; with {@code TRANSLATE}, nothing is
   *     checked
   * @param languages the BCP 47 tags of those that occur, besides the texts' own source and target
   *     language; all are {@link LanguageDetector#knownLanguages}. If there are none, {@link
   *     LanguageDetector#COMMON_LANGUAGES}
   * @throws IllegalArgumentException naming a language that is not known
   */
  public LanguageCheck(OtherLanguages others, List<String> languages) {
    this.others = others;
    this.languages =
        new ArrayList<>(languages.isEmpty() ? LanguageDetector.COMMON_LANGUAGES : languages);
    LanguageDetector.of(languages);
  }

  /**
   * What is expected of texts.
   *
   * @param source empty if the model does not say
   * @param targetTag as the model names the target, with its region
   */
  private record Expected(
      LanguageDetector detector,
      Optional<KnownLanguage> source,
      KnownLanguage target,
      String targetTag) {
    boolean isTarget(DetectedLanguage found) {
      return found.language().equals(target.tag()) && !mayBe(source, found);
    }

    /** Whether what is not the target language cannot be the source language either. */
    boolean isOther(DetectedLanguage found) {
      return source.isPresent() && !mayBe(source, found);
    }

    /** Whether a translation cannot be in the target language. */
    boolean isWrong(DetectedLanguage found) {
      return !mayBe(Optional.of(target), found);
    }

    /** Whether a text may be in a language though it looks like another. */
    private static boolean mayBe(Optional<KnownLanguage> language, DetectedLanguage found) {
      KnownLanguage seen = KnownLanguage.of(found.language()).orElseThrow();
      return language.filter(one -> one.isLike(seen) || one.isUntoldIn(seen.script())).isPresent();
    }
  }

  /**
   * Translates the texts that are to be translated.
   *
   * @param parts what translations have
   * @return one result per text, in order
   */
  public List<Result<Translated>> translate(
      List<TextInput> texts, TextTranslator translator, TranslatedParts parts) {
    if (others == OtherLanguages.TRANSLATE) {
      return translator.translate(texts);
    }
    Map<LanguagePair, Optional<Expected>> pairs = new HashMap<>();
    List<Optional<Expected>> expected = new ArrayList<>(texts.size());
    List<Result<Translated>> results = new ArrayList<>(texts.size());
    List<TextInput> open = new ArrayList<>(texts.size());
    for (TextInput text : texts) {
      Optional<Expected> one = expected(text, translator, pairs);
      Result<Translated> result =
          one.map(languages -> untranslated(text.text(), languages, parts)).orElse(null);
      expected.add(one);
      results.add(result);
      if (result == null) {
        open.add(text);
      }
    }
    Iterator<Result<Translated>> translations =
        (open.isEmpty() ? List.<Result<Translated>>of() : translator.translate(open)).iterator();
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i) == null) {
        results.set(i, checked(translations.next(), expected.get(i)));
      }
    }
    return results;
  }

  /** What is expected of a text; empty if its languages cannot be told apart. */
  private Optional<Expected> expected(
      TextInput text, TextTranslator translator, Map<LanguagePair, Optional<Expected>> pairs) {
    try {
      return pairs.computeIfAbsent(translator.languages(text), this::expected);
    } catch (RecordException e) {
      return Optional.empty(); // the translator refuses it for the same reason
    }
  }

  private Optional<Expected> expected(LanguagePair pair) {
    Optional<KnownLanguage> source = KnownLanguage.of(pair.source());
    Optional<KnownLanguage> target = KnownLanguage.of(pair.target());
    boolean told = target.isPresent() && (source.isPresent() || isUnknown(pair.source()));
    if (!told || source.filter(target.get()::isLike).isPresent()) {
      return Optional.empty();
    }
    Set<String> all = new LinkedHashSet<>(languages);
    all.add(target.get().tag());
    source.ifPresent(
        language -> {
          all.add(language.tag());
          language.twins().forEach(twin -> all.add(twin.tag()));
        });
    return Optional.of(new Expected(LanguageDetector.of(all), source, target.get(), pair.target()));
  }

  private static boolean isUnknown(String tag) {
    return tag.isEmpty() || tag.equals("und") || tag.equals("mul");
  }

  /** What becomes of a text that is not translated; null if it is. */
  private Result<Translated> untranslated(String text, Expected expected, TranslatedParts parts) {
    DetectedLanguage found = expected.detector().detect(text);
    if (!found.isCertain()) {
      return null;
    }
    if (expected.isTarget(found)) {
      return Result.of(
          Translated.untranslated(
              text, expected.targetTag(), TranslationFlag.ALREADY_TRANSLATED, parts));
    }
    if (!expected.isOther(found)) {
      return null;
    }
    return others == OtherLanguages.PASS
        ? Result.of(
            Translated.untranslated(text, found.language(), TranslationFlag.OTHER_LANGUAGE, parts))
        : Result.failure(refusal(found, expected.source().orElseThrow()));
  }

  private static RecordException refusal(DetectedLanguage found, KnownLanguage source) {
    return new RecordException(
        String.format(
            Locale.ROOT,
            "the text is in \"%s\" (confidence %.2f), and is to be translated from \"%s\"; send it"
                + " to a model of its language, or let other languages pass",
            found.language(),
            found.confidence(),
            source.tag()));
  }

  private static Result<Translated> checked(
      Result<Translated> result, Optional<Expected> expected) {
    if (expected.isEmpty() || !(result instanceof Result.Value<Translated> value)) {
      return result;
    }
    DetectedLanguage found = expected.get().detector().detect(value.value().text());
    return found.isCertain() && expected.get().isWrong(found)
        ? Result.of(value.value().with(TranslationFlag.OUTPUT_LANGUAGE))
        : result;
  }
}
