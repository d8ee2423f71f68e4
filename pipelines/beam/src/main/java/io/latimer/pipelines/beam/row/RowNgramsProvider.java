package io.latimer.pipelines.beam.row;

import io.latimer.pipelines.beam.CountNgrams;
import io.latimer.pipelines.beam.RecordCoder;
import io.latimer.pipelines.beam.Sentences;
import io.latimer.pipelines.job.StageOptions;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.NgramTable;
import io.latimer.schemas.Sentence;
import java.util.List;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.transforms.SchemaTransform;
import org.apache.beam.sdk.schemas.transforms.SchemaTransformProvider;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionRowTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Instant;

/**
 * {@link CountNgrams} for rows: turns the texts of windowed rows into a row per window, with its
 * times, number of sentences and most frequent n-grams.
 */
public final class RowNgramsProvider implements SchemaTransformProvider {
  /** Called by Beam. */
  public RowNgramsProvider() {}

  @Override
  public String identifier() {
    return RowStageProvider.identifier(CountNgrams.KIND);
  }

  @Override
  public String description() {
    return StageOptions.section(CountNgrams.KIND).doc();
  }

  @Override
  public Schema configurationSchema() {
    return RowConfig.schema(CountNgrams.KIND, false);
  }

  @Override
  public List<String> inputCollectionNames() {
    return List.of(RowStageProvider.INPUT);
  }

  @Override
  public List<String> outputCollectionNames() {
    return List.of(RowConfig.OUTPUT);
  }

  @Override
  public SchemaTransform from(Row configuration) {
    return new RowNgrams(RowConfig.of(configuration));
  }

  private static final class RowNgrams extends SchemaTransform {
    private static final long serialVersionUID = 1L;

    private final transient RowConfig config;

    RowNgrams(RowConfig config) {
      this.config = config;
    }

    @Override
    public PCollectionRowTuple expand(PCollectionRowTuple input) {
      PCollection<Row> rows = input.getSinglePCollection();
      RowTexts texts = RowTexts.of(rows.getSchema(), config.textField());
      Schema schema = RowFields.NGRAMS.schema();
      PCollection<NgramTable> tables =
          rows.apply("Take texts", ParDo.of(new TextsFn(texts)))
              .setCoder(RecordCoder.of(Envelope.class))
              .apply("Count n-grams", CountNgrams.create().with(config.settings()))
              .get(CountNgrams.TABLES);
      return PCollectionRowTuple.of(
          RowConfig.OUTPUT,
          tables
              .apply("Make rows", MapElements.into(TypeDescriptors.rows()).via(table -> row(table)))
              .setRowSchema(schema));
    }

    private static Row row(NgramTable table) {
      return Row.withSchema(RowFields.NGRAMS.schema())
          .addValues(RowFields.NGRAMS.values().apply(table))
          .build();
    }
  }

  /** Extracts the texts of rows with their timestamps; rows without a text have no n-grams. */
  private static final class TextsFn extends DoFn<Row, Envelope> {
    private static final long serialVersionUID = 1L;

    private final RowTexts texts;

    TextsFn(RowTexts texts) {
      this.texts = texts;
    }

    @ProcessElement
    public void process(@Element Row row, @Timestamp Instant time, OutputReceiver<Envelope> out) {
      String text = texts.of(row);
      if (text != null) {
        out.output(
            Sentences.record(
                Sentence.newBuilder()
                    .setId("")
                    .setFeed("")
                    .setLanguage("")
                    .setText(text)
                    .setEventTime(java.time.Instant.ofEpochMilli(time.getMillis()))
                    .build()));
      }
    }
  }
}
