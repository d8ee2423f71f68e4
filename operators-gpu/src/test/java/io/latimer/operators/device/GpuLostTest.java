package io.latimer.operators.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.testing.TestClassPath;
import io.latimer.operators.testing.TestDevices;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a process sees of a GPU after an illegal address; skipped by name where there is no GPU. */
class GpuLostTest {
  private Gpu gpu;

  @BeforeEach
  void open() {
    gpu = TestDevices.openGpu();
  }

  @Test
  void everyLaterUseFailsAndClosingDoesNot() throws Exception {
    List<String> said = run(false);
    assertThat(said)
        .containsExactly(
            "> error lost cuStreamSynchronize CUDA_ERROR_ILLEGAL_ADDRESS",
            "> true > lost done",
            "> copy lost use lost",
            "> allocate lost use lost",
            "> event lost use lost",
            "> open lost use lost",
            "> gpu lost use lost",
            "> auto lost use lost",
            "> " + lost("cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS") + " > report done",
            "> " + lost("lat_can_run: cudaErrorIllegalAddress") + " > other job done",
            "> close done",
            "> close done",
            "> close done",
            "> close done",
            "> {} > left done");
    // Another process is not harmed: this one.
    try (Arena arena = new Arena(gpu, "test");
        Stream stream = new Stream(gpu, "test")) {
      stream.fill(arena.allocate(1000), 1);
      stream.synchronize();
    }
    assertThat(gpu.isLost()).isFalse();
  }

  private String lost(String reason) {
    return gpu + " was lost (" + reason + "); start this process again";
  }

  @Test
  void whenDebuggingTheCallThatDidItIsNamed() throws Exception {
    assertThat(run(true).get(0)).isEqualTo("> error lost lat_ngram_v1 cudaErrorIllegalAddress");
  }

  private List<String> run(boolean debug) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                TestClassPath.joined(),
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-D" + Gpu.DEBUG + "=" + debug,
                LostGpu.class.getName(),
                Integer.toString(gpu.index()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    return out.lines().filter(line -> line.startsWith("> ")).toList();
  }
}
