package io.latimer.e2e;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * A program that runs SQL, in a process that has the class path of a Flink distribution with one
 * more jar: this must contain what it needs.
 */
public final class SqlAlone {
  private SqlAlone() {}

  /**
   * Runs the statements of a file, separated by semicolons at the ends of lines, and prints the
   * rows of the last one, with their columns separated by tabs.
   */
  public static void main(String[] args) throws Exception {
    TableEnvironment session = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    TableResult last = null;
    for (String statement : Files.readString(Path.of(args[0])).split(";\n", -1)) {
      last = session.executeSql(statement);
    }
    CloseableIterator<Row> rows = last.collect();
    while (rows.hasNext()) {
      Row row = rows.next();
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.getArity(); i++) {
        line.append(i == 0 ? "" : "\t").append(row.getField(i));
      }
      System.out.println(line);
    }
    rows.close();
    System.exit(0); // also if a thread is left
  }
}
