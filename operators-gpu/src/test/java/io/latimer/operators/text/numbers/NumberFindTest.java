package io.latimer.operators.text.numbers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each language's numbers are found, with their values. */
class NumberFindTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          It was -12.5 yesterday. | -12.5 = NUMBER -12.5
          It was −12.5 yesterday. | −12.5 = NUMBER -12.5
          It was minus 12.5. | minus 12.5 = NUMBER -12.5
          5 minus 3 is 2 | 5 = NUMBER 5; 3 = NUMBER 3; 2 = NUMBER 2
          +3 and ±5 mm | +3 = NUMBER 3; ±5 mm = TOLERANCE 5 millimeter
          1,234.56 or 1234.56 | 1,234.56 = NUMBER 1234.56; 1234.56 = NUMBER 1234.56
          12,34,567 people | 12,34,567 = NUMBER 1234567
          the numbers 1,2,3 | 1 = NUMBER 1; 2 = NUMBER 2; 3 = NUMBER 3
          only .08 of it | .08 = NUMBER 0.08
          5% or 5 % or 3‰ | 5% = NUMBER 5 percent; 5 % = NUMBER 5 percent; 3‰ = NUMBER 3 permille
          $5, US$5, 5 USD, £3.50 | $5 = NUMBER 5 USD; US$5 = NUMBER 5 USD; 5 USD = NUMBER 5 USD; £3.50 = NUMBER 3.5 GBP
          -$5 and $-5 | -$5 = NUMBER -5 USD; $-5 = NUMBER -5 USD
          $5 million, 1.5bn | $5 million = NUMBER 5000000 USD; 1.5bn = NUMBER 1500000000
          £3.5m, $2tn | £3.5m = NUMBER 3500000 GBP; $2tn = NUMBER 2000000000000 USD
          in 2024 MN voters | 2024 = NUMBER 2024
          €10k, 4.2 mln | €10k = NUMBER 10000 EUR; 4.2 mln = NUMBER 4200000
          $5-10m, £3–4bn | $5-10m = RANGE 5 10000000 USD; £3–4bn = RANGE 3 4000000000 GBP
          5m away, a $5 t-shirt | 5m = NUMBER 5 meter; $5 = NUMBER 5 USD
          5 mg, 5mg, 80 km/h, 20 °C | 5 mg = NUMBER 5 milligram; 5mg = NUMBER 5 milligram; 80 km/h = NUMBER 80 kilometer-per-hour; 20 °C = NUMBER 20 celsius
          5 in a row, 12 m² | 5 = NUMBER 5; 12 m² = NUMBER 12 square-meter
          5-10, 5–10 kg, $5–$10 | 5-10 = RANGE 5 10; 5–10 kg = RANGE 5 10 kilogram; $5–$10 = RANGE 5 10 USD
          1990–1995, 1990 – 1995 | 1990–1995 = RANGE 1990 1995; 1990 – 1995 = RANGE 1990 1995
          won 3-2 and lost 1:4 | 3-2 = SCORE 3 2; 1:4 = SCORE 1 4
          at 14:30 or 3:30 p.m. today | 14:30 = TIME 14 30; 3:30 p.m. = TIME 15 30
          3pm, 12 am, 9 o'clock | 3pm = TIME 15 0; 12 am = TIME 0 0; 9 o'clock = TIME 9 0
          on 12/31/2025 and 2025-12-31 | 12/31/2025 = DATE 2025 12 31; 2025-12-31 = DATE 2025 12 31
          03/04/2025 and 31/12/2025 | 03/04/2025 = DATE 2025 3 4; 31/12/2025 = DATE 2025 12 31
          December 31, 2025 | December 31, 2025 = DATE 2025 12 31
          the 31st of December 2025, Dec. 31 | 31st of December 2025 = DATE 2025 12 31; Dec. 31 = DATE 12 31
          you may 5 times | 5 = NUMBER 5
          1st, 22nd, 103rd | 1st = NUMBER 1; 22nd = NUMBER 22; 103rd = NUMBER 103
          the 1980s and 80's | 1980s = NUMBER 1980; 80's = NUMBER 80
          1/2, ½, 5½, 5 1/2 | 1/2 = FRACTION 0 1 2; ½ = FRACTION 0 1 2; 5½ = FRACTION 5 1 2; 5 1/2 = FRACTION 5 1 2
          007, room 0815 | 007 = CODE; 0815 = CODE
          A4, B2B, H2O, mp3, 5x | A4 = CODE; B2B = CODE; H2O = CODE; mp3 = CODE; 5x = CODE
          version 3.12.1 and 1-2-3 | 3.12.1 = CODE; 1-2-3 = CODE
          COVID-19 at 5. | 19 = NUMBER 19; 5 = NUMBER 5
          ٣٫٥ and ５ and ३ | ٣٫٥ = NUMBER 3.5; ５ = NUMBER 5; ३ = NUMBER 3
          """)
  void english(String text, String expected) {
    assertThat(Values.describe(NumberLanguage.of("en").find(text))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          en-GB | 03/04/2025 | 03/04/2025 = DATE 2025 4 3
          de | 1.234,56 oder 1 234,56 | 1.234,56 = NUMBER 1234.56; 1 234,56 = NUMBER 1234.56
          de | 1.234 und 3.5 | 1.234 = NUMBER 1234; 3.5 = NUMBER 3.5
          de | am 31.12.2025 um 14.30 Uhr | 31.12.2025 = DATE 2025 12 31; 14.30 Uhr = TIME 14 30
          de | am 25.8. früh, 15 Uhr 30 | 25.8. = DATE 8 25; 15 Uhr 30 = TIME 15 30
          cs | dne 31. 12. 2025 a 5. 8. ráno | 31. 12. 2025 = DATE 2025 12 31; 5. 8. = DATE 8 5
          de | am 31. Dezember 2025 | 31. Dezember 2025 = DATE 2025 12 31
          de | im 3. Stock, es waren 3. | 3. = NUMBER 3; 3 = NUMBER 3
          de | 5 Mio. € und 5,5 % | 5 Mio. € = NUMBER 5000000 EUR; 5,5 % = NUMBER 5.5 percent
          de | die 1980er, 03/04/2025 | 1980er = NUMBER 1980; 03/04/2025 = DATE 2025 4 3
          de-CH | 1'234.50 | 1'234.50 = NUMBER 1234.5
          es | 31 de diciembre de 2025 | 31 de diciembre de 2025 = DATE 2025 12 31
          es | el 3.º y 3ª, 5 millones | 3.º = NUMBER 3; 3ª = NUMBER 3; 5 millones = NUMBER 5000000
          es | las 3:30 p. m. y 1.234,5 € | 3:30 p. m. = TIME 15 30; 1.234,5 € = NUMBER 1234.5 EUR
          fr | 1 234,56 € à 14h30 | 1 234,56 € = NUMBER 1234.56 EUR; 14h30 = TIME 14 30
          fr | le 1er mai 2025, la 2e | 1er mai 2025 = DATE 2025 5 1; 2e = NUMBER 2
          fr | au moins 5 | 5 = NUMBER 5
          it | il 3º di 1.234,5 | 3º = NUMBER 3; 1.234,5 = NUMBER 1234.5
          pt | 31 de dezembro de 2025 às 14h30 | 31 de dezembro de 2025 = DATE 2025 12 31; 14h30 = TIME 14 30
          pl | 31 grudnia 2025, 5 mln zł | 31 grudnia 2025 = DATE 2025 12 31; 5 mln zł = NUMBER 5000000 PLN
          ru | 31 декабря 2025 г., 5 кг | 31 декабря 2025 = DATE 2025 12 31; 5 кг = NUMBER 5 kilogram
          ru | 5 млн ₽ и 1-го | 5 млн ₽ = NUMBER 5000000 RUB; 1-го = NUMBER 1
          tr | %5 ve 31 Aralık 2025 | %5 = NUMBER 5 percent; 31 Aralık 2025 = DATE 2025 12 31
          nl | om 15 uur op 31 december 2025 | 15 uur = TIME 15 0; 31 december 2025 = DATE 2025 12 31
          sv | −5 °C den 3:e | −5 °C = NUMBER -5 celsius; 3:e = NUMBER 3
          zh | 2025年12月31日下午3:30 | 2025年12月31日 = DATE 2025 12 31; 下午3:30 = TIME 15 30
          zh | 500万人和5千克 | 500万 = NUMBER 5000000; 5千克 = NUMBER 5 kilogram
          ja | 2025年12月31日15時30分 | 2025年12月31日 = DATE 2025 12 31; 15時30分 = TIME 15 30
          ja | 3億円 | 3億円 = NUMBER 300000000 JPY
          ko | 2025년 12월 31일 | 2025년 12월 31일 = DATE 2025 12 31
          ar | ٣١ ديسمبر ٢٠٢٥ | ٣١ ديسمبر ٢٠٢٥ = DATE 2025 12 31
          ar | ١٬٢٣٤٫٥ | ١٬٢٣٤٫٥ = NUMBER 1234.5
          hi | 12,34,567 और 5 कि॰मी॰ | 12,34,567 = NUMBER 1234567; 5 कि॰मी॰ = NUMBER 5 kilometer
          """)
  void others(String language, String text, String expected) {
    assertThat(Values.describe(NumberLanguage.of(language).find(text))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          en | thirty-four of two hundred and five | thirty-four = NUMBER 34; two hundred and five = NUMBER 205
          en | one second, a dozen, an hour, two | ""
          en | two thousand three hundred, nineteen ninety-five | two thousand three hundred = NUMBER 2300; nineteen ninety-five = NUMBER 1995
          en | at half past two | half past two = TIME 2 30
          de | Gib acht auf zwölf und eine Uhr! | zwölf = NUMBER 12
          de | zweitausenddreihundertvierunddreissig | zweitausenddreihundertvierunddreissig = NUMBER 2334
          de | um halb drei, zehn Uhr | halb drei = TIME 2 30; zehn Uhr = TIME 10 0
          es | dos mil trescientos millones | dos mil trescientos millones = NUMBER 2300000000
          fr | deux cent mille trois cent vingt et un | deux cent mille trois cent vingt et un = NUMBER 200321
          it | duemilatrecento | duemilatrecento = NUMBER 2300
          pl | dwa miliony pięćset tysięcy | dwa miliony pięćset tysięcy = NUMBER 2500000
          ru | две тысячи пятьсот | две тысячи пятьсот = NUMBER 2500
          zh | 三百零四万 | 三百零四万 = NUMBER 3040000
          """)
  void words(String language, String text, String expected) {
    assertThat(Values.describe(NumberLanguage.of(language).findWords(text))).isEqualTo(expected);
  }

  @Test
  void whatIsIgnoredIsNoNumber() {
    String text = "See https://a.org/12 for 34";
    int from = text.indexOf("https");
    int to = text.indexOf(" for");
    List<NumberSpan> found = NumberLanguage.of("en").find(text, at -> at >= from && at < to);
    assertThat(Values.texts(found)).containsExactly("34");
  }

  @Test
  void spansAreThoseOfTheText() {
    String text = "From 5 mg to 12/31/2025, $3";
    for (NumberSpan span : NumberLanguage.of("en").find(text)) {
      assertThat(text.substring(span.start(), span.end())).isEqualTo(span.text());
    }
  }

  @Test
  void aLanguageIsABcp47Tag() {
    assertThatThrownBy(() -> NumberLanguage.of("not a tag"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"not a tag\" is not the BCP 47 tag of a language");
    assertThat(NumberLanguage.of("en")).isSameAs(NumberLanguage.of("en"));
  }
}
