package io.latimer.cli.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.latimer.schemas.DeadLetter;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.LearnedFrom;
import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.SimilarTranslation;
import io.latimer.schemas.SourcePosition;
import io.latimer.schemas.Translation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecordSamplerTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<String> shown = new ArrayList<>();
  private long now;
  private final RecordSampler sampler = new RecordSampler(shown::add, () -> now);

  static Envelope envelope(String source, String translation) {
    Sentence sentence =
        Sentence.newBuilder()
            .setId("1")
            .setFeed("news")
            .setLanguage("en")
            .setText(source)
            .setEventTime(Instant.EPOCH)
            .build();
    return Envelope.newBuilder()
        .setOrigin(new SourcePosition("news", 0, 0L, Instant.now()))
        .setOriginal(ByteBuffer.allocate(0))
        .setSentence(sentence)
        .setTranslation(
            Translation.newBuilder()
                .setSource(sentence)
                .setTargetLanguage("de")
                .setText(translation)
                .setModelId("m")
                .build())
        .build();
  }

  private static Envelope withKey(String key) {
    Envelope envelope = envelope("typed", "getippt");
    envelope.setKey(ByteBuffer.wrap(key.getBytes(StandardCharsets.UTF_8)));
    return envelope;
  }

  private static Envelope withCorrection(String id) {
    PhraseTranslation translation =
        new PhraseTranslation(
            "ja", 1, 1.0, 0.0, 0.0, 1, List.of(new LearnedFrom(id, Instant.EPOCH)));
    SentencePhrase phrase = new SentencePhrase(0, 1, "yes", 1L, 1, 1L, 1.0, List.of(translation));
    Envelope envelope = envelope("yes", "ja");
    envelope
        .getTranslation()
        .setPhraseTables(
            List.of(
                new SentencePhraseTable("phrases", "source", List.of(phrase), 0, 0, "id", "", 1L)));
    return envelope;
  }

  @Test
  void showsSomeRecordsOfAFastJobAndCountsAll() {
    for (int i = 0; i < 100_000; i++) {
      now = TimeUnit.SECONDS.toNanos(10) * i / 100_000;
      sampler.accept(envelope("text " + i, "Text " + i));
    }
    assertThat(sampler.translated()).isEqualTo(100_000);
    // a full bucket at the beginning, and then 20 in each of ten seconds
    assertThat(shown).hasSizeBetween(215, 220).hasSize((int) sampler.shown());
    assertThat(shown.get(shown.size() - 1)).contains("text 99");
    assertThat(sampler.takeLatency().quantile(1)).isLessThan(60_000);
    assertThat(sampler.takeLatency().quantile(1)).isZero(); // taken
  }

  @Test
  void showsEachRecordOfASlowJob() {
    for (int i = 0; i < 100; i++) {
      now += TimeUnit.MILLISECONDS.toNanos(60);
      sampler.accept(envelope("text", "Text"));
    }
    assertThat(shown).hasSize(100);
  }

  @Test
  void showsWhatThePageHasSentWhateverElseThereIs() throws Exception {
    IntStream.range(0, 50).forEach(i -> sampler.accept(envelope("text", "Text")));
    assertThat(shown).hasSize(RecordSampler.PER_SECOND);
    sampler.accept(withKey("live-page-1"));
    assertThat(shown).hasSize(RecordSampler.PER_SECOND); // of another page
    sampler.awaitKey("live-page-1");
    sampler.accept(withKey("live-page-2"));
    sampler.accept(withKey("x".repeat(100_000)));
    sampler.accept(withKey("live-page-1"));
    assertThat(shown).hasSize(RecordSampler.PER_SECOND + 1);
    assertThat(JSON.readTree(shown.get(RecordSampler.PER_SECOND)).get("own").asText())
        .isEqualTo("live-page-1");
  }

  @Test
  void showsRecordsThatUseItsCorrectionsButNotAllOfThem() {
    IntStream.range(0, 50).forEach(i -> sampler.accept(envelope("text", "Text")));
    shown.clear();
    sampler.accept(withCorrection("live-page-1"));
    assertThat(shown).isEmpty();
    sampler.awaitCorrection("live-page-1");
    IntStream.range(0, 50).forEach(i -> sampler.accept(withCorrection("live-page-1")));
    assertThat(shown).hasSize(10).allMatch(json -> json.contains("\"id\":\"live-page-1\""));
  }

  @Test
  void showsTranslationsThatItsCorrectionsTaught() throws Exception {
    IntStream.range(0, 50).forEach(i -> sampler.accept(envelope("text", "Text")));
    shown.clear();
    sampler.awaitCorrection("live-page-1");
    Envelope taught = envelope("yes", "doch");
    taught
        .getTranslation()
        .setCorrections(List.of(new LearnedFrom("live-page-1", Instant.ofEpochMilli(5))));
    taught
        .getTranslation()
        .setSimilar(
            List.of(
                new SimilarTranslation(
                    0, "yeah", "ja", 85, new LearnedFrom("c", Instant.ofEpochMilli(5)))));
    sampler.accept(taught);
    assertThat(JSON.readTree(shown.get(0)).get("corrections").toString())
        .isEqualTo("[{\"id\":\"live-page-1\",\"time\":5}]");
    assertThat(JSON.readTree(shown.get(0)).get("similar").toString())
        .isEqualTo("[{\"source\":\"yeah\",\"text\":\"ja\",\"similarity\":85}]");
  }

  @Test
  void refusedRecordsHaveTheirReason() throws Exception {
    Envelope envelope = envelope("text", "Text");
    envelope.setFailure(
        DeadLetter.newBuilder()
            .setOriginal(ByteBuffer.allocate(0))
            .setOrigin(envelope.getOrigin())
            .setStage("translate")
            .setErrorClass("E")
            .setErrorMessage("it is <b>too</b> long")
            .setTime(Instant.EPOCH)
            .build());
    sampler.accept(envelope);
    JsonNode record = JSON.readTree(shown.get(0));
    assertThat(record.at("/refused/stage").asText()).isEqualTo("translate");
    assertThat(record.at("/refused/message").asText()).isEqualTo("it is <b>too</b> long");
    assertThat(record.has("translation")).isFalse();
    assertThat(sampler.refused()).isEqualTo(1);
    assertThat(sampler.translated()).isZero();
    envelope.setSentence(null); // one that could not be read
    envelope.setTranslation(null);
    sampler.accept(envelope);
    assertThat(shown.get(1)).contains("refused").doesNotContain("source");
  }

  @Test
  void aRecordThatCannotBeShownDoesNotFailTheJob() {
    RecordSampler failing =
        new RecordSampler(
            json -> {
              throw new IllegalStateException("no");
            },
            () -> now);
    failing.accept(envelope("text", "Text"));
    assertThat(failing.translated()).isEqualTo(1);
  }
}
