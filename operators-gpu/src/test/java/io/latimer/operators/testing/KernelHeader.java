package io.latimer.operators.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Structures of the kernels' headers. */
public final class KernelHeader {
  private KernelHeader() {}

  /** Asserts that a structure has the same fields, in the same order; where the sources are. */
  public static void assertFields(String header, String structure, Stream<String> expected)
      throws IOException {
    Path file = Path.of("../kernels/include", header);
    Assumptions.assumeTrue(Files.exists(file), "runs where the sources are");
    String text = Files.readString(file);
    int end = text.indexOf("} " + structure + ";");
    String declared = text.substring(text.lastIndexOf("typedef struct {", end), end);
    List<String> fields =
        Pattern.compile("(\\w+);")
            .matcher(declared.replaceAll("(?s)/\\*.*?\\*/", ""))
            .results()
            .map(MatchResult::group)
            .map(field -> field.substring(0, field.length() - 1))
            .toList();
    assertThat(expected).containsExactlyElementsOf(fields);
  }
}
