package io.latimer.operators.testing;

import io.latimer.operators.index.IndexFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The translation model that the project ships in {@code examples/}. */
public final class ShippedModel {
  private ShippedModel() {}

  /** Its file. */
  public static Path path() {
    return Path.of(System.getProperty("latimer.root"), "examples/models/tatoeba-en-de.lmx");
  }

  /** The bytes of one of its sections. */
  public static byte[] section(String name) {
    try (IndexFile file = IndexFile.open(path())) {
      ByteBuffer mapped = file.section(name);
      byte[] bytes = new byte[mapped.remaining()];
      mapped.get(bytes);
      return bytes;
    }
  }
}
