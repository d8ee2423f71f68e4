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
    ProtectedText found = ProtectedText.of(text, run -> true);
    assertThat(found.lead()).isEqualTo(lead == null ? "" : lead);
    assertThat(found.text().replace(ProtectedText.MARK, '*')).isEqualTo(seen == null ? "" : seen);
    assertThat(found.trail()).isEqualTo(trail == null ? "" : trail);
    assertThat(String.join(" ", found.carried())).isEqualTo(carried == null ? "" : carried);
  }

  @Test
  void leavesSymbolsThatTheModelKnows() {
    assertThat(ProtectedText.of("I 😀 you", run -> false))
        .isEqualTo(new ProtectedText("", "I 😀 you", "", List.of()));
  }

  @Test
  void aWordWithoutEndPassesThrough() {
    String key = "Ab9+/".repeat(21); // 105
    ProtectedText found = ProtectedText.of("The key is " + key + ", ok?", run -> false);
    assertThat(found.text()).isEqualTo("The key is " + ProtectedText.MARK + ", ok?");
    assertThat(found.carried()).containsExactly(key);
    ProtectedText alone = ProtectedText.of("x".repeat(3_000), run -> false);
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
      assertThat(ProtectedText.of(text, run -> false))
          .isEqualTo(new ProtectedText("", text, "", List.of()));
    }
  }

  @Test
  void protectsTheMarkItself() {
    ProtectedText found = ProtectedText.of("a \uE000 b", run -> false);
    assertThat(found.carried()).containsExactly("\uE000");
    assertThat(ProtectedText.marks(found.text())).isEqualTo(1);
  }

  @Test
  void longHostileTextsTakeNoLongTime() {
    for (String unit :
        List.of("a.", "a@", "http://)", "a@b.", "www.", "😀", "😀a", "[(", "x@y.z ")) {
      String text = unit.repeat(300_000 / unit.length());
      ProtectedText found = ProtectedText.of(text, run -> true);
      assertThat(found.carried()).hasSize(ProtectedText.marks(found.text()));
    }
  }
}
