package io.latimer.operators.smt;

import io.latimer.operators.device.Device;
import io.latimer.operators.testing.TestGpu;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The same with phrases and language model on a GPU; skipped without. */
class TranslateByPhrasesGpuTest extends TranslateByPhrasesTest {
  @RegisterExtension final TestGpu gpu = new TestGpu();

  @Override
  Device device() {
    return gpu.device();
  }
}
