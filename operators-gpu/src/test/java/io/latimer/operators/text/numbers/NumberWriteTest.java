package io.latimer.operators.text.numbers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers are written as the other language does; no-break spaces are shown as {@code _}. */
class NumberWriteTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          en | de | 1,234.50 | 1.234,50
          en | de | 1234.5 | 1234,5
          en | fr | 1,234.56 | 1_234,56
          en | hi | 1,234,567 | 12,34,567
          en | ar | 2025 | 2025
          en | de | -12.5 | -12,5
          en | sv | -12.5 | −12,5
          en | de | +3 | +3
          en | de | ±5 mm | ±5 mm
          en | de | 5% | 5_%
          en | tr | 5% | %5
          en | de | $1,234.56 | 1.234,56_$
          en | fr | €1,234.56 | 1_234,56_€
          en | de | USD 5 | 5_USD
          de | en | 1.234,56 € | €1,234.56
          en | de | $5 million | 5 Millionen_$
          en | de | 1.5 billion | 1,5 Milliarden
          en | de | £3.5m | 3,5 Millionen_£
          en | zh | 5 million | 500万
          en | de | 5 mg | 5 mg
          en | de | 5mg | 5mg
          ru | en | 5 кг | 5 kg
          en | de | 5-10 | 5–10
          en | it | 5–10 | 5-10
          en | de | 5–10 kg | 5–10 kg
          en | de | $5–10 | 5–10_$
          en | de | 1990–1995 | 1990–1995
          en | de | 3-2 | 3:2
          de | en | 3:2 | 3:2
          en | de | 15-10 | 15-10
          en | de | 3:30 p.m. | 15:30 Uhr
          en | es | 3:30 p.m. | 15:30
          de | en | 15:30 Uhr | 3:30_PM
          en | de | 9 o'clock | 9:00 Uhr
          en | de | 14:30 | 14:30
          en | de | 12/31/2025 | 31.12.2025
          en | fr | 12/31/2025 | 31/12/2025
          de | en | 31.12.2025 | 12/31/2025
          en | ja | 12/31/2025 | 2025/12/31
          en | cs | 12/31/2025 | 31. 12. 2025
          en | de | 2025-12-31 | 2025-12-31
          en | de | December 31, 2025 | 31. Dezember 2025
          en | es | December 31, 2025 | 31 de diciembre de 2025
          en | es | December 31 | 31 de diciembre
          de | en | 31. Dezember 2025 | December 31, 2025
          en | zh | December 31, 2025 | 2025年12月31日
          en | de | 3rd | 3.
          en | fr | 3rd | 3e
          de | en | 1980er | 1980s
          en | de | 1980s | 1980er
          en | de | A4 | A4
          en | de | 007 | 007
          en | de | 5 1/2 | 5 1/2
          en | de | 2/30/2025 | 2/30/2025
          """)
  void writes(String from, String to, String source, String expected) {
    List<NumberSpan> found = NumberLanguage.of(from).find(source);
    assertThat(found).hasSize(1);
    assertThat(NumberLanguage.of(to).write(found.get(0)).replaceAll("[\u00A0\u202F]", "_"))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"en, de, thirty-four, 34", "de, en, dreiunddreißigste, 33rd"})
  void writesWordsAsFigures(String from, String to, String source, String expected) {
    List<NumberSpan> found = NumberLanguage.of(from).findWords(source);
    assertThat(NumberLanguage.of(to).write(found.get(0))).isEqualTo(expected);
  }
}
