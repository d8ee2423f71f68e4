package io.latimer.pipelines.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.testing.TestClassPath;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StageDeviceTest {
  private static final String LOST =
      "gpu:1 was lost (cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS); start this process again";

  @Test
  void aProcessThatIsToldToEndsOnceItHasNoGpu() throws Exception {
    assertThat(chooseWithout("exit"))
        .startsWith(StageDevice.EXIT_STATUS + ": ")
        .contains("This process has no GPU left and ends. " + LOST);
  }

  @Test
  void anyOtherGoesOn() throws Exception {
    assertThat(chooseWithout("fail")).isEqualTo("0: " + LOST + LOST);
    assertThat(chooseWithout("")).isEqualTo("0: " + LOST + LOST);
  }

  @Test
  void aMistakeIsNamed() throws Exception {
    assertThat(chooseWithout("halt")).isEqualTo("1: ");
  }

  @ParameterizedTest
  @CsvSource({
    "org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir conf, true",
    "org.apache.flink.kubernetes.taskmanager.KubernetesTaskExecutorRunner, true",
    "org.apache.flink.yarn.YarnTaskExecutorRunner -D a=b, true",
    "io.latimer.cli.Latimer run TaskManagerRunner, false",
    "org.apache.flink.client.cli.CliFrontend run org.apache.flink.TaskManagerRunner, false",
    "'', false"
  })
  void knowsTaskManagersOfFlink(String command, boolean is) {
    assertThat(StageDevice.isTaskManager(command)).isEqualTo(is);
  }

  /** The status of a process whose GPU is lost, and what it printed. */
  private static String chooseWithout(String whenLost) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                TestClassPath.joined(),
                "-D" + StageDevice.WHEN_LOST + "=" + whenLost,
                ChoosesALostGpu.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + ": " + out.replace("\n", "");
  }
}
