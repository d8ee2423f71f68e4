package io.latimer.pipelines.beam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.grammar.GrammarFiles;
import io.latimer.pipelines.beam.row.RowNgramsProvider;
import io.latimer.pipelines.beam.row.RowStageProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.transforms.SchemaTransformProvider;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionRowTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stages on rows, as YAML and other languages use them. */
class RowStagesTest {
  private static final Schema INPUT =
      Schema.builder().addInt32Field("id").addNullableStringField("said").build();

  /** A row of settings; numbers are long as those of other languages are. */
  static Row config(Map<String, Object> settings) {
    Schema.Builder schema = Schema.builder();
    List<Object> values = new ArrayList<>();
    settings.forEach(
        (name, value) -> {
          Schema.FieldType type =
              value instanceof Long
                  ? Schema.FieldType.INT64
                  : value instanceof Row row
                      ? Schema.FieldType.row(row.getSchema())
                      : value instanceof Map
                          ? Schema.FieldType.map(Schema.FieldType.STRING, Schema.FieldType.STRING)
                          : Schema.FieldType.STRING;
          schema.addField(name, type);
          values.add(value);
        });
    return Row.withSchema(schema.build()).addValues(values).build();
  }

  private static PCollectionRowTuple apply(
      Pipeline pipeline,
      SchemaTransformProvider provider,
      Map<String, Object> config,
      Row... rows) {
    PCollection<Row> input = pipeline.apply(Create.of(Arrays.asList(rows)).withRowSchema(INPUT));
    return PCollectionRowTuple.of("input", input).apply(provider.from(config(config)));
  }

  private static Row row(int id, String text) {
    return Row.withSchema(INPUT).addValues(id, text).build();
  }

  @Test
  void rowsKeepTheirFieldsAndGetTheTranslation() throws Exception {
    List<String> texts = Examples.feed(3);
    List<String> expected = Examples.translations(texts);
    Pipeline pipeline = Pipeline.create();
    PCollectionRowTuple output =
        apply(
            pipeline,
            new RowStageProvider.OfTranslate(),
            Map.of(
                "model", Examples.MODEL.toString(),
                "beam", 5L,
                "text_field", "said",
                "settings", Map.of("batch.max-records", "2"),
                "error_handling", config(Map.of("output", "bad"))),
            row(0, texts.get(0)),
            row(1, texts.get(1)),
            row(2, texts.get(2)),
            row(3, null));
    assertThat(output.get("output").getSchema().getFieldNames())
        .containsExactly("id", "said", "target", "score", "quality", "target_language", "model_id");
    PAssert.that(
            output
                .get("output")
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via(
                            row ->
                                row.getInt32("id")
                                    + row.getString("target_language")
                                    + row.getString("target"))))
        .containsInAnyOrder(
            "0de" + expected.get(0), "1de" + expected.get(1), "2de" + expected.get(2));
    PAssert.that(
            output
                .get("bad")
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via(
                            row ->
                                row.getRow("failed_row").getInt32("id")
                                    + row.getString("error_message"))))
        .containsInAnyOrder("3the row has no text");
    pipeline.run().waitUntilFinish();
  }

  /** The watched grammar has other words than that of the configuration. */
  @Test
  void theNewestWatchedIndexIsUsed(@TempDir Path folder) {
    Path first = GrammarFiles.index(folder, "a", "start S", "v S", "v W", "u S W", "t W a");
    GrammarFiles.index(folder, "live-2", "start S", "v S", "v W", "u S W", "t W b");
    Pipeline pipeline = Pipeline.create();
    PCollectionRowTuple output =
        apply(
            pipeline,
            new RowStageProvider.OfGrammarCheck(),
            Map.of(
                "grammar", first.toString(), "text_field", "said", "watch", folder + "/live-*.lgx"),
            row(0, "a"),
            row(1, "b"));
    PAssert.that(
            output
                .get("output")
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via(row -> row.getString("said") + row.getBoolean("derivable"))))
        .containsInAnyOrder("afalse", "btrue");
    pipeline.run().waitUntilFinish();
  }

  @Test
  void aRefusedRowFailsThePipelineUnlessErrorsHaveAnOutput() {
    Pipeline pipeline = Pipeline.create();
    apply(
        pipeline,
        new RowStageProvider.OfTranslate(),
        Map.of("model", Examples.MODEL.toString(), "text_field", "said"),
        row(0, null));
    assertThatThrownBy(() -> pipeline.run().waitUntilFinish())
        .hasMessageContaining("the row has no text");
  }

  @Test
  void wrongConfigurationsAreRefused() {
    SchemaTransformProvider translate = new RowStageProvider.OfTranslate();
    String model = Examples.MODEL.toString();
    assertThatThrownBy(() -> apply(Pipeline.create(), translate, Map.of("model", model)))
        .hasMessageContaining("\"text\"")
        .hasMessageContaining("id, said");
    assertThatThrownBy(
            () -> apply(Pipeline.create(), translate, Map.of("model", model, "text_field", "id")))
        .hasMessageContaining("STRING")
        .hasMessageContaining("INT32");
    assertThatThrownBy(
            () ->
                apply(
                    Pipeline.create(),
                    translate,
                    Map.of("model", model, "text_field", "said", "length_normalisation", "1")))
        .hasMessageContaining("length-normalization");
  }

  @Test
  void theOutputOfErrorsNeedsANameOfItsOwn() {
    SchemaTransformProvider translate = new RowStageProvider.OfTranslate();
    for (Map<String, Object> errors :
        List.of(
            Map.<String, Object>of("output", "output"),
            Map.<String, Object>of("output", " "),
            Map.<String, Object>of("to", "a"))) {
      Map<String, Object> config =
          Map.of(
              "model", Examples.MODEL.toString(),
              "text_field", "said",
              "error_handling", config(errors));
      assertThatThrownBy(() -> apply(Pipeline.create(), translate, config))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("error_handling");
    }
  }

  @Test
  void ngramsOfRowsAreCountedPerWindow() {
    Pipeline pipeline = Pipeline.create();
    PCollectionRowTuple output =
        apply(
            pipeline,
            new RowNgramsProvider(),
            Map.of("text_field", "said", "order", 1L, "top", 1L),
            row(0, "a b a"),
            row(1, "a c"),
            row(2, null));
    PAssert.thatSingleton(
            output
                .get("output")
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via(
                            row ->
                                row.getInt64("sentences")
                                    + " "
                                    + row.getInt64("total")
                                    + " "
                                    + row.<Row>getArray("top").iterator().next().getValues())))
        .isEqualTo("2 5 [a, 3]");
    pipeline.run().waitUntilFinish();
  }

  @Test
  void theConfigurationHasTheKeysOfAJobFile() {
    Schema schema = new RowStageProvider.OfTranslate().configurationSchema();
    assertThat(schema.getFieldNames())
        .contains("model", "beam", "length_normalization", "text_field", "error_handling");
    assertThat(schema.getField("model").getType().getNullable()).isTrue(); // or phrases
    assertThat(
            new RowStageProvider.OfScore()
                .configurationSchema()
                .getField("model")
                .getType()
                .getNullable())
        .isFalse();
    assertThat(schema.getField("beam").getType().getNullable()).isTrue();
    assertThat(schema.getField("beam").getType().getTypeName()).isEqualTo(Schema.TypeName.INT32);
    assertThat(schema.getField("beam").getDescription()).contains("Hypotheses");
  }
}
