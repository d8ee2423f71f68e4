package io.latimer.cli.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.schemas.Alternative;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordViewTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(1)</script>",
        "'\"&\\",
        "event: end\ndata: {}\n\ndata: x\r\r",
        "\u2028\u2029\u0000\u0007\u007f\u0085\u009b",
        "\u202Eright to left\u202C \u2066",
        "\uD83D\uDE00 \u05E9\u05DC\u05D5\u05DD",
      })
  void hostileTextIsOneLineOfHarmlessJson(String text) throws Exception {
    String json = RecordView.json(RecordSamplerTest.envelope(text, text + "!"), null, 5);
    assertThat(json)
        .doesNotContain("<", ">", "&", "'", "\n", "\r", "\u2028", "\u2029")
        .doesNotContain("\u0000", "\u0007", "\u007f", "\u0085", "\u009b");
    JsonNode record = JSON.readTree(json);
    assertThat(record.get("source").asText()).isEqualTo(text);
    assertThat(record.get("translation").asText()).isEqualTo(text + "!");
    assertThat(record.get("cut").asBoolean()).isFalse();
  }

  @Test
  void longTextsAreCutBetweenCharacters() throws Exception {
    String smileys = "x" + "\uD83D\uDE00".repeat(500_000);
    JsonNode record =
        JSON.readTree(RecordView.json(RecordSamplerTest.envelope(smileys, smileys), null, 5));
    assertThat(record.get("source").asText())
        .hasSize(RecordView.MOST_TEXT - 1)
        .endsWith("\uD83D\uDE00");
    assertThat(record.get("cut").asBoolean()).isTrue();
  }

  @Test
  void longListsAreCut() {
    Envelope envelope = RecordSamplerTest.envelope("x", "y");
    SentencePhrase phrase = new SentencePhrase(0, 1, "p".repeat(10_000), 1L, 1, 1L, 1.0, List.of());
    LanguageScore score = new LanguageScore("score", "alternative", -1.0, 3.5, 3.5, 4, 1, "m", "v");
    Alternative alternative =
        Alternative.newBuilder()
            .setText("a".repeat(100_000))
            .setScore(-1)
            .setNormalizedScore(-1)
            .setLanguageScores(Collections.nCopies(1_000, score))
            .build();
    envelope
        .getTranslation()
        .setPhraseTables(
            List.of(
                new SentencePhraseTable(
                    "phrases", "source", Collections.nCopies(9_000, phrase), 7, 0, "i", "", 0L)));
    envelope.getTranslation().setNBest(Collections.nCopies(1_000, alternative));
    String json = RecordView.json(envelope, null, 5);
    assertThat(json).hasSizeLessThan(64_000).contains("\"omitted\":8967");
  }

  @Test
  void whatIsDoubtfulIsThere() throws Exception {
    Envelope envelope = RecordSamplerTest.envelope("x", "y");
    envelope.getTranslation().setFlags(List.of("numbers", "too-long"));
    assertThat(JSON.readTree(RecordView.json(envelope, null, 5)).get("flags"))
        .extracting(JsonNode::asText)
        .containsExactly("numbers", "too-long");
  }

  @Test
  void numbersThatAreNotFiniteAreNull() throws Exception {
    Envelope envelope = RecordSamplerTest.envelope("x", "y");
    envelope
        .getTranslation()
        .setLanguageScores(
            List.of(
                new LanguageScore(
                    "score", "source", -1.0, Double.POSITIVE_INFINITY, 1.0, 1, 0, "m", "")));
    JsonNode record = JSON.readTree(RecordView.json(envelope, null, 5));
    assertThat(record.at("/scores/0/perplexity").isNull()).isTrue();
  }

  @Test
  void aJobThatTranslatesNothingHasNoTranslations() throws Exception {
    Envelope envelope = RecordSamplerTest.envelope("same", "same");
    envelope.getTranslation().setTargetLanguage("en");
    envelope.getTranslation().setModelId("");
    assertThat(JSON.readTree(RecordView.json(envelope, null, 5)).has("translation")).isFalse();
  }
}
