package io.latimer.operators.grammar;

import io.latimer.operators.device.Device;
import io.latimer.operators.grammar.index.GrammarIndex;
import io.latimer.operators.index.IndexFile;
import io.latimer.operators.testing.ResidentMemoryContract;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A grammar's device memory, by its rules. */
class GpuGrammarMemoryTest extends ResidentMemoryContract {
  private static final int VARIABLES = 3000;
  private static final int RULES = 2_400_000;

  @TempDir Path folder;
  private IndexFile file;
  private GrammarIndex index;

  private static String[] lines() {
    Random random = new Random(17);
    List<String> lines = new ArrayList<>(List.of("start V0", "t V0 x"));
    for (int v = 0; v < VARIABLES; v++) {
      lines.add(1 + v, "v V" + v);
    }
    for (int r = 0; r < RULES; r++) {
      lines.add(
          "b V"
              + random.nextInt(VARIABLES)
              + " V"
              + random.nextInt(VARIABLES)
              + " V"
              + random.nextInt(VARIABLES));
    }
    return lines.toArray(String[]::new);
  }

  @Override
  protected AutoCloseable bring(Device device) {
    if (file == null) {
      file = IndexFile.open(GrammarFiles.index(folder, "memory", lines()));
      index = GrammarIndex.open(file);
    }
    return new GpuGrammar(index, device);
  }

  @AfterEach
  void close() {
    if (file != null) {
      index.close();
      file.close();
    }
  }

  @Override
  protected long bytes(AutoCloseable resident) {
    return ((GpuGrammar) resident).bytes();
  }

  @Override
  protected long expected(AutoCloseable resident) {
    return 4L * (index.sides() + index.rules() + 3L * index.classes());
  }
}
