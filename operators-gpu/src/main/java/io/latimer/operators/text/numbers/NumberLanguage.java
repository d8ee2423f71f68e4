package io.latimer.operators.text.numbers;

import com.ibm.icu.util.IllformedLocaleException;
import com.ibm.icu.util.ULocale;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/**
 * How one language writes numbers. Thread-safe.
 *
 * <p>All work is linear in the length of the texts. A number of more than 64 digits is a {@link
 * NumberKind#CODE}.
 */
public final class NumberLanguage {
  /** More than there are languages and regions in use. */
  private static final int MAX_REMEMBERED = 512;

  private static final Map<String, NumberLanguage> KNOWN = new ConcurrentHashMap<>();

  private final ULocale locale;
  private volatile Digits digits;
  private volatile NumberWords words;

  private NumberLanguage(ULocale locale) {
    this.locale = locale;
  }

  /** The rules for digits. To load them takes a second of CPU time: many texts have none. */
  private static final class Digits {
    private final DateReader dates;
    private final NumberFinder finder;
    private final NumberWriter writer;

    Digits(ULocale locale) {
      dates = new DateReader(locale);
      finder = new NumberFinder(locale, dates);
      writer = new NumberWriter(locale, finder);
    }
  }

  /**
   * The rules of a language.
   *
   * @param tag a BCP 47 tag; a region counts, for {@code 03/04/2025} is in April in en-GB and in
   *     March in en
   * @throws IllegalArgumentException if it is no such tag
   */
  public static NumberLanguage of(String tag) {
    NumberLanguage known = KNOWN.get(tag);
    if (known == null) {
      known = new NumberLanguage(locale(tag));
      if (KNOWN.size() < MAX_REMEMBERED) {
        KNOWN.put(tag, known);
      }
    }
    return known;
  }

  private static ULocale locale(String tag) {
    try {
      return new ULocale.Builder()
          .setLanguageTag(tag)
          .setUnicodeLocaleKeyword("ca", "gregory")
          .build();
    } catch (IllformedLocaleException e) {
      throw new IllegalArgumentException(
          "\"" + tag + "\" is not the BCP 47 tag of a language, such as \"de\" or \"en-GB\"", e);
    }
  }

  /** The numbers that a text writes in digits, in order, without overlaps. */
  public List<NumberSpan> find(String text) {
    return find(text, at -> false);
  }

  /**
   * The numbers that a text writes in digits, in order, without overlaps.
   *
   * @param isIgnored whether the character at an offset is no part of a number, such as one of an
   *     address
   */
  public List<NumberSpan> find(String text, IntPredicate isIgnored) {
    return NumberFinder.hasDigits(text) ? finder().find(text, false, isIgnored) : List.of();
  }

  /** Whether a text has digits, without which it has no numbers in digits. */
  public static boolean hasDigits(String text) {
    return NumberFinder.hasDigits(text);
  }

  /** Whether ICU has the rules of the language's number words. */
  public boolean hasWords() {
    return words().isKnown();
  }

  /**
   * The numbers of 3 and more that a text writes in words, in order; none if the rules of the
   * language are not known. Words that often mean something else are left out.
   */
  public List<NumberSpan> findWords(String text) {
    return words().find(text);
  }

  /**
   * The numbers of a source that its translation into this language lacks. Another notation is no
   * loss, nor are words for figures; each number of the translation counts once.
   *
   * @param source the numbers of the source in its language
   */
  public List<NumberSpan> missing(List<NumberSpan> source, String translation) {
    return source.isEmpty() ? List.of() : new NumberCheck(this, translation, true).missing(source);
  }

  /**
   * The numbers in digits of a translation into this language that its source has neither in digits
   * nor in words.
   *
   * @param isIgnored whether the character at an offset of the translation is no part of a number
   */
  public List<NumberSpan> extra(
      NumberLanguage source, String sourceText, String translation, IntPredicate isIgnored) {
    List<NumberSpan> found = find(translation, isIgnored);
    return found.isEmpty() ? found : new NumberCheck(source, sourceText, false).missing(found);
  }

  /**
   * A number of another language's text as this language writes it. What is written has the same
   * value for a reader of this language; where its notation cannot say it, the characters of the
   * source are kept.
   */
  public String write(NumberSpan number) {
    return digits().writer.write(number);
  }

  NumberFinder finder() {
    return digits().finder;
  }

  DateReader dates() {
    return digits().dates;
  }

  private Digits digits() {
    if (digits == null) {
      synchronized (this) {
        if (digits == null) {
          digits = new Digits(locale);
        }
      }
    }
    return digits;
  }

  NumberWords words() {
    if (words == null) {
      synchronized (this) {
        if (words == null) {
          words = new NumberWords(locale);
        }
      }
    }
    return words;
  }
}
