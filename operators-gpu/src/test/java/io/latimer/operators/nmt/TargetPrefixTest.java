package io.latimer.operators.nmt;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.Result;
import io.latimer.operators.device.Device;
import io.latimer.operators.nmt.decode.DecodeOptions;
import io.latimer.operators.testing.ShippedModel;
import io.latimer.operators.text.Guidance;
import io.latimer.operators.text.TextInput;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Translations begin with the text that is given. */
final class TargetPrefixTest {
  private static Translate open(DecodeOptions search) {
    return Translate.opener(TranslateOptions.of(search)).open(ShippedModel.path(), Device.CPU);
  }

  private static TextInput begun(String text, String prefix) {
    return new TextInput(text, new Guidance("", "", prefix));
  }

  private static Translated translated(Translate translate, String text, String prefix) {
    return translate.translate(List.of(begun(text, prefix))).get(0).orElseThrow();
  }

  @Test
  void everyTranslationBeginsWithItsOwnPrefix() {
    List<String> prefixes =
        List.of(
            "",
            "Ich",
            "Wir haben",
            "Niemals",
            "W\u00f6rter wie Zwiebelfisch",
            "\"Guten",
            "Da\u00df er",
            "Q");
    for (DecodeOptions search :
        List.of(DecodeOptions.greedy(), DecodeOptions.beam(4).withNBest(4))) {
      try (Translate translate = open(search)) {
        List<TextInput> batch = new ArrayList<>();
        prefixes.forEach(prefix -> batch.add(begun("We have never seen this house.", prefix)));
        List<Result<Translated>> results = translate.translate(batch);
        for (int i = 0; i < prefixes.size(); i++) {
          Translated found = results.get(i).orElseThrow();
          assertThat(found.text()).startsWith(prefixes.get(i));
          for (Translated.Alternative other : found.nBest()) {
            assertThat(other.text()).startsWith(prefixes.get(i));
          }
          assertThat(found.text().length()).isGreaterThan(prefixes.get(i).length());
        }
      }
    }
  }

  @Test
  void tagsOfAPrefixAreNotThereTwice() {
    try (Translate translate = open(DecodeOptions.greedy())) {
      List<TextInput> batch =
          List.of(
              begun("<p>We have <b>never</b> seen this house.</p>", "<p>Wir <b>haben</b>"),
              begun("<p>We have never seen this house.</p>", "<p>Wir haben"));
      List<String> texts =
          translate.translate(batch).stream().map(one -> one.orElseThrow().text()).toList();
      assertThat(texts.get(0))
          .containsOnlyOnce("<p>")
          .containsOnlyOnce("<b>")
          .containsOnlyOnce("</b>")
          .endsWith("</p>");
      assertThat(texts.get(0).replaceAll("<[^>]*>", "")).startsWith("Wir haben");
      assertThat(texts.get(1)).startsWith("<p>Wir haben").containsOnlyOnce("<p>");
    }
  }

  @Test
  void theModelsOwnBeginningChangesNothing() {
    try (Translate translate = open(DecodeOptions.greedy())) {
      String text = "The cat sleeps in the garden, because it is warm.";
      String whole = translate.apply(List.of(text)).get(0).orElseThrow().text();
      List<String> words = List.of(whole.split(" "));
      for (int n = 1; n < words.size(); n++) {
        String prefix = String.join(" ", words.subList(0, n));
        assertThat(translated(translate, text, prefix).text()).isEqualTo(whole);
      }
    }
  }

  @Test
  void wordsAndSymbolsThatTheModelLacksAreKept() {
    try (Translate translate = open(DecodeOptions.beam(3))) {
      for (String prefix :
          List.of(
              "\u7684 \u03a9",
              "\ud83c\udf89 Hallo",
              "Za\u017c\u00f3\u0142\u0107 g\u0119\u015bl\u0105",
              "</s> nein",
              "<unk>")) {
        assertThat(translated(translate, "Hello, Tom!", prefix).text()).startsWith(prefix);
      }
      // symbols before the source are the prefix's
      assertThat(translated(translate, "\ud83c\udf89 Hello, Tom!", "\ud83c\udf89 Hallo").text())
          .startsWith("\ud83c\udf89 Hallo")
          .doesNotStartWith("\ud83c\udf89 \ud83c\udf89");
      assertThat(translated(translate, "\ud83c\udf89 Hello, Tom!", "Guten Tag").text())
          .startsWith("Guten Tag");
    }
  }

  @Test
  void theFirstSentenceBeginsWithIt() {
    try (Translate translate = open(DecodeOptions.greedy())) {
      Translated found = translated(translate, "I am here. You are there.", "Hier bin");
      assertThat(found.text()).isEqualTo("Hier bin ich. Du bist da.");
      assertThat(translated(translate, "  ", "Hier").text()).isEmpty();
      assertThat(translated(translate, "I am here.", "   ").text())
          .isEqualTo(translated(translate, "I am here.", "").text());
    }
  }

  @Test
  void aPrefixThatIsNoTextOrTooLongFailsAlone() {
    try (Translate translate = open(DecodeOptions.greedy())) {
      List<Result<Translated>> results =
          translate.translate(
              List.of(
                  begun("Hello.", "wort ".repeat(400)),
                  begun("Hello.", "\ud800"),
                  begun("Hello.", "a".repeat(100_001)),
                  begun("Hello.", "Guten")));
      assertThat(error(results.get(0))).contains("sentence 1 of 1: the target prefix has ");
      assertThat(error(results.get(1))).contains("unpaired surrogate");
      assertThat(error(results.get(2))).contains("has 100001 characters");
      assertThat(results.get(3).orElseThrow().text()).startsWith("Guten");
    }
  }

  private static String error(Result<Translated> result) {
    return ((Result.Failure<Translated>) result).error().getMessage();
  }
}
