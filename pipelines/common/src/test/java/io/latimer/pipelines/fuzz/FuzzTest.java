package io.latimer.pipelines.fuzz;

import io.latimer.operators.fuzz.FuzzProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads mutated job files and records; longer with {@code -Pfuzz}. */
class FuzzTest {
  @Test
  void onlyDocumentedErrorsCome(@TempDir Path folder) throws Exception {
    FuzzProcess.run(JobTargets.class, 6, folder);
  }
}
