package io.latimer.operators.text.numbers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A right translation has all numbers; each error is reported. */
class NumberMissingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          en | de | It is -12.5 degrees. | Es sind -12,5 Grad.
          en | de | It is -12.5 degrees. | Es sind minus 12,5 Grad.
          en | de | It costs $1,234.56. | Das kostet 1.234,56 $.
          en | de | It costs $5. | Das kostet 5 Dollar.
          en | de | It costs $5. | Das kostet 5 US-Dollar.
          en | de | It costs $5. | Das kostet fünf Dollar.
          en | de | It costs $1,000 or $2,000. | Das kostet tausend oder zweitausend Dollar.
          en | de | Take 5 mg a day. | Nehmen Sie täglich 5 Milligramm.
          en | de | 5% of 30 | 5 Prozent von dreißig
          en | de | 5% of 30 | fünf Prozent von dreissig
          en | de | They won 3-2. | Sie gewannen 3:2.
          en | de | They won 3-2. | Sie gewannen drei zu zwei.
          en | de | 5–10 kg of it | 5 bis 10 kg davon
          en | de | Due on 12/31/2025. | Fällig am 31. Dezember 2025.
          en | de | Due on 12/31/2025. | Fällig am 31.12.2025.
          en | de | Due on 12/31/2025. | Fällig am 31.12.25.
          en | de | Due on December 31. | Fällig am 31.12. um fünf.
          en | de | On May 31, 1940. | Am einunddreißigsten Mai 1940.
          en | de | At 3:30 p.m. we go. | Um 15:30 Uhr gehen wir.
          en | de | At 3:30 p.m. we go. | Um 15.30 Uhr gehen wir.
          en | de | At 3:30 p.m. we go. | Um halb vier gehen wir.
          en | de | At 3:30 p.m. we go. | Um 3:30 Uhr nachmittags gehen wir.
          en | de | At 2:30 we left. | Um zwei Uhr und dreißig Minuten gingen wir.
          en | de | It has 5 million people. | Es hat 5 Millionen Einwohner.
          en | de | It has 1.5 billion people. | Es hat 1,5 Milliarden Einwohner.
          en | de | It has 2,300 people. | Es hat zweitausenddreihundert Einwohner.
          en | de | The 3rd floor | Das dritte Stockwerk
          en | de | The 3rd floor | Das 3. Stockwerk
          en | de | a 23-year-old in the 1980s | ein dreiundzwanzigjähriger in den 80ern
          en | de | H2O on A4 as mp3 | H2O auf A4 als MP3
          en | de | agent 007 | Agent 007
          en | de | for 30 minutes | eine halbe Stunde lang
          en | de | ½ or 5 1/2 | 0,5 oder 5½
          en | es | Louis 14 in the 19th century | Luis XIV en el siglo XIX
          en | es | It is -12.5 and 1,234.5 €. | Son -12,5 y 1.234,5 euros.
          en | es | On 12/31/2025 | El 31 de diciembre de 2025
          en | es | 5% at 3:30 p.m. | 5 por ciento a las 15:30
          en | fr | Take 5 mg at 2:30 p.m. | Prenez 5 mg à 14h30.
          en | fr | It is -12.5. | Il fait moins 12,5.
          en | fr | 80 or 91 of 1,000,000 | quatre-vingts ou quatre-vingt-onze sur 1 000 000
          de | en | Es hat 5 Milliarden. | It has 5 billion.
          de | en | 1.234,56 € am 3. Mai | €1,234.56 on May 3
          de | en | Heute Nachmittag um 3 Uhr | At 3 p.m. today
          de | en | am 31. Mai 1940 | on the 31st of May in 1940
          de | en | um 14.30 Uhr | at 2:30 p.m.
          """)
  void right(String from, String to, String source, String translation) {
    NumberLanguage one = NumberLanguage.of(from);
    NumberLanguage other = NumberLanguage.of(to);
    assertThat(Values.texts(other.missing(one.find(source), translation))).isEmpty();
    assertThat(Values.texts(other.extra(one, source, translation, at -> false))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          en | de | It is -12.5 degrees. | Es sind 12,5 Grad. | -12.5
          en | de | It is 12.5 degrees. | Es sind -12,5 Grad. | 12.5
          en | de | Take 5 mg a day. | Nehmen Sie täglich 50. | 5 mg
          en | de | Take 5 mg a day. | Nehmen Sie täglich 5 Gramm. | 5 mg
          en | de | They won 3-2. | Sie gewannen 3-22. | 3-2
          en | de | They won 3-2. | Sie gewannen 2:3. | 3-2
          en | de | Due on 12/31/2025. | Fällig am 121212202. | 12/31/2025
          en | de | Due on 12/31/2025. | Fällig am 30. Dezember 2025. | 12/31/2025
          en | de | Due on 12/31/2025. | Fällig am 31.12.2026. | 12/31/2025
          en | de | At 3:30 p.m. we go. | Um 3:30 Uhr gehen wir. | 3:30 p.m.
          en | de | At 6:00 p.m. we go. | Um 18:06 Uhr gehen wir. | 6:00 p.m.
          en | de | It costs $1,234.56. | Das kostet 1,234.56 Euro. | $1,234.56
          en | de | It is 1,234 m long. | Es ist 1,234 m lang. | 1,234 m
          en | de | It has 1.5 billion people. | Es hat 1,5 Billionen Einwohner. | 1.5 billion
          en | de | It has 5 million people. | Es hat 5 Einwohner. | 5 million
          en | de | 5 apples and 5 pears | 5 Äpfel und Birnen | 5
          en | de | agent 007 | Agent 7 | 007
          en | de | on A4 | auf A5 | A4
          en | de | 5–10 kg of it | 5 bis 11 kg davon | 5–10 kg
          en | de | The 30th | Der dreizehnte | 30th
          en | es | It is -12.5. | Son 12,5. | -12.5
          en | es | 5 mg | 5 kg | 5 mg
          en | fr | 91 of them | quatre-vingts d'entre eux | 91
          de | en | Es hat 5 Milliarden. | It has 5 million. | 5 Milliarden
          de | en | 1.234,5 davon | 1.2345 of them | 1.234,5
          """)
  void wrong(String from, String to, String source, String translation, String missing) {
    List<NumberSpan> spans = NumberLanguage.of(from).find(source);
    assertThat(Values.texts(NumberLanguage.of(to).missing(spans, translation)))
        .containsExactly(missing);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          en | de | thirty-four people | 34 Leute | ""
          en | de | thirty-four people | vierunddreißig Leute | ""
          en | de | thirty-four people | dreiundvierzig Leute | thirty-four
          en | de | one second, two of us | eine Sekunde, wir beide | ""
          de | en | zweihundert davon | two hundred of them | ""
          de | en | zweihundert davon | 2,000 of them | zweihundert
          en | de | wake me at six-thirty | weck mich um halb sieben | ""
          en | fr | at half past two | à deux heures et demie | ""
          """)
  void words(String from, String to, String source, String translation, String missing) {
    List<NumberSpan> spans = NumberLanguage.of(from).findWords(source);
    assertThat(String.join(",", Values.texts(NumberLanguage.of(to).missing(spans, translation))))
        .isEqualTo(missing);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          en | de | They sang. | Sie sangen 2025. | 2025
          en | de | twelve songs | 12 Lieder | ""
          en | de | an hour, twice | 1 Stunde, 2 Mal | ""
          en | de | 5 songs | 5 Lieder in 5 Tagen | 5
          en | de | at quarter past seven | um 19:15 Uhr | ""
          """)
  void extra(String from, String to, String source, String translation, String extra) {
    NumberLanguage target = NumberLanguage.of(to);
    List<NumberSpan> found =
        target.extra(NumberLanguage.of(from), source, translation, at -> false);
    assertThat(String.join(",", Values.texts(found))).isEqualTo(extra);
  }
}
