package io.latimer.pipelines.beam.row;

import io.latimer.schemas.CountedNgram;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.GrammarCheck;
import io.latimer.schemas.LanguageScore;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.PhraseTranslation;
import io.latimer.schemas.SentencePhrase;
import io.latimer.schemas.SentencePhraseTable;
import io.latimer.schemas.Translation;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Instant;

/**
 * The fields that a stage adds to rows.
 *
 * @param <R> type of the stage's results
 * @param schema of the fields
 * @param values of the fields, in their order
 */
record RowFields<R>(Schema schema, Values<R> values) implements Serializable {

  /** A serializable function. */
  interface Values<R> extends Function<R, List<Object>>, Serializable {}

  static final RowFields<Envelope> TRANSLATE =
      new RowFields<>(
          Schema.builder()
              .addStringField("target")
              .addNullableDoubleField("score")
              .addNullableDoubleField("quality")
              .addStringField("target_language")
              .addStringField("model_id")
              .build(),
          record -> {
            Translation made = record.getTranslation();
            return Arrays.asList(
                made.getText(),
                made.getScore(),
                made.getQuality(),
                made.getTargetLanguage(),
                made.getModelId());
          });

  static final RowFields<Envelope> SCORE =
      new RowFields<>(
          Schema.builder()
              .addDoubleField("log10")
              .addDoubleField("perplexity")
              .addInt32Field("words")
              .addInt32Field("unknown_words")
              .build(),
          record -> {
            LanguageScore made = last(record.getTranslation().getLanguageScores());
            return List.of(
                made.getLog10(), made.getPerplexity(), made.getWords(), made.getUnknownWords());
          });

  static final RowFields<Envelope> GRAMMAR_CHECK =
      new RowFields<>(
          Schema.builder()
              .addBooleanField("derivable")
              .addInt32Field("longest_prefix")
              .addArrayField("next_words", FieldType.STRING)
              .build(),
          record -> {
            GrammarCheck made = last(record.getTranslation().getGrammarChecks());
            List<String> next =
                made.getContinuation() == null ? List.of() : made.getContinuation().getNext();
            return List.of(made.getDerivable(), made.getLongestPrefix(), next);
          });

  private static final Schema PHRASE_TRANSLATION =
      Schema.builder()
          .addStringField("text")
          .addInt32Field("count")
          .addDoubleField("probability")
          .build();

  private static final Schema PHRASE =
      Schema.builder()
          .addStringField("text")
          .addInt64Field("occurrences")
          .addArrayField("translations", FieldType.row(PHRASE_TRANSLATION))
          .build();

  static final RowFields<Envelope> PHRASES =
      new RowFields<>(
          Schema.builder().addArrayField("phrases", FieldType.row(PHRASE)).build(),
          record -> {
            SentencePhraseTable made = last(record.getTranslation().getPhraseTables());
            return List.of(made.getPhrases().stream().map(RowFields::phrase).toList());
          });

  private static final Schema NGRAM =
      Schema.builder().addStringField("ngram").addInt64Field("count").build();

  static final RowFields<NgramTable> NGRAMS =
      new RowFields<>(
          Schema.builder()
              .addDateTimeField("start")
              .addDateTimeField("end")
              .addInt32Field("revision")
              .addInt64Field("sentences")
              .addInt64Field("total")
              .addInt64Field("distinct")
              .addArrayField("top", FieldType.row(NGRAM))
              .build(),
          table ->
              List.of(
                  Instant.ofEpochMilli(table.getStart().toEpochMilli()),
                  Instant.ofEpochMilli(table.getEnd().toEpochMilli()),
                  table.getRevision(),
                  table.getSentences(),
                  table.getTotal(),
                  table.getDistinct(),
                  table.getTop().stream().map(RowFields::ngram).toList()));

  private static <T> T last(List<T> list) {
    return list.get(list.size() - 1);
  }

  private static Row phrase(SentencePhrase phrase) {
    List<Row> translations =
        phrase.getTranslations().stream().map(RowFields::phraseTranslation).toList();
    return Row.withSchema(PHRASE)
        .addValues(phrase.getText(), phrase.getOccurrences(), translations)
        .build();
  }

  private static Row phraseTranslation(PhraseTranslation one) {
    return Row.withSchema(PHRASE_TRANSLATION)
        .addValues(one.getText(), one.getCount(), one.getProbability())
        .build();
  }

  private static Row ngram(CountedNgram one) {
    return Row.withSchema(NGRAM).addValues(one.getNgram(), one.getCount()).build();
  }

  /**
   * Appends these fields to the schema of rows.
   *
   * @throws IllegalArgumentException if rows already have one of these fields
   */
  Schema added(Schema rows) {
    for (String name : schema.getFieldNames()) {
      if (rows.hasField(name)) {
        throw new IllegalArgumentException(
            "the input rows have a field \"" + name + "\", which the stage adds; rename it");
      }
    }
    return Schema.builder().addFields(rows.getFields()).addFields(schema.getFields()).build();
  }

  /** Appends these fields to a row. */
  Row added(Row row, R made, Schema schema) {
    return Row.withSchema(schema).addValues(row.getValues()).addValues(values.apply(made)).build();
  }
}
