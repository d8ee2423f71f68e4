package io.latimer.pipelines.beam.row;

import java.io.Serializable;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.TypeName;
import org.apache.beam.sdk.values.Row;

/**
 * Extracts the texts of rows.
 *
 * @param field the field with the text
 */
record RowTexts(String field) implements Serializable {

  /**
   * Creates an extractor for a field.
   *
   * @throws IllegalArgumentException if rows have no such field, or it has another type
   */
  static RowTexts of(Schema rows, String field) {
    if (!rows.hasField(field)) {
      throw new IllegalArgumentException(
          "the input rows have no field \""
              + field
              + "\" but "
              + String.join(", ", rows.getFieldNames())
              + "; name the one with the text with "
              + RowConfig.TEXT_FIELD);
    }
    TypeName type = rows.getField(field).getType().getTypeName();
    if (type != TypeName.STRING) {
      throw new IllegalArgumentException(
          "the field \"" + field + "\" of the input rows must be STRING, found " + type);
    }
    return new RowTexts(field);
  }

  /** The text of a row; null if it is null there. */
  String of(Row row) {
    return row.getString(field);
  }
}
