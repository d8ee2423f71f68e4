package io.latimer.pipelines.flink.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latimer.operators.OperatorException;
import io.latimer.operators.device.Device;
import io.latimer.pipelines.flink.TestStage;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.common.externalresource.ExternalResourceInfo;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.util.MockStreamingRuntimeContext;
import org.junit.jupiter.api.Test;

/** The choice itself, on a machine with several GPUs: {@code SeveralGpusTest} in e2e-tests. */
class SubtaskDeviceTest {
  @Test
  void theCpuIsSharedByAllAndIsNoGpu() throws Exception {
    RuntimeContext context = context();
    try (SubtaskDevice first = SubtaskDevice.of(on("cpu"), context);
        SubtaskDevice second = SubtaskDevice.of(on("cpu"), context)) {
      assertThat(first.device()).isEqualTo(Device.CPU);
      assertThat(second.device()).isEqualTo(Device.CPU);
      assertThat(first.device()).isEqualTo(Device.CPU);
    }
  }

  /** What the cluster assigned is used, and nothing else that the driver may show. */
  @Test
  void onlyTheGpusOfTheTaskManagerAreChosenFrom() {
    assertThatThrownBy(() -> SubtaskDevice.of(on("gpu"), context("98", "97")))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("device gpu:97: ");
    assertThatThrownBy(() -> SubtaskDevice.of(on("gpu:96"), context("98")))
        .hasMessageStartingWith("device gpu:96: ");
  }

  @Test
  void aGpuWithoutANumberIsRefused() {
    assertThatThrownBy(() -> SubtaskDevice.of(on("auto"), context("GPU-7f3c")))
        .isInstanceOf(OperatorException.class)
        .hasMessage(
            "the external resource gpu has a GPU of index \"GPU-7f3c\"; its driver must give the"
                + " number of the GPU, from 0");
  }

  private static TestStage on(String device) {
    return new TestStage("s", batch -> {}) {
      private static final long serialVersionUID = 1L;

      @Override
      public String device() {
        return device;
      }
    };
  }

  /** A subtask whose task manager has some GPUs. */
  private static RuntimeContext context(String... gpus) {
    Set<ExternalResourceInfo> infos =
        List.of(gpus).stream().map(Gpu::new).collect(Collectors.toSet());
    MockEnvironment environment =
        new MockEnvironmentBuilder()
            .setExternalResourceInfoProvider(name -> name.equals("gpu") ? infos : Set.of())
            .build();
    return new MockStreamingRuntimeContext(1, 0, environment);
  }

  private record Gpu(String index) implements ExternalResourceInfo {
    @Override
    public Optional<String> getProperty(String key) {
      return key.equals("index") ? Optional.of(index) : Optional.empty();
    }

    @Override
    public Collection<String> getKeys() {
      return List.of("index");
    }
  }
}
