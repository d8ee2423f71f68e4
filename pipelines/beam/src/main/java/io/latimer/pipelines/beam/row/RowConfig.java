package io.latimer.pipelines.beam.row;

import io.latimer.pipelines.beam.IndexUpdates;
import io.latimer.pipelines.config.ConfigKey;
import io.latimer.pipelines.job.StageOptions;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.Field;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.values.Row;

/**
 * The configuration of a stage as a row, for YAML and other languages: the stage's keys with
 * underscores, and the keys below.
 *
 * @param settings of the stage, as in a job file
 * @param textField the text's field in input rows
 * @param updates the source of newer indexes
 * @param errorOutput name of the output of failed rows; empty if they fail the pipeline
 */
record RowConfig(
    Map<String, String> settings, String textField, IndexUpdates updates, String errorOutput) {
  static final String TEXT_FIELD = "text_field";
  static final String SETTINGS = "settings";
  static final String WATCH = "watch";
  static final String ERROR_HANDLING = "error_handling";

  /** The output of rows that succeed; also the key for the name of the output of errors. */
  static final String OUTPUT = "output";

  private static final String DEFAULT_TEXT = "text";

  /**
   * The schema of the configuration of a kind of stage.
   *
   * @param isBatchStage whether it has an index and may refuse rows
   */
  static Schema schema(String kind, boolean isBatchStage) {
    Schema.Builder schema = Schema.builder();
    for (ConfigKey<?> key : StageOptions.section(kind).keys()) {
      if (key.type().sections().isEmpty()) {
        FieldType type = type(key.example());
        String name = key.name().replace('-', '_');
        Field field =
            key.defaultValue().isPresent() ? Field.nullable(name, type) : Field.of(name, type);
        schema.addField(field.withDescription(key.doc()));
      }
    }
    schema.addField(
        Field.nullable(TEXT_FIELD, FieldType.STRING)
            .withDescription("Field of the input rows with the text; `text` if it is left out."));
    schema.addField(
        Field.nullable(SETTINGS, FieldType.map(FieldType.STRING, FieldType.STRING))
            .withDescription("Settings of batches and indexes, such as `batch.max-records`."));
    if (isBatchStage) {
      schema.addField(
          Field.nullable(WATCH, FieldType.STRING)
              .withDescription(
                  "Pattern of index files, of which the newest replaces the index while the"
                      + " pipeline runs."));
      Schema errors = Schema.builder().addStringField(OUTPUT).build();
      schema.addField(
          Field.nullable(ERROR_HANDLING, FieldType.row(errors))
              .withDescription("Name of the output for rows that failed, else they are errors."));
    }
    return schema.build();
  }

  private static String errorOutput(Row errors) {
    Object name = errors.getSchema().hasField(OUTPUT) ? errors.getValue(OUTPUT) : null;
    if (!(name instanceof String output) || output.isBlank()) {
      throw new IllegalArgumentException(
          ERROR_HANDLING + ": expected {output: NAME}, found no name of an output");
    }
    if (output.equals(OUTPUT)) {
      throw new IllegalArgumentException(
          ERROR_HANDLING
              + ".output: \""
              + output
              + "\" is the output of the rows that succeed; choose another name");
    }
    return output;
  }

  private static FieldType type(Object value) {
    if (value instanceof Integer) {
      return FieldType.INT32;
    }
    if (value instanceof Long) {
      return FieldType.INT64;
    }
    if (value instanceof Double) {
      return FieldType.DOUBLE;
    }
    return value instanceof Boolean ? FieldType.BOOLEAN : FieldType.STRING;
  }

  /** Parses a configuration, whose numbers may have other types than in the schema. */
  static RowConfig of(Row row) {
    Map<String, String> settings = new TreeMap<>();
    String textField = DEFAULT_TEXT;
    IndexUpdates updates = IndexUpdates.NONE;
    String errorOutput = "";
    for (Field field : row.getSchema().getFields()) {
      Object value = row.getValue(field.getName());
      if (value == null) {
        continue;
      }
      switch (field.getName()) {
        case TEXT_FIELD -> textField = value.toString();
        case SETTINGS ->
            ((Map<?, ?>) value).forEach((key, of) -> settings.put(key.toString(), of.toString()));
        case WATCH -> updates = IndexUpdates.watch(value.toString());
        case ERROR_HANDLING -> errorOutput = errorOutput((Row) value);
        default -> settings.put(field.getName().replace('_', '-'), value.toString());
      }
    }
    return new RowConfig(settings, textField, updates, errorOutput);
  }
}
