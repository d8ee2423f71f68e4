package io.latimer.pipelines.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.RecordException;
import io.latimer.operators.text.terms.Term;
import io.latimer.schemas.Correction;
import io.latimer.schemas.WordLink;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TermCorrectionsTest {
  private static Correction correction(String source, String target, List<WordLink> alignment) {
    return new Correction("1", Instant.EPOCH, source, target, alignment);
  }

  private static Correction normalized(String source, String target) {
    return TermCorrections.normalized(correction(source, target, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "room;Zimmer;room;Zimmer",
        " room | rooms ; Zimmer|Räume ;room|rooms;Zimmer|Räume",
        "room; Zimmer \\t yes \\t any ;room;Zimmer\\tyes\\tany",
        "room;Zimmer\\t\\tany;room;Zimmer\\t\\tany",
        "room;Zimmer\\tyes\\t;room;Zimmer\\tyes",
        "room;Zimmer\\t\\t;room;Zimmer",
        "Latimer;-;Latimer;-"
      })
  void cellsKeepTheirPlaces(String source, String target, String source2, String target2) {
    Correction normal = normalized(source, target.replace("\\t", "\t"));
    assertThat(normal).isEqualTo(correction(source2, target2.replace("\\t", "\t"), null));
    assertThat(TermCorrections.normalized(normal)).as("once more").isEqualTo(normal);
  }

  @Test
  void anEmptyCellIsNotTheNextOne() {
    assertThatThrownBy(() -> normalized("room", "\tyes"))
        .isInstanceOf(RecordException.class)
        .hasMessage("the target is empty; write - for a term that is not translated");
    assertThatThrownBy(() -> normalized("room", "Zimmer\t\t\t"))
        .hasMessageEndingWith("at most a case and a rule after tabs, found 4 columns");
  }

  @Test
  void aTermHasNoAlignment() {
    Correction aligned = correction("room", "Zimmer", List.of(new WordLink(0, 0)));
    assertThatThrownBy(() -> TermCorrections.normalized(aligned))
        .isInstanceOf(RecordException.class)
        .hasMessage("a term has no alignment; leave it out, or set it to null");
    assertThat(Taught.TERMS.problem(aligned)).startsWith("correction 1: a term has no alignment");
    assertThat(Taught.PAIRS.problem(aligned)).isNull();
  }

  @Test
  void theLimitsOfCorrectionsHold() {
    Correction unnamed = TermCorrections.of("", Instant.EPOCH, Term.keep(List.of("Latimer")));
    assertThatThrownBy(() -> TermCorrections.normalized(unnamed))
        .hasMessageContaining("needs an id");
  }
}
