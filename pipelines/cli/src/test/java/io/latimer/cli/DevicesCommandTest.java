package io.latimer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.device.Devices;
import org.junit.jupiter.api.Test;

class DevicesCommandTest {

  @Test
  void listsEveryDeviceThatCanBeNamedAndSaysWhyThereIsNoOther() {
    Run run = Run.of("devices");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).startsWith("cpu ").contains("cores");
    Devices.Report report = Devices.report();
    assertThat(run.out().lines()).hasSize(1 + report.gpus().size());
    for (Devices.GpuInfo gpu : report.gpus()) {
      assertThat(run.out())
          .contains(Device.gpu(gpu.index()) + " ", gpu.name(), gpu.architecture(), "MiB");
    }
    if (report.gpus().isEmpty()) {
      assertThat(run.err()).contains("No GPU can be used: " + report.problem().orElseThrow() + ".");
    }
    assertThat(run.err().contains("kernel library is built for"))
        .isEqualTo(!report.architectures().isEmpty());
  }
}
