package io.latimer.operators.smt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The structure of a batch has the same fields on both sides. */
class GpuSearchFieldTest {
  private static final Path HEADER = Path.of("../kernels/include/latimer_smt.h");

  @Test
  void hasTheFieldsOfTheHeader() throws IOException {
    Assumptions.assumeTrue(Files.exists(HEADER), "runs where the sources are");
    String text = Files.readString(HEADER);
    int end = text.indexOf("} lat_smt_batch;");
    String structure = text.substring(text.lastIndexOf("typedef struct {", end), end);
    List<String> fields =
        Pattern.compile("(\\w+);")
            .matcher(structure.replaceAll("(?s)/\\*.*?\\*/", ""))
            .results()
            .map(MatchResult::group)
            .map(field -> field.substring(0, field.length() - 1))
            .toList();
    assertThat(Arrays.stream(GpuSearchField.values()).map(field -> field.nameInC))
        .containsExactlyElementsOf(fields);
  }
}
