package io.latimer.operators.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtectedTextTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // text | lead | what the model sees | trail | carried
        "Hello world. | - | Hello world. | - | -",
        "See https://a.org/b?c=d&e#f. | - | See *. | - | https://a.org/b?c=d&e#f",
        "(at www.a-b.com) now | - | (at *) now | - | www.a-b.com",
        "(https://a.org/x_(y)) | (https://a.org/x_(y)) | - | - | -",
        "Write to jo.e+x@mail.example.com, ok | - | Write to *, ok | - | jo.e+x@mail.example.com",
        "I love it 😀👍🏽 | - | I love it | ' 😀👍🏽' | -",
        "👨‍👩‍👧 family! ❤️ | '👨‍👩‍👧 ' | family! | ' ❤️' | -",
        "I 😀 you and 🇩🇪. | - | I * you and *. | - | 😀 🇩🇪",
        "😀 | 😀 | - | - | -",
        "https://a.org | https://a.org | - | - | -",
        "3 ☕ | 3 ☕ | - | - | -",
        "? | ? | - | - | -",
        "12/31/2025 | 12/31/2025 | - | - | -",
        "a@b is no address | - | a@b is no address | - | -",
      })
  void findsAddressesAndSymbols(
      String text, String lead, String seen, String trail, String carried) {
    ProtectedText found = hidden(text, true);
    assertThat(found.lead()).isEqualTo(lead == null ? "" : lead);
    assertThat(found.text().replace(ProtectedText.MARK, '*')).isEqualTo(seen == null ? "" : seen);
    assertThat(found.trail()).isEqualTo(trail == null ? "" : trail);
    assertThat(String.join(" ", sources(found))).isEqualTo(carried == null ? "" : carried);
  }

  @Test
  void leavesSymbolsThatTheModelKnows() {
    assertThat(hidden("I 😀 you", false))
        .isEqualTo(new ProtectedText("", "I 😀 you", "", List.of()));
  }

  @Test
  void aWordWithoutEndPassesThrough() {
    String key = "Ab9+/".repeat(21); // 105
    ProtectedText found = hidden("The key is " + key + ", ok?", false);
    assertThat(found.text()).isEqualTo("The key is " + ProtectedText.MARK + ", ok?");
    assertThat(sources(found)).containsExactly(key);
    ProtectedText alone = hidden("x".repeat(3_000), false);
    assertThat(alone.text()).isEmpty();
    assertThat(alone.lead()).hasSize(3_000);
  }

  @Test
  void longWordsAndScriptsWithoutSpacesAreTranslated() {
    for (String text :
        List.of(
            "x".repeat(100),
            "我喜欢这本书".repeat(50),
            "ฉันชอบหนังสือ".repeat(20),
            "a-b.c,".repeat(50))) {
      assertThat(hidden(text, false)).isEqualTo(new ProtectedText("", text, "", List.of()));
    }
  }

  @Test
  void protectsTheMarkItself() {
    ProtectedText found = hidden("a \uE000 b", false);
    assertThat(sources(found)).containsExactly("\uE000");
    assertThat(ProtectedText.marks(found.text())).isEqualTo(1);
  }

  @Test
  void longHostileTextsTakeNoLongTime() {
    for (String unit :
        List.of("a.", "a@", "http://)", "a@b.", "www.", "😀", "😀a", "[(", "x@y.z ")) {
      String text = unit.repeat(300_000 / unit.length());
      ProtectedText found = hidden(text, true);
      assertThat(found.carried()).hasSize(ProtectedText.marks(found.text()));
    }
  }

  private static ProtectedText hidden(String text, boolean unknown) {
    return ProtectedText.of(text, List.of(), false, run -> unknown);
  }

  private static List<String> sources(ProtectedText found) {
    return found.carried().stream().map(KeptText::source).toList();
  }

  @Test
  void partsAreHiddenAndReplaced() {
    List<KeptSpan> given = List.of(new KeptSpan(4, 8, "12,5"), new KeptSpan(13, 22, "Zimmer"));
    ProtectedText found = ProtectedText.of("for 12.5 our 1.2.3-x1a {x}", given, false, run -> true);
    assertThat(found.text()).isEqualTo("for * our * *".replace('*', ProtectedText.MARK));
    assertThat(found.carried())
        .containsExactly(
            new KeptText("12.5", "12,5"),
            new KeptText("1.2.3-x1a", "Zimmer"),
            new KeptText("{x}", "{x}"));
    assertThat(ProtectedText.of("12.5", List.of(new KeptSpan(0, 4, "12,5")), false, run -> true))
        .isEqualTo(new ProtectedText("12,5", "", "", List.of()));
  }

  @Test
  void masksAreNumberedAndTheirCharactersAreHidden() {
    ProtectedText found = ProtectedText.of("{a} and {b} or \uE001", List.of(), true, run -> false);
    assertThat(found.text()).isEqualTo("\uE001 and \uE002 or ".strip());
    assertThat(found.trail()).isEqualTo(" \uE001");
    String many = ProtectedText.of("{x} a ".repeat(9), List.of(), true, run -> false).text();
    assertThat(many).contains("\uE008 a \uE000 a").doesNotContain("\uE009");
  }
}
