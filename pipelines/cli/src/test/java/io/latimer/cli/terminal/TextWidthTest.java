package io.latimer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TextWidthTest {

  @ParameterizedTest
  @CsvSource({
    "plain, 5",
    "Größe, 5",
    "Gro\u0308ße, 5", // a combining diaeresis
    "日本, 4",
    "ｱ, 1", // half width
    "😂, 2",
    "❤️, 2", // a text symbol that a variation selector makes an emoji
    "👩‍🚀, 2", // joined to one
    "שלום, 4",
    "'', 0"
  })
  void countsTerminalColumns(String text, int columns) {
    assertThat(TextWidth.of(text)).isEqualTo(columns);
  }

  @Test
  void cutsBetweenCharactersAsReadersSeeThem() {
    assertThat(TextWidth.cut("short", 5)).isEqualTo("short");
    assertThat(TextWidth.cut("too long", 5)).isEqualTo("too …");
    assertThat(TextWidth.cut("日本語", 4)).isEqualTo("日…");
    assertThat(TextWidth.cut("a👩‍🚀b", 3)).isEqualTo("a…");
    assertThat(TextWidth.cut("anything", 0)).isEmpty();
  }

  @Test
  void wrapsAtSpacesAndBreaksWhatHasNone() {
    assertThat(TextWidth.wrap("one two three", 7)).containsExactly("one two", "three");
    assertThat(TextWidth.wrap("unbreakable", 4)).containsExactly("unbr", "eaka", "ble");
    assertThat(TextWidth.wrap("a unbreakable b", 5)).containsExactly("a", "unbre", "akabl", "e b");
    assertThat(TextWidth.wrap("日本語", 4)).containsExactly("日本", "語");
    assertThat(TextWidth.wrap("", 4)).containsExactly("");
  }

  @Test
  void padsToColumnsAndNotToCharacters() {
    assertThat(TextWidth.pad("日本", 6)).isEqualTo("日本  ");
    assertThat(TextWidth.pad("too long", 3)).isEqualTo("too long");
  }

  @Test
  void keepsControlCharactersFromTheTerminal() {
    assertThat(TextWidth.plain("a\u001b[31m\tb\r\nc\u2028d\u0085e")).isEqualTo("a [31m b  c d e");
  }
}
