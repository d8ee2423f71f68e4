package io.latimer.operators.nmt.convert.huggingface;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model of NLLB's 256,206 words is imported, opened and decoded with in a small heap. */
class NllbShapeTest {
  /** The embedding in 32 bits would take 131 MB of it. */
  private static final String HEAP = "-Xmx112m";

  @TempDir private Path folder;

  @Test
  void weightsStayOutsideOfTheHeap() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-cp",
                System.getProperty("java.class.path"),
                NllbShape.class.getName(),
                folder.toString(),
                "cpu",
                "2",
                "2",
                "128",
                "64",
                "4")
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    System.out.print(said);
    assertThat(said).contains("\"beam\": 1, \"sentences\": 2", "\"beam\": 5, \"sentences\": 2");
  }
}
