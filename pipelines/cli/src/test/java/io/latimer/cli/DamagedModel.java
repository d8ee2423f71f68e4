package io.latimer.cli;

import io.latimer.operators.index.IndexFile;
import io.latimer.operators.index.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The example model with one bit of one weight flipped: still a number, and another one. */
public final class DamagedModel {
  public static final String SECTION = "tensor/output.bias";

  private DamagedModel() {}

  public static Path in(Path folder) throws IOException {
    Path model = Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");
    byte[] bytes = Files.readAllBytes(model);
    try (IndexFile file = IndexFile.open(model)) {
      Section section =
          file.sections().stream().filter(s -> s.name().equals(SECTION)).findFirst().orElseThrow();
      bytes[Math.toIntExact(section.offset())] ^= 1;
    }
    return Files.write(folder.resolve("damaged.lmx"), bytes);
  }
}
