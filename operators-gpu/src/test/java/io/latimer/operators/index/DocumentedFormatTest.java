package io.latimer.operators.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.testing.DocumentedReader;
import io.latimer.operators.testing.TestKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentedFormatTest {
  @TempDir Path folder;

  @Test
  void aReaderMadeFromTheDocumentReadsTheContainer() throws Exception {
    Path path = folder.resolve("x.lmx");
    byte[] data = new byte[1000];
    data[999] = 5;
    try (IndexFileWriter writer = IndexFileWriter.create(path, TestKind.of(12), "été")) {
      writer.add("first", data);
      writer.add("none", new byte[0]);
      writer.add("a/b", new byte[256]);
      writer.commit();
    }
    DocumentedReader.Parsed parsed = DocumentedReader.parse(Files.readAllBytes(path));
    assertThat(parsed.kind()).isEqualTo("translation-model");
    assertThat(parsed.kindVersion()).isEqualTo(12);
    assertThat(parsed.version()).isEqualTo("été");
    assertThat(parsed.sections().keySet()).containsExactly("first", "none", "a/b");
    assertThat(parsed.sections().get("first")).isEqualTo(data);
    assertThat(parsed.sections().get("a/b")).hasSize(256);
  }

  @Test
  void theDocumentIsThere() throws IOException {
    Path root = Path.of(System.getProperty("latimer.root"));
    assertThat(Files.readString(root.resolve("docs/formats.md")))
        .contains("| 252 | 4 | u32 | CRC-32C of bytes 0 to 251 |");
  }
}
