package io.latimer.operators.glossary.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import io.latimer.operators.text.terms.TargetRule;
import io.latimer.operators.text.terms.Term;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InlineTermsTest {
  private static final List<Term> TERMS =
      List.of(
          new Term(List.of("front desk"), List.of("Rezeption"), false, TargetRule.AS_GIVEN),
          new Term(List.of("lift", "lifts"), List.of("Aufzug", "Lift"), false, TargetRule.ANY_FORM),
          new Term(List.of("Wi-Fi"), List.of(), false, TargetRule.KEEP));

  @Test
  void linesAndJsonHaveTheSameTerms() {
    assertThat(InlineTerms.parse("front desk=Rezeption\r\n\n lift | lifts = Aufzug|Lift\nWi-Fi=-"))
        .isEqualTo(TERMS);
    assertThat(
            InlineTerms.parse(
                " {\"front desk\": \"Rezeption\", \"lift|lifts\": [\"Aufzug\", \"Lift\"],"
                    + " \"Wi-Fi\": \"-\"}"))
        .isEqualTo(TERMS);
    assertThat(InlineTerms.parse(" \n")).isEmpty();
    assertThat(InlineTerms.parse("{}")).isEmpty();
    assertThat(InlineTerms.parse("x=y=z").get(0).targets()).containsExactly("y=z");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a=b/c|line 2 of the glossary has no =; write source=target",
        "=b|line 1 of the glossary: the source is empty",
        "a=|line 1 of the glossary: the target is empty; write - for a term that is not translated",
        "{\"a\": 1}|\"a\" of the glossary must be a text or a list of texts",
        "{\"a\": []}|\"a\" of the glossary must be a text or a list of texts",
        "{\"a\": [\"b\", null]}|\"a\" of the glossary must be a text or a list of texts",
        "{\"a\": \"\"}|\"a\" of the glossary: the target is empty",
        "{\"a\": \"b\", \"a\": \"c\"}|the glossary is not JSON: Duplicate field 'a'",
        "{\"a\": \"b\"} x|the glossary is not JSON: Unrecognized token 'x'",
        "{\"a\": |the glossary is not JSON: Unexpected end-of-input",
      })
  void mistakesAreNamed(String text, String expected) {
    assertThatThrownBy(() -> InlineTerms.parse(text.replace('/', '\n')))
        .isInstanceOf(RecordException.class)
        .hasMessageStartingWith(expected);
  }

  @Test
  void theyAreLimited() {
    assertThatThrownBy(() -> InlineTerms.parse("a=b\n".repeat(1001)))
        .hasMessage("the glossary has 1001 terms; a record's may have 1000");
    assertThatThrownBy(() -> InlineTerms.parse("x".repeat(65537)))
        .hasMessage("the glossary has 65537 characters; a record's may have 65536");
    assertThatThrownBy(() -> InlineTerms.parse("{\"a\": " + "[".repeat(20000)))
        .isInstanceOf(RecordException.class);
  }
}
