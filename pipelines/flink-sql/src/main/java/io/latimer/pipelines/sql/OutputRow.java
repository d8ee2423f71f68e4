package io.latimer.pipelines.sql;

import io.latimer.operators.RecordException;
import io.latimer.schemas.Envelope;
import io.latimer.schemas.Translation;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ResolvedCatalogModel;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;

/** The columns of a model's OUTPUT; converts records to rows. */
final class OutputRow implements Serializable {
  private static final long serialVersionUID = 1L;

  private final Task task;
  private final OnError onError;

  /** The names of the columns, in the order of the statement. */
  private final ArrayList<String> names;

  private transient List<Task.Column> columns;

  private OutputRow(Task task, OnError onError, List<String> names) {
    this.task = task;
    this.onError = onError;
    this.names = new ArrayList<>(names);
  }

  /**
   * Checks the columns of a model.
   *
   * @param name of the model, for messages
   * @throws ValidationException if one is not a column of the task, or has another type
   */
  static OutputRow of(ResolvedCatalogModel model, ModelOptions options, String name) {
    List<String> problems = new ArrayList<>();
    checkInput(model.getResolvedInputSchema(), problems);
    Task task = options.task();
    List<String> names = new ArrayList<>();
    for (org.apache.flink.table.catalog.Column column :
        model.getResolvedOutputSchema().getColumns()) {
      names.add(column.getName());
      task.column(column.getName())
          .ifPresentOrElse(
              known -> checkType(column, known.type().getLogicalType(), problems),
              () -> problems.add(unknown(column.getName(), task)));
    }
    if (options.onError() == OnError.COLUMN && !names.contains(Task.ERROR)) {
      problems.add(
          "OUTPUT: the column `error` STRING is missing, which says why a text cannot be processed;"
              + " add it, or set 'on-error' to 'null' or 'fail'");
    }
    if (!problems.isEmpty()) {
      throw new ValidationException(name + ": " + String.join("; ", problems));
    }
    return new OutputRow(task, options.onError(), names);
  }

  private static void checkInput(ResolvedSchema input, List<String> problems) {
    List<LogicalType> types =
        input.getColumnDataTypes().stream().map(type -> type.getLogicalType()).toList();
    if (types.size() != 1 || !types.get(0).is(LogicalTypeFamily.CHARACTER_STRING)) {
      problems.add(
          "INPUT: expected one column of type STRING, the text, found "
              + types.stream().map(LogicalType::asSummaryString).toList());
    }
  }

  private static void checkType(
      org.apache.flink.table.catalog.Column column, LogicalType expected, List<String> problems) {
    LogicalType found = column.getDataType().getLogicalType();
    if (!found.equals(expected)) {
      problems.add(
          "OUTPUT: column `"
              + column.getName()
              + "` must have the type "
              + expected.asSummaryString()
              + ", found "
              + found.asSummaryString());
    }
  }

  private static String unknown(String name, Task task) {
    return "OUTPUT: the task "
        + task.kind()
        + " has no column `"
        + name
        + "`; its columns are "
        + task.columns().stream().map(Task.Column::name).collect(Collectors.joining(", "));
  }

  /** The task's name, for messages. */
  String task() {
    return task.kind();
  }

  /** The row of a NULL text. */
  RowData nulls() {
    return new GenericRowData(names.size());
  }

  /**
   * The row of a record that the stage has processed.
   *
   * @throws RecordException if the stage has refused it, and errors fail the job
   */
  RowData of(Envelope record) {
    if (record.getFailure() != null) {
      return error(record.getFailure().getErrorMessage());
    }
    if (columns == null) {
      columns = names.stream().map(column -> task.column(column).orElseThrow()).toList();
    }
    Translation translation = record.getTranslation();
    GenericRowData row = new GenericRowData(columns.size());
    for (int i = 0; i < columns.size(); i++) {
      row.setField(i, columns.get(i).value().apply(translation));
    }
    return row;
  }

  /**
   * The row of a text that cannot be processed.
   *
   * @throws RecordException if errors fail the job
   */
  RowData error(String reason) {
    if (onError == OnError.FAIL) {
      throw new RecordException(reason);
    }
    GenericRowData row = new GenericRowData(names.size());
    int error = names.indexOf(Task.ERROR);
    if (onError == OnError.COLUMN) {
      row.setField(error, StringData.fromString(reason));
    }
    return row;
  }
}
