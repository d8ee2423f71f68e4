package io.latimer.operators.text.numbers;

import com.ibm.icu.number.LocalizedNumberFormatter;
import com.ibm.icu.number.Notation;
import com.ibm.icu.number.NumberFormatter;
import com.ibm.icu.number.Precision;
import com.ibm.icu.util.ULocale;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;

/** A language's words for powers of ten after figures: "5 million", "5 Mio.", "5万". */
final class Scales {
  private static final int LARGEST = 14;

  /** What the press writes in English, as in "$2.5bn". */
  private static final Map<String, Integer> ENGLISH =
      Map.of("mln", 6, "bn", 9, "bln", 9, "trn", 12);

  /** Right after a sum of money: elsewhere these are metres, tonnes and states of America. */
  private static final Map<String, Integer> ENGLISH_OF_MONEY =
      Map.of("k", 3, "m", 6, "mn", 6, "b", 9, "t", 12, "tn", 12);

  private final Lexicon<Integer> words;
  private final Lexicon<Integer> ofMoney;

  Scales(ULocale locale) {
    Map<String, Integer> found = new LinkedHashMap<>();
    for (Notation notation : new Notation[] {Notation.compactLong(), Notation.compactShort()}) {
      LocalizedNumberFormatter formatter =
          NumberFormatter.withLocale(locale).notation(notation).precision(Precision.unlimited());
      for (int power = 3; power <= LARGEST; power++) {
        for (int factor : new int[] {1, 2, 5}) {
          String text =
              formatter.format(BigDecimal.valueOf(factor).scaleByPowerOfTen(power)).toString();
          add(found, text, factor, power, locale.getLanguage());
        }
      }
    }
    boolean english = locale.getLanguage().equals("en");
    if (english) {
      found.putAll(ENGLISH);
    }
    words = new Lexicon<>(found, true);
    ofMoney = new Lexicon<>(english ? ENGLISH_OF_MONEY : Map.of(), true);
  }

  private static void add(
      Map<String, Integer> found, String text, int factor, int power, String language) {
    int end = Chars.digitsEnd(text, 0);
    if (end == 0) {
      return;
    }
    String digits = Chars.digits(text, 0, end);
    String word = text.substring(end).replace('\u00A0', ' ').strip();
    boolean letter = word.length() < 2 && !word.isEmpty() && !Chars.isUnspaced(word.charAt(0));
    if (word.isEmpty() || letter || !digits.startsWith(String.valueOf(factor))) {
      return;
    }
    int exponent = power - (digits.length() - 1);
    found.putIfAbsent(word, exponent);
    if (word.endsWith(".")) {
      found.putIfAbsent(word.substring(0, word.length() - 1), exponent);
    }
    if (language.equals("es") && word.equals("mil")) {
      found.putIfAbsent("mil millones", 9);
    }
  }

  /** The power of ten that a word after a figure means; null if it is none. */
  Lexicon.Match<Integer> at(String text, int end) {
    return words.at(text, Chars.skipSpace(text, end));
  }

  /** The same of what is right after a sum of money; "a $5 t-shirt" has none. */
  Lexicon.Match<Integer> ofMoney(String text, int end) {
    return ofMoney.at(text, end);
  }
}
