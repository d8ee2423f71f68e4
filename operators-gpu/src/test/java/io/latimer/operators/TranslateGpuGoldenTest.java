package io.latimer.operators;

import static org.assertj.core.api.Assertions.assertThat;

import io.latimer.operators.device.Device;
import io.latimer.operators.testing.TestDevices;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The golden files on a GPU; skipped by name where there is none. */
class TranslateGpuGoldenTest extends TranslateGoldenTest {
  private Map<String, Integer> before;

  @BeforeEach
  void findGpu() {
    before = TestDevices.openGpu().openResources();
  }

  @AfterEach
  void leavesNothingOpen() {
    if (before != null) {
      assertThat(TestDevices.openGpu().openResources()).isEqualTo(before);
    }
  }

  @Override
  Device device() {
    return TestDevices.gpu();
  }
}
