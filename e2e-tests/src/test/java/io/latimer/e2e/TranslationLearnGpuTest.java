package io.latimer.e2e;

import io.latimer.operators.device.Device;
import io.latimer.operators.testing.TestGpu;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The same on a GPU; skipped without. */
class TranslationLearnGpuTest extends TranslationLearnTest {
  @RegisterExtension final TestGpu gpu = new TestGpu();

  @Override
  Device device() {
    return gpu.device();
  }
}
