package io.latimer.pipelines.language;

import io.latimer.operators.text.Prose;
import java.lang.Character.UnicodeScript;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tells which language a text is in: by its script where one language is written in it, else by its
 * n-grams of characters. Immutable and thread-safe.
 *
 * <p>Markup, addresses, placeholders, code, numbers, and in scripts with capitals also names do not
 * count. What is too short for a judgement is unknown: less than 5 letters where the script alone
 * decides, 8 of Chinese or Japanese without kana, 16 in other words.
 */
public final class LanguageDetector {
  /** The most common languages of the world's texts, of which no two are all but the same. */
  public static final List<String> COMMON_LANGUAGES =
      List.of(
          "ar", "be", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr",
          "gu", "he", "hi", "hr", "hu", "hy", "id", "it", "ja", "ka", "kk", "km", "kn", "ko", "lo",
          "lt", "lv", "mk", "ml", "mr", "my", "nb", "ne", "nl", "pa", "pl", "pt", "ro", "ru", "si",
          "sk", "sl", "sr", "sv", "ta", "te", "th", "tr", "uk", "ur", "vi", "zh");

  /** A script that no other language has needs a word. */
  private static final int LETTERS_OF_OWN_SCRIPT = 5;

  /** A Chinese character says more than a letter. */
  private static final int LETTERS_OF_HAN = 8;

  /** Below, the library is often wrong. */
  private static final int LETTERS_OF_SHARED_SCRIPT = 16;

  /** Chinese texts have single kana in names of brands. */
  private static final int LEAST_KANA = 2;

  /** So much of a text is looked at. */
  private static final int MOST_CHARS = 2_000;

  private final Map<UnicodeScript, List<KnownLanguage>> languages =
      new EnumMap<>(UnicodeScript.class);

  private LanguageDetector(Set<KnownLanguage> languages) {
    for (KnownLanguage language : languages) {
      this.languages.computeIfAbsent(language.script(), script -> new ArrayList<>()).add(language);
    }
  }

  /**
   * A detector that tells some languages apart. A text in another language looks like one of them
   * if it is written in the same script, so name all that occur.
   *
   * @param tags BCP 47 tags of {@link #knownLanguages}; regions are ignored
   * @throws IllegalArgumentException naming a language that is not known
   */
  public static LanguageDetector of(Collection<String> tags) {
    Set<KnownLanguage> languages = new LinkedHashSet<>();
    for (String tag : tags) {
      languages.add(
          KnownLanguage.of(tag)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "the language \""
                              + tag
                              + "\" cannot be told from others; these can: "
                              + String.join(", ", knownLanguages()))));
    }
    return new LanguageDetector(languages);
  }

  /** The BCP 47 tags of all languages that can be told apart, sorted. */
  public static List<String> knownLanguages() {
    return KnownLanguage.all().stream().map(KnownLanguage::tag).sorted().toList();
  }

  /**
   * The language that a text seems to be in.
   *
   * @param text any; its first 2,000 characters are looked at
   * @throws io.latimer.operators.OperatorException if the library's model is not on the class path
   */
  public DetectedLanguage detect(String text) {
    String prose = Prose.of(text.length() > MOST_CHARS ? text.substring(0, MOST_CHARS) : text);
    TextScript script = TextScript.of(prose);
    List<KnownLanguage> candidates = languages.get(script.script());
    if (candidates == null || script.letters() < LETTERS_OF_OWN_SCRIPT) {
      return DetectedLanguage.UNKNOWN;
    }
    if (script.kana() > 0 && script.script() == UnicodeScript.HAN) {
      return withKana(script, candidates);
    }
    if (candidates.get(0).hasItsOwnScript()) {
      return certain(candidates.get(0));
    }
    boolean han = script.script() == UnicodeScript.HAN;
    String words = han ? prose : CommonWords.of(prose);
    int letters = (int) words.codePoints().filter(Character::isLetter).count();
    if (letters < (han ? LETTERS_OF_HAN : LETTERS_OF_SHARED_SCRIPT)) {
      return DetectedLanguage.UNKNOWN;
    }
    return candidates.size() == 1
        ? certain(candidates.get(0))
        : LanguageNgrams.get().best(words, candidates);
  }

  private static DetectedLanguage withKana(TextScript script, List<KnownLanguage> candidates) {
    boolean japanese = script.kana() >= LEAST_KANA && 10 * script.kana() >= script.letters();
    return candidates.stream()
        .filter(language -> japanese && language.tag().equals("ja"))
        .findFirst()
        .map(LanguageDetector::certain)
        .orElse(DetectedLanguage.UNKNOWN);
  }

  private static DetectedLanguage certain(KnownLanguage language) {
    return new DetectedLanguage(language.tag(), 1);
  }
}
