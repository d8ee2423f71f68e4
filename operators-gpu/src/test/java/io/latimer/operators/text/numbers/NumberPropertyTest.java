package io.latimer.operators.text.numbers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one language writes, it reads with the same value, and no changed value passes. */
class NumberPropertyTest {
  private static final NumberLanguage ENGLISH = NumberLanguage.of("en");
  private static final int ROUNDS = 60;

  @ParameterizedTest
  @ValueSource(
      strings = {"en", "de", "es", "fr", "it", "pt", "pl", "ru", "tr", "zh", "ja", "ar", "hi"})
  void whatIsWrittenHasTheSameValue(String language) {
    NumberLanguage target = NumberLanguage.of(language);
    RandomNumbers numbers = new RandomNumbers(38);
    for (int i = 0; i < ROUNDS * RandomNumbers.KINDS; i++) {
      NumberSpan number = only(ENGLISH.find(numbers.next(i % RandomNumbers.KINDS)));
      String written = target.write(number);
      assertThat(only(target.find(written)).value())
          .as("%s, in %s %s", number.text(), language, written)
          .isEqualTo(number.value());
      assertThat(target.missing(List.of(number), written)).as(written).isEmpty();
      assertThat(target.extra(ENGLISH, number.text(), written, at -> false)).as(written).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"de", "es", "fr", "it", "pt", "pl", "ru", "tr", "zh", "ja", "ar", "hi"})
  void aChangedDigitIsMissed(String language) {
    NumberLanguage target = NumberLanguage.of(language);
    RandomNumbers numbers = new RandomNumbers(39);
    Random random = new Random(40);
    for (int i = 0; i < ROUNDS * RandomNumbers.KINDS; i++) {
      NumberSpan number = only(ENGLISH.find(numbers.next(i % RandomNumbers.KINDS)));
      String written = target.write(number);
      String changed = withAnotherDigit(written, random);
      assertThat(target.missing(List.of(number), changed))
          .as("%s as %s, not %s", number.text(), written, changed)
          .isNotEmpty();
    }
  }

  private static String withAnotherDigit(String text, Random random) {
    int at;
    do {
      at = random.nextInt(text.length());
    } while (!Chars.isDigit(text.charAt(at)));
    int digit = Character.digit(text.charAt(at), 10);
    char other = (char) (text.charAt(at) - digit + (digit + 1 + random.nextInt(9)) % 10);
    return text.substring(0, at) + other + text.substring(at + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"de", "es", "fr", "it", "pt", "pl", "ru", "tr", "zh", "ja", "hi"})
  void aChangedSignOrUnitIsMissed(String language) {
    NumberLanguage target = NumberLanguage.of(language);
    RandomNumbers numbers = new RandomNumbers(41);
    for (int i = 0; i < ROUNDS; i++) {
      NumberSpan negative = only(ENGLISH.find(numbers.next(1)));
      String positive = target.write(negative).replaceAll("[-−]", "");
      if (negative.value().numbers().get(0).signum() != 0) {
        assertThat(target.missing(List.of(negative), positive)).as(positive).isNotEmpty();
      }
      NumberSpan measure = only(ENGLISH.find(numbers.next(4)));
      String other = target.write(measure).replace(measure.form().symbol(), "dB");
      assertThat(target.missing(List.of(measure), other)).as(other).isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"de", "es", "fr", "it", "pt", "pl", "ru", "tr"})
  void anotherSeparatorIsMissed(String language) {
    NumberLanguage target = NumberLanguage.of(language);
    Random random = new Random(42);
    for (int i = 0; i < ROUNDS; i++) {
      int whole = 1 + random.nextInt(999);
      int rest = 100 + random.nextInt(900);
      List<NumberSpan> thousands = ENGLISH.find(whole + "," + rest);
      assertThat(target.missing(thousands, whole + "," + rest)).isNotEmpty();
      List<NumberSpan> decimals = ENGLISH.find(whole + "." + rest);
      assertThat(target.missing(decimals, whole + "." + rest)).isNotEmpty();
      assertThat(target.missing(decimals, whole + "" + rest)).isNotEmpty();
    }
  }

  @Test
  void anyTextIsRead() {
    Random random = new Random(43);
    String alphabet =
        "0123456789 ,.-–:/$€%½'mgapTVX5 11:30 31. Mai2025年月日zwölf halb\u00A0\u202F\uD83D";
    for (String language : List.of("en", "de", "fr", "zh", "ar", "und")) {
      NumberLanguage rules = NumberLanguage.of(language);
      for (int i = 0; i < 3000; i++) {
        StringBuilder text = new StringBuilder();
        for (int size = random.nextInt(30); size >= 0; size--) {
          text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        List<NumberSpan> found = rules.find(text.toString());
        int end = 0;
        for (NumberSpan span : found) {
          assertThat(span.start()).as("%s: %s", text, found).isGreaterThanOrEqualTo(end);
          assertThat(span.end()).isGreaterThan(span.start());
          end = span.end();
          assertThat(rules.write(span)).isNotEmpty();
        }
        assertThat(rules.missing(found, text.toString())).as("%s", text).isEmpty();
        rules.findWords(text.toString());
      }
    }
  }

  private static NumberSpan only(List<NumberSpan> found) {
    assertThat(found).hasSize(1);
    return found.get(0);
  }
}
