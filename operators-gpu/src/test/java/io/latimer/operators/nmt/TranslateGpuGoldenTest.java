package io.latimer.operators.nmt;

import io.latimer.operators.device.Device;
import io.latimer.operators.testing.TestGpu;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The golden files on a GPU; skipped by name where there is none. */
class TranslateGpuGoldenTest extends TranslateGoldenTest {
  @RegisterExtension final TestGpu gpu = new TestGpu();

  @Override
  Device device() {
    return gpu.device();
  }
}
