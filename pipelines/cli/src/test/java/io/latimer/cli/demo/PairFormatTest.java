package io.latimer.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PairFormatTest {

  @Test
  void aPersonSeesTwoColumns() {
    assertThat(new PairFormat(80).pair("I came.", "Ich kam."))
        .isEqualTo("I came." + " ".repeat(30) + "  →  Ich kam.\n");
  }

  @Test
  void longTextsWrapInTheirColumns() {
    assertThat(new PairFormat(60).pair("one two three four five six seven", "eins 日本 drei 😂"))
        .isEqualTo(
            """
            one two three four five six  →  eins 日本 drei 😂
            seven
            """);
  }

  @Test
  void aNarrowTerminalHasThemOneBelowTheOther() {
    assertThat(new PairFormat(40).pair("I came.", "Ich kam.")).isEqualTo("I came.\n→ Ich kam.\n");
  }

  @Test
  void aProgramGetsOneLineWithOneTab() {
    assertThat(new PairFormat(0).pair("a\tb\nc", "d\re")).isEqualTo("a b c\td e\n");
  }
}
