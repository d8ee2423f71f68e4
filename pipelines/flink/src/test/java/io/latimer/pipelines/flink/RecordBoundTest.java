package io.latimer.pipelines.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.pipelines.sink.Format;
import io.latimer.schemas.RecordCodec;
import io.latimer.schemas.RecordJson;
import io.latimer.schemas.ReleasedSchemas;
import io.latimer.schemas.Sentence;
import io.latimer.schemas.Translation;
import java.nio.charset.StandardCharsets;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;

/** Records are made by their schemas, so that fields of the future are bounded, too. */
class RecordBoundTest {
  private static final RecordBound AVRO = new RecordBound(Format.AVRO);
  private static final RecordBound JSON = new RecordBound(Format.JSON);

  private final RandomRecords records = new RandomRecords(11);

  @Test
  void noRecordIsLongerThanItsBound() {
    RecordCodec<Sentence> sentences = RecordCodec.of(Sentence.class);
    RecordCodec<Translation> translations = RecordCodec.of(Translation.class);
    for (int i = 0; i < 2_000; i++) {
      Sentence sentence = (Sentence) records.record(Sentence.getClassSchema());
      assertBound(sentence, sentences.encode(sentence).length);
      Translation translation = (Translation) records.record(Translation.getClassSchema());
      assertBound(translation, translations.encode(translation).length);
    }
  }

  @Test
  void aRecordWithEveryFieldIsNotLongerThanItsBound() {
    for (int i = 0; i < 100; i++) {
      RandomRecords full = RandomRecords.full(i);
      Translation translation = (Translation) full.record(Translation.getClassSchema());
      assertThat(translation.getLanguageScores()).isNotEmpty();
      assertThat(translation.getNBest().get(0).getGrammarChecks().get(0).getRoots()).isNotEmpty();
      assertThat(translation.getNBest().get(0).getAlignment()).isNotEmpty();
      assertThat(translation.getGrammarChecks().get(0).getContinuation().getNext()).isNotEmpty();
      assertBound(translation, RecordCodec.of(Translation.class).encode(translation).length);
    }
  }

  @Test
  void everyReleasedRecordHasABound() throws Exception {
    for (String name : ReleasedSchemas.NAMES) {
      Class<? extends SpecificRecord> type =
          Class.forName("io.latimer.schemas." + name).asSubclass(SpecificRecord.class);
      assertBounds(type);
    }
  }

  private <T extends SpecificRecord> void assertBounds(Class<T> type) {
    RecordCodec<T> codec = RecordCodec.of(type);
    for (int i = 0; i < 40; i++) {
      T record = type.cast(records.record(SpecificData.get().getSchema(type)));
      assertBound(record, codec.encode(record).length);
    }
  }

  @Test
  void theBoundOfALongTextIsWithinItsEscapes() {
    Sentence sentence = (Sentence) records.record(Sentence.getClassSchema());
    sentence.setText("x".repeat(1_000_000));
    assertThat(AVRO.of(sentence)).isBetween(1_000_000L, 3_100_000L);
    assertThat(JSON.of(sentence)).isBetween(1_000_000L, 6_100_000L);
  }

  private static void assertBound(SpecificRecord record, int encoded) {
    String json = RecordJson.of(record);
    assertThat(AVRO.of(record)).as("Avro of %s", json).isGreaterThanOrEqualTo(encoded);
    assertThat(JSON.of(record))
        .as("JSON %s", json)
        .isGreaterThanOrEqualTo(json.getBytes(StandardCharsets.UTF_8).length);
  }
}
