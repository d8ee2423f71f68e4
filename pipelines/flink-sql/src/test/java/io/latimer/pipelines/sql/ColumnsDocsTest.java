package io.latimer.pipelines.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page lists the columns that models may have. */
class ColumnsDocsTest {
  private static final Path PAGE = Path.of(System.getProperty("latimer.root"), "docs/sql.md");
  private static final Path NEW_COLUMNS = Path.of("target/sql-columns.md");
  private static final String BEGIN = "<!-- columns: written by ColumnsDocsTest -->\n";
  private static final String END = "<!-- end of columns -->\n";

  private static String columns() {
    StringBuilder text = new StringBuilder();
    for (Task task : Task.values()) {
      text.append("\n`")
          .append(task.kind())
          .append("`:\n\n| column | type | meaning |\n|---|---|---|\n");
      for (Task.Column column : task.columns()) {
        text.append("| `")
            .append(column.name())
            .append("` | `")
            .append(column.type().getLogicalType().asSummaryString().replace("`", ""))
            .append("` | ")
            .append(column.meaning())
            .append(" |\n");
      }
    }
    return text.append('\n').toString();
  }

  @Test
  void thePageHasTheColumnsOfAllTasks() throws Exception {
    Files.createDirectories(NEW_COLUMNS.getParent());
    Files.writeString(NEW_COLUMNS, columns());
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    assertThat(begin).isPositive();
    assertThat(end).isGreaterThan(begin);
    assertThat(page.substring(begin + BEGIN.length(), end))
        .as("columns have changed: copy pipelines/flink-sql/target/sql-columns.md into docs/sql.md")
        .isEqualTo(columns());
  }
}
