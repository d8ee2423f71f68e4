package io.latimer.operators.fuzz;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads mutated files of all formats of this module; longer with {@code -Pfuzz}. */
class FuzzTest {
  @Test
  void onlyDocumentedErrorsCome(@TempDir Path folder) throws Exception {
    FuzzProcess.run(OperatorTargets.class, 6, folder);
  }
}
