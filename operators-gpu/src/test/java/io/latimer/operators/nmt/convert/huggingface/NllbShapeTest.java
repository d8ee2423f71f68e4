package io.latimer.operators.nmt.convert.huggingface;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.testing.ChildJvm;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model of NLLB's 256,206 words is imported, opened and decoded with in a small heap. */
class NllbShapeTest {
  /** The embedding in 32 bits would take 131 MB of it. */
  private static final String HEAP = "-Xmx112m";

  @TempDir private Path folder;

  @Test
  void weightsStayOutsideOfTheHeap() throws Exception {
    String[] small = {folder.toString(), "cpu", "2", "2", "128", "64", "4"};
    String said = ChildJvm.run(List.of(HEAP), NllbShape.class, small);
    System.out.print(said);
    assertThat(said).contains("\"beam\": 1, \"sentences\": 2", "\"beam\": 5, \"sentences\": 2");
  }
}
